// Equations of elements at affine functions of their index.
#include "kolam/rewrite/rule.h"

#include "kolam/analysis/affine_integers.h"
#include "kolam/analysis/views.h"
#include "kolam/ir/ops.h"
#include "kolam/rewrite/literals.h"

#include <algorithm>

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

Value make_view(Operation* op, mlir::Type type, Value operand, const space::AffineMap& map,
                OpBuilder& b) {
  Shape starts;
  llvm::SmallVector<int64_t> coefficients;
  for (const space::AffineRow& row : map.rows) {
    starts.push_back(row.offset);
    llvm::append_range(coefficients, row.coefficients);
  }
  return ir::ViewOp::create(b, op->getLoc(), type, operand,
                            ir::ExtentsAttr::of(op->getContext(), starts), coefficients);
}

Value affine_gather(Operation* op, OpBuilder& b) {
  std::optional<space::AffineMap> places = analysis::affine_places(op);
  return places ? make_view(op, op->getResult(0).getType(), op->getOperand(0), *places, b)
                : Value();
}

Value make_boxes(Operation* op, const analysis::AffineBox& box, OpBuilder& b) {
  mlir::Type type = ir::tensor_type(op->getContext(), ir::dtype_of(op->getResult(0)), box.shape);
  if (box.parts.empty())
    return make_view(op, type, op->getOperand(0), box.places, b);
  llvm::SmallVector<Value> parts;
  for (const analysis::AffineBox& part : box.parts)
    parts.push_back(make_boxes(op, part, b));
  return ir::ConcatOp::create(b, op->getLoc(), type, parts, box.dim);
}

Value gather_in_boxes(Operation* op, OpBuilder& b) {
  std::optional<analysis::AffineBox> boxes = analysis::affine_boxes(op);
  return boxes ? make_boxes(op, *boxes, b) : Value();
}

Value literal_slice(Operation* op, OpBuilder& b) {
  auto slice = llvm::dyn_cast<ir::DynamicSliceOp>(op);
  if (!slice)
    return {};
  const Shape from = ir::shape_of(slice.getOperand()), shape = ir::shape_of(slice.getResult());
  Shape starts;
  for (auto [dim, start] : llvm::enumerate(slice.getStarts())) {
    const std::optional<int64_t> place = splat_number(start), extent = from[dim].constant(),
                                 size = shape[dim].constant();
    if (!place || !extent || !size)
      return {};
    starts.push_back(std::clamp<int64_t>(*place, 0, *extent - *size)); // moved to lie inside
  }
  llvm::SmallVector<int64_t> ones(shape.size(), 1);
  return ir::SliceOp::create(b, op->getLoc(), slice.getType(), slice.getOperand(),
                             ir::ExtentsAttr::of(op->getContext(), starts), ones);
}

Value view_view(Operation* op, OpBuilder& b) {
  std::optional<space::AffineMap> outer = analysis::view_of_operand(op);
  auto inner = outer ? op->getOperand(0).getDefiningOp<ir::ViewOp>() : ir::ViewOp();
  if (!inner)
    return {};
  return make_view(op, op->getResult(0).getType(), inner.getOperand(),
                   space::compose(inner.map(), *outer), b);
}

Value view_slice(Operation* op, OpBuilder& b) {
  auto view = llvm::dyn_cast<ir::ViewOp>(op);
  if (!view || ir::rank_of(view.getOperand()) != ir::rank_of(view.getResult()))
    return {};
  llvm::SmallVector<int64_t> steps;
  const Shape shape = ir::shape_of(view.getResult());
  for (auto [dim, row] : llvm::enumerate(view.map().rows)) {
    int64_t step = row.coefficients[dim];
    row.coefficients[dim] = 0;
    if (shape[dim] == Extent(1))
      step = 1; // there is no next element
    if (step < 1 || llvm::any_of(row.coefficients, [](int64_t other) { return other != 0; }))
      return {};
    steps.push_back(step);
  }
  return ir::SliceOp::create(b, op->getLoc(), view.getType(), view.getOperand(),
                             view.getStartsAttr(), steps);
}

constexpr Rule kRules[] = {
    {"affine_gather",
     "x[a i + b] = view(x, a, b), where no place lies outside or the caller promises so",
     R"(%i = kolam.iota 0 : tensor<4x1xi64>
        %c = kolam.constant dense<3> : tensor<4x1xi64>
        %k = kolam.elementwise "subtract" %c, %i : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi64>
        %g = kolam.gather %x, %k "clip" dims [0] lengths [1] batched 0 : (tensor<4x6xf32>, tensor<4x1xi64>) -> tensor<4x1x6xf32>
        %r = kolam.squeeze %g [1] : tensor<4x1x6xf32> -> tensor<4x6xf32>)",
     affine_gather},
    {"gather_in_boxes",
     "x[(i + 1) mod n] = concat(x[1:], x[:1]), and others whose places are affine box by box",
     R"(%i = kolam.iota 0 : tensor<4x1xi64>
        %c = kolam.constant dense<1> : tensor<4x1xi64>
        %n = kolam.constant dense<4> : tensor<4x1xi64>
        %k = kolam.elementwise "add" %i, %c : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi64>
        %m = kolam.elementwise "remainder" %k, %n : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi64>
        %g = kolam.gather %x, %m "clip" dims [0] lengths [1] batched 0 : (tensor<4x6xf32>, tensor<4x1xi64>) -> tensor<4x1x6xf32>
        %r = kolam.squeeze %g [1] : tensor<4x1x6xf32> -> tensor<4x6xf32>)",
     gather_in_boxes},
    {"literal_slice", "dynamic_slice(x, literals) = x[literals :], moved to lie inside",
     R"(%i = kolam.constant dense<9> : tensor<i64>
        %j = kolam.constant dense<-1> : tensor<i64>
        %0 = kolam.dynamic_slice %x[%i, %j] : (tensor<4x6xf32>, tensor<i64>, tensor<i64>) -> tensor<2x6xf32>
        %r = kolam.concat %0, %0 dim 0 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>)",
     literal_slice},
    {"view_view",
     "view(view(x, a, b), c, d) = view(x, a c, a d + b); of any op that shows elements",
     R"(%0 = kolam.view %x <["3", "5"]> [-1, 0, 0, -1] : tensor<4x6xf32> -> tensor<4x6xf32>
        %r = kolam.reverse %0 [1] : tensor<4x6xf32> -> tensor<4x6xf32>)",
     view_view},
    {"view_slice", "view(x, diagonal of steps, starts) = x[starts::steps]",
     R"(%0 = kolam.view %x <["1", "0"]> [2, 0, 0, 1] : tensor<4x6xf32> -> tensor<2x6xf32>
        %r = kolam.concat %0, %0 dim 0 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>)",
     view_slice},
};

} // namespace

std::span<const Rule> view_rules() { return kRules; }

} // namespace kolam::rewrite
