// Records attention.
#include "kolam/frontend/array/attention.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/scalar_body.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/attention.h"

namespace kolam {
namespace {

language::MaskRegion record_mask(Trace& trace, const AttentionMask& mask, mlir::Type place) {
  std::vector<mlir::Type> places(4, place);
  Trace::Region recorded = trace.region(
      places,
      [&](std::vector<Tensor> at) { return std::vector<Tensor>{mask(at[0], at[1], at[2], at[3])}; },
      BodyKind::cells);
  mlir::Block& body = recorded.region->front();
  require_scalar_body(body);
  mlir::Value result = body.getTerminator()->getOperand(0);
  if (ir::dtype_of(result) != DType::boolean)
    language::fail_argument(ErrorKind::type, "dtype-mismatch", "mask",
                            "a function that gives a boolean", language::describe(result));
  return {std::move(recorded.region), std::move(recorded.captures)};
}

} // namespace

Tensor attention(const Operand& q, const Operand& k, const Operand& v,
                 const AttentionOptions& options) {
  std::vector<Operand> operands{q, k, v};
  if (options.mask)
    operands.push_back(options.mask->apart());
  if (options.segment_ids) {
    operands.push_back(options.segment_ids->queries.apart());
    operands.push_back(options.segment_ids->keys.apart());
  }
  auto record = [&](language::Builder& b, const language::Values& values, Trace* trace) {
    language::Attention plain;
    size_t next = 3;
    if (options.mask)
      plain.mask = values[next++];
    if (options.segment_ids) {
      plain.q_segments = values[next++];
      plain.k_segments = values[next++];
    }
    plain.causal = options.causal;
    plain.scale = options.scale;
    if (options.window)
      plain.window = {options.window->left, options.window->right};
    if (options.mask_function)
      plain.visible = [&, trace](mlir::Type place) {
        return record_mask(*trace, options.mask_function, place);
      };
    return language::Values{language::attention(b, values[0], values[1], values[2], plain)};
  };
  if (options.mask_function)
    return apply_traced("attention", operands, [&](Trace& trace, const language::Values& values) {
      return record(trace.builder(), values, &trace);
    })[0];
  return apply("attention", operands, [&](language::Builder& b, const language::Values& values) {
    return record(b, values, nullptr);
  })[0];
}

} // namespace kolam
