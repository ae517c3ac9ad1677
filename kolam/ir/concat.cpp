// kolam.concat: joins operands along a dimension.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/space/selector.h"

namespace kolam::ir {
namespace {

std::string piece_name(size_t number) { return "operand " + std::to_string(number); }

} // namespace

llvm::LogicalResult ConcatOp::verify() {
  mlir::ValueRange operands = getOperands();
  Shape shape = shape_of(getResult());
  int64_t dim = static_cast<int64_t>(getDim());
  if (failed(expect_at_least(*this, operands.size(), 1, "operand")) ||
      failed(expect_dims(*this, {dim}, shape.size(), DimOrder::any, "dim")))
    return mlir::failure();
  return without_overflow(*this, [&]() -> llvm::LogicalResult {
    Extent total = 0;
    for (auto [number, operand] : llvm::enumerate(operands)) {
      std::string what = piece_name(number);
      if (failed(expect_dtype(*this, operand, dtype_of(getResult()), what)) ||
          failed(expect_rank(*this, operand, shape.size(), what)))
        return mlir::failure();
      Shape expected = shape;
      expected[dim] = shape_of(operand)[dim];
      if (failed(expect_shape(*this, operand, expected, what)))
        return mlir::failure();
      total = total + expected[dim];
    }
    shape[dim] = total;
    return expect_shape(*this, getResult(), shape, "the result");
  });
}

/// Over the result: a point reads its element of the piece that has it; of the others it reads
/// nothing, their elements are outside.
space::Signature ConcatOp::signature() {
  std::vector<space::Operand> reads;
  int64_t rank = rank_of(getResult()), dim = static_cast<int64_t>(getDim());
  Extent before = 0;
  for (auto [number, operand] : llvm::enumerate(getOperands())) {
    space::Projection own = space::identity(static_cast<int>(rank));
    Shape shift(rank);
    shift[dim] = Extent(0) - before;
    reads.push_back(read("operand" + std::to_string(number), operand, space::translate(own, shift),
                         space::Policy::pad(int64_t{0})));
    before = before + shape_of(operand)[dim];
  }
  return over_result(*this, std::move(reads));
}

std::vector<space::Signature> ConcatOp::partial_writes() {
  std::vector<Shape> shapes;
  for (mlir::Value operand : getOperands())
    shapes.push_back(shape_of(operand));
  std::vector<space::Projection> places =
      space::concat_projections(shapes, static_cast<int>(getDim()));
  std::vector<space::Signature> writes;
  for (auto [number, operand] : llvm::enumerate(getOperands()))
    writes.push_back({name_of(*this),
                      map_dims(shapes[number]),
                      {read("operand" + std::to_string(number), operand,
                            space::identity(static_cast<int>(shapes[number].size()))),
                       write("result", getResult(), places[number])}});
  return writes;
}

} // namespace kolam::ir
