// Ops that move elements: each is linear, and its adjoint puts elements back where they came from.
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/reverse.h"
#include "kolam/language/scatter.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/derive/again.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/rules.h"

namespace kolam::transform::derive {
namespace {

using language::Axes;

} // namespace

void linearise_rule(ir::BroadcastOp op, Linearisation& at) { at.set_linear(op, {0}); }
void linearise_rule(ir::ExpandDimsOp op, Linearisation& at) { at.set_linear(op, {0}); }
void linearise_rule(ir::SqueezeOp op, Linearisation& at) { at.set_linear(op, {0}); }
void linearise_rule(ir::ReshapeOp op, Linearisation& at) {
  if (is_under_name(op)) // the same value: contributions to it are contributions to the operand
    return at.set_tangent(op.getResult(), at.tangent(op.getOperand()));
  at.set_linear(op, {0});
}
void linearise_rule(ir::TransposeOp op, Linearisation& at) { at.set_linear(op, {0}); }
void linearise_rule(ir::ReverseOp op, Linearisation& at) { at.set_linear(op, {0}); }
void linearise_rule(ir::SliceOp op, Linearisation& at) { at.set_linear(op, {0}); }
void linearise_rule(ir::ViewOp op, Linearisation& at) { at.set_linear(op, {0}); }
void linearise_rule(ir::DynamicSliceOp op, Linearisation& at) { at.set_linear(op, {0}); }
void linearise_rule(ir::DynamicUpdateSliceOp op, Linearisation& at) { at.set_linear(op, {0, 1}); }
void linearise_rule(ir::PadOp op, Linearisation& at) { at.set_linear(op, {0, 1}); }

void linearise_rule(ir::ConcatOp op, Linearisation& at) {
  llvm::SmallVector<unsigned> all;
  for (unsigned number = 0; number < op->getNumOperands(); ++number)
    all.push_back(number);
  at.set_linear(op, all);
}

/// The sum over dims that are new or repeated.
void transpose_rule(ir::BroadcastOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  const Shape from = ir::shape_of(op.getOperand()), to = ir::shape_of(op.getResult());
  Axes summed;
  for (int64_t dim = 0; dim < static_cast<int64_t>(to.size()); ++dim) {
    auto own = llvm::find(op.getDims(), dim);
    if (own == op.getDims().end() || !(from[own - op.getDims().begin()] == to[dim]))
      summed.push_back(dim);
  }
  if (!summed.empty()) // narrow floats are rounded once, when all contributions are there
    v = language::combine(at.b, language::cast(at.b, v, language::wide_dtype(ir::dtype_of(v))),
                          Fn::add, summed);
  at.add(op.getOperand(), reshaped(at.b, v, from));
}

void transpose_rule(ir::ExpandDimsOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  at.add(op.getOperand(), language::squeeze(at.b, v, Axes(op.getDims())));
}

void transpose_rule(ir::SqueezeOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  at.add(op.getOperand(), language::expand_dims(at.b, v, Axes(op.getDims())));
}

void transpose_rule(ir::ReshapeOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  at.add(op.getOperand(), reshaped(at.b, v, ir::shape_of(op.getOperand())));
}

void transpose_rule(ir::TransposeOp op, Transposition& at) {
  Axes inverse(op.getPermutation().size());
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    inverse[from] = static_cast<int64_t>(to);
  at.add(op.getOperand(), language::permute_dims(at.b, at.cotangent(op.getResult()), inverse));
}

void transpose_rule(ir::ReverseOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  at.add(op.getOperand(), language::flip(at.b, v, Axes(op.getDims())));
}

/// Put into zeros at the starts, with the steps between.
void transpose_rule(ir::SliceOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  const Shape shape = ir::shape_of(op.getOperand());
  std::vector<Extent> starts = op.getStarts().shape();
  for (auto [dim, step] : llvm::enumerate(op.getSteps()))
    if (step != 1) {
      v = put_apart(at.b, v, static_cast<int64_t>(dim), starts[dim], step, shape[dim]);
      starts[dim] = 0;
    }
  if (ir::shape_of(v) == shape)
    return at.add(op.getOperand(), v);
  at.add_window(op.getOperand(), Shape(starts), v);
}

/// Accumulates by its projection (space/adjoint.h).
void transpose_rule(ir::ViewOp op, Transposition& at) {
  at.add(op.getOperand(),
         accumulated(at.b, at.cotangent(op.getResult()), op.getOperand().getType(), op.map()));
}

void transpose_rule(ir::ConcatOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  const auto dim = static_cast<int64_t>(op.getDim());
  std::vector<Extent> starts{Extent(0)};
  for (Value operand : op.getOperands())
    starts.push_back(starts.back() + ir::shape_of(operand)[dim]);
  for (size_t number = op->getNumOperands(); number-- > 0;) {
    Value operand = op.getOperands()[number];
    if (at.is_linear(operand))
      at.add(operand,
             language::slice_dim(at.b, v, dim, starts[number], ir::shape_of(operand)[dim]));
  }
}

/// `value` receives what lies outside; elements that a mode repeats receive it from each place.
void transpose_rule(ir::PadOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  const Shape from = ir::shape_of(op.getOperand()), to = ir::shape_of(op.getResult());
  Values low;
  for (int64_t before : op.getLow())
    low.push_back(language::integer_constant(at.b, before, DType::i64));
  if (op.getMode() == "constant") {
    if (at.is_linear(op.getValue())) {
      Value outside =
          language::dynamic_update_slice(at.b, v, zeros_like(at.b, op.getOperand()), low);
      Axes all;
      for (size_t dim = 0; dim < to.size(); ++dim)
        all.push_back(static_cast<int64_t>(dim));
      at.add(op.getValue(), language::combine(at.b, outside, Fn::add, all));
    }
    for (auto [dim, before] : llvm::enumerate(op.getLow()))
      v = language::slice_dim(at.b, v, static_cast<int64_t>(dim), before, from[dim]);
    return at.add(op.getOperand(), v);
  }
  auto scattered = [&] {
    Values columns;
    for (size_t dim = 0; dim < to.size(); ++dim) {
      const auto axis = static_cast<int64_t>(dim);
      Value places = language::iota(at.b, {from[dim]}, 0, DType::i64);
      places = language::pad(at.b, places, {PadWidth{op.getLow()[dim], op.getHigh()[dim]}},
                             op.getMode().str(), language::integer_constant(at.b, 0, DType::i64));
      columns.push_back(ir::BroadcastOp::create(at.b, language::tensor_type(at.b, DType::i64, to),
                                                places, llvm::ArrayRef<int64_t>{axis}));
    }
    return added_at(at.b, v, op.getOperand().getType(), columns);
  };
  const space::Operand read = op.signature().operands[0];
  at.add(op.getOperand(), accumulated(at.b, v, op.getOperand().getType(), read.projection.map,
                                      read.policy, scattered));
}

void transpose_rule(ir::DynamicSliceOp op, Transposition& at) {
  at.add_window(op.getOperand(), at.coefficients(op.getStarts()), at.cotangent(op.getResult()));
}

void transpose_rule(ir::DynamicUpdateSliceOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  Values starts = at.coefficients(op.getStarts());
  if (at.is_linear(op.getUpdate())) {
    Value window = language::dynamic_slice(at.b, v, starts, ir::shape_of(op.getUpdate()));
    // Read before it is overwritten, in place.
    at.add(op.getUpdate(), at.is_linear(op.getOperand()) ? in_memory(at.b, window) : window);
  }
  if (at.is_linear(op.getOperand()))
    at.add(op.getOperand(),
           language::dynamic_update_slice(at.b, v, zeros_like(at.b, op.getUpdate()), starts));
}

} // namespace kolam::transform::derive
