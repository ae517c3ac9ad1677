// Follows integers through sums, multiples, divisions and remainders.
#include "kolam/ir/index_row.h"

#include "kolam/ir/literal_number.h"
#include "kolam/ir/ops.h"
#include "kolam/support/elementwise.h"

#include "llvm/ADT/SetVector.h"

namespace kolam::ir {
namespace {

using space::AffineRow;

std::optional<int64_t> number_of(const AffineRow& row) {
  return space::is_constant(row) ? row.offset.constant() : std::nullopt;
}

std::optional<AffineRow> number_row(std::optional<int64_t> number, size_t rank) {
  return number ? std::optional(AffineRow{std::vector<int64_t>(rank), *number}) : std::nullopt;
}

/// Whether numbers stay far from the ends of 64 bits.
bool is_small(int64_t number) { return number > -(int64_t{1} << 60) && number < int64_t{1} << 60; }

std::optional<AffineRow> scaled(AffineRow row, std::optional<int64_t> by) {
  if (!by || (*by != 1 && !space::is_affine(row)))
    return std::nullopt;
  for (int64_t& coefficient : row.coefficients)
    if (__builtin_mul_overflow(coefficient, *by, &coefficient) || !is_small(coefficient))
      return std::nullopt;
  if (auto offset = row.offset.constant()) {
    int64_t product = 0;
    if (__builtin_mul_overflow(*offset, *by, &product) || !is_small(product))
      return std::nullopt;
    row.offset = product;
    return row;
  }
  row.offset = row.offset * Extent(*by);
  return row;
}

std::optional<AffineRow> sum(AffineRow x, AffineRow y) {
  if (number_of(y) == 0)
    return x;
  if (number_of(x) == 0)
    return y;
  if (!space::is_affine(x) || !space::is_affine(y))
    return std::nullopt;
  for (auto [coefficient, other] : llvm::zip_equal(x.coefficients, y.coefficients))
    if (coefficient += other; !is_small(coefficient))
      return std::nullopt;
  x.offset = x.offset + y.offset;
  if (auto offset = x.offset.constant(); offset && !is_small(*offset))
    return std::nullopt;
  return x;
}

std::optional<AffineRow> quotient(AffineRow x, std::optional<int64_t> by) {
  int64_t divisor = 0;
  if (!by || *by < 1 || x.modulus != 0 || __builtin_mul_overflow(x.divisor, *by, &divisor))
    return std::nullopt;
  x.divisor = divisor;
  return space::simplify(x);
}

std::optional<AffineRow> remainder(AffineRow x, std::optional<int64_t> by) {
  if (!by || *by < 1 || x.modulus != 0)
    return std::nullopt;
  x.modulus = *by;
  return space::simplify(x);
}

std::optional<int64_t> literal(ConstantOp op) {
  std::optional<int64_t> number = literal_number(op);
  return number && is_small(*number) ? number : std::nullopt;
}

} // namespace

std::optional<AffineRow> index_row(mlir::Value value, size_t rank) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    if (argument.getArgNumber() >= rank)
      return std::nullopt;
    AffineRow coordinate{std::vector<int64_t>(rank), 0};
    coordinate.coefficients[argument.getArgNumber()] = 1;
    return coordinate;
  }
  if (dtype_of(value) != DType::i32 && dtype_of(value) != DType::i64)
    return std::nullopt; // narrower integers wrap
  mlir::Operation* op = value.getDefiningOp();
  if (auto constant = llvm::dyn_cast<ConstantOp>(op))
    return number_row(literal(constant), rank);
  if (auto extent = llvm::dyn_cast<ExtentOp>(op))
    return AffineRow{std::vector<int64_t>(rank), *Extent::parse(extent.getExpression())};
  if (auto cast = llvm::dyn_cast<CastOp>(op))
    return is_integer(dtype_of(cast.getOperand())) ? index_row(cast.getOperand(), rank)
                                                   : std::nullopt;
  auto function = llvm::dyn_cast<ElementwiseOp>(op);
  auto fn = function ? parse_fn(function.getFunction()) : std::nullopt;
  if (!fn || function.getOperands().size() != 2)
    return std::nullopt;
  auto x = index_row(function.getOperands()[0], rank),
       y = index_row(function.getOperands()[1], rank);
  if (!x || !y)
    return std::nullopt;
  switch (*fn) {
  case Fn::add:
    return sum(*x, *y);
  case Fn::subtract: {
    auto negative = scaled(*y, -1);
    return negative ? sum(*x, *negative) : std::nullopt;
  }
  case Fn::multiply:
    return number_of(*x) ? scaled(*y, number_of(*x)) : scaled(*x, number_of(*y));
  case Fn::floor_divide:
    return quotient(*x, number_of(*y));
  case Fn::remainder:
    return remainder(*x, number_of(*y));
  default:
    return std::nullopt;
  }
}

bool depends_on_data(mlir::Value value, size_t rank) {
  llvm::SetVector<mlir::Value> needed;
  needed.insert(value);
  for (size_t next = 0; next < needed.size(); ++next) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(needed[next])) {
      if (argument.getArgNumber() >= rank)
        return true;
      continue;
    }
    mlir::Operation* op = needed[next].getDefiningOp();
    needed.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

} // namespace kolam::ir
