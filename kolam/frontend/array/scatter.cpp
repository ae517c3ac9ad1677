// Calls scatter.
#include "kolam/frontend/array/scatter.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/scatter.h"

namespace kolam {
namespace {

/// All arguments in one list: operands, updates, indices.
std::vector<Operand> joined(const std::vector<Operand>& operands,
                            const std::vector<Operand>& updates, const Operand& start_indices) {
  std::vector<Operand> all = operands;
  all.insert(all.end(), updates.begin(), updates.end());
  all.push_back(start_indices.apart());
  return all;
}

/// The same list of values taken apart.
struct Arguments {
  language::Values operands, updates;
  mlir::Value start_indices;
  Arguments(const language::Values& all, size_t operand_count)
      : operands(all.begin(), all.begin() + operand_count),
        updates(all.begin() + operand_count, all.end() - 1), start_indices(all.back()) {}
};

/// The region that calls `combine` on the elements of all operands and their updates.
language::CombinerRegion trace_combiner(Trace& trace, const language::Values& operands,
                                        const ScatterCombiner& combine) {
  std::vector<mlir::Type> types;
  for (int turn = 0; turn < 2; ++turn)
    for (mlir::Value operand : operands)
      types.push_back(language::tensor_type(trace.builder(), ir::dtype_of(operand), {}));
  size_t count = operands.size();
  auto body = [&](std::vector<Tensor> arguments) {
    std::vector<Tensor> state(arguments.begin(), arguments.begin() + count);
    return combine(state, {arguments.begin() + count, arguments.end()});
  };
  Trace::Region traced = trace.region(types, body, BodyKind::cells);
  return {std::move(traced.region), std::move(traced.captures)};
}

} // namespace

std::vector<Tensor> scatter(const std::vector<Operand>& operands,
                            const std::vector<Operand>& updates, const Operand& start_indices,
                            const std::vector<int64_t>& scatter_dims, std::string_view rmw_op,
                            bool unique_indices, int64_t batched_dims, std::string_view mode) {
  language::ScatterSpec spec{scatter_dims, rmw_op, unique_indices, batched_dims, mode};
  return apply("scatter", joined(operands, updates, start_indices),
               [&](language::Builder& b, const language::Values& v) {
                 Arguments a(v, operands.size());
                 return language::scatter(b, a.operands, a.updates, a.start_indices, spec);
               });
}

std::vector<Tensor> scatter(const std::vector<Operand>& operands,
                            const std::vector<Operand>& updates, const Operand& start_indices,
                            const std::vector<int64_t>& scatter_dims,
                            const ScatterCombiner& combine, bool unique_indices,
                            int64_t batched_dims, std::string_view mode) {
  language::ScatterSpec spec{scatter_dims, "user", unique_indices, batched_dims, mode};
  return apply_traced("scatter", joined(operands, updates, start_indices),
                      [&](Trace& trace, const language::Values& v) {
                        Arguments a(v, operands.size());
                        return language::scatter(trace.builder(), a.operands, a.updates,
                                                 a.start_indices, spec,
                                                 trace_combiner(trace, a.operands, combine));
                      });
}

Tensor scatter(const Operand& operand, const Operand& update, const Operand& start_indices,
               const std::vector<int64_t>& scatter_dims, std::string_view rmw_op,
               bool unique_indices, int64_t batched_dims, std::string_view mode) {
  return scatter(std::vector{operand}, std::vector{update}, start_indices, scatter_dims, rmw_op,
                 unique_indices, batched_dims, mode)[0];
}

Tensor scatter(const Operand& operand, const Operand& update, const Operand& start_indices,
               const std::vector<int64_t>& scatter_dims,
               const std::function<Tensor(Tensor, Tensor)>& combine, bool unique_indices,
               int64_t batched_dims, std::string_view mode) {
  ScatterCombiner one = [&](std::vector<Tensor> state, std::vector<Tensor> change) {
    return std::vector{combine(state[0], change[0])};
  };
  return scatter(std::vector{operand}, std::vector{update}, start_indices, scatter_dims, one,
                 unique_indices, batched_dims, mode)[0];
}

} // namespace kolam
