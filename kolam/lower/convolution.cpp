// Elements of kolam.convolution: a loop over window positions and channels.
#include "kolam/lower/ops.h"
#include "kolam/lower/product_arithmetic.h"
#include "kolam/lower/scalar_builder.h"

namespace kolam::lower {
namespace {

/// 0 <= x < upper.
Value is_inside(const Coordinate& x, Value upper, Emission& e) {
  if (e.is_less(x, e.i64(0)) == false && e.is_less(x, upper) == true)
    return e.constant(DType::boolean, 1);
  return e.compare(mlir::arith::CmpIPredicate::ult, x, upper);
}

} // namespace

Values emit_cells(ir::ConvolutionOp op, IndexSpan index, Emission& e) {
  Values input = e.shape(op.getInput()), filter = e.shape(op.getFilter());
  size_t rank = input.size() - 2;
  Values summed(filter.begin(), filter.end() - 1);
  // No output element is computed where there are no output channels, so the divisor is positive
  // where it is used.
  Value outputs = e.extent(floordiv(ir::shape_of(op.getFilter()).back(), op.getGroups()));
  Value divisor = mlir::arith::MaxSIOp::create(e.b, outputs, e.i64(1));
  ScalarBuilder s(e.b);
  Coordinate group = e.i64(0);
  if (op.getGroups() > 1)
    group = Coordinate::of(s.udiv(e.value(index.back()), divisor));
  Coordinate first_channel = e.mul(group, summed.back());

  auto factors = [&](IndexSpan places) {
    Index cell(places), input_cell{index[0]};
    Value inside = mlir::arith::ConstantIntOp::create(e.b, 1, 1);
    for (size_t dim = 0; dim < rank; ++dim) {
      Coordinate place = e.sub(e.add(e.mul(index[dim + 1], e.i64(op.getStrides()[dim])),
                                     e.mul(cell[dim], e.i64(op.getDilation()[dim]))),
                               e.i64(op.getLow()[dim]));
      if (op.getLow()[dim] > 0 || op.getHigh()[dim] > 0) // else no window has what is padded
        inside = s.and_(inside, is_inside(place, input[dim + 1], e));
      input_cell.push_back(place);
    }
    input_cell.push_back(e.add(first_channel, cell.back()));
    Value padded = e.choose(
        inside, [&] { return Values{e.cell(op.getInput(), input_cell)}; },
        [&] { return Values{e.constant(ir::dtype_of(op.getInput()), 0)}; })[0];
    cell.push_back(index.back());
    return Terms{{padded}, {e.cell(op.getFilter(), cell)}, {}};
  };
  ProductArithmetic product(ir::dtype_of(op.getInput()), ir::dtype_of(op.getResult()), e);
  Values sum = e.sums(product, ir::accumulate_of(op.getAccumulate()), summed, 1, factors);
  return {product.result(sum[0])};
}

} // namespace kolam::lower
