// Follows integers through sums, differences and products with numbers.
#include "kolam/transform/kernels/affine.h"

#include "kolam/support/elementwise.h"
#include "kolam/transform/kernels/ranges.h"

namespace kolam::transform::kernels {
namespace {

std::optional<int64_t> constant_of(const Affine& x) {
  bool is_constant = llvm::all_of(x.factors, [](int64_t factor) { return factor == 0; });
  return is_constant ? std::optional(x.offset) : std::nullopt;
}

std::optional<Affine> scaled(Affine x, std::optional<int64_t> by) {
  if (!by)
    return std::nullopt;
  for (int64_t& factor : x.factors)
    if (__builtin_mul_overflow(factor, *by, &factor))
      return std::nullopt;
  if (__builtin_mul_overflow(x.offset, *by, &x.offset))
    return std::nullopt;
  return x;
}

std::optional<Affine> sum(Affine x, const Affine& y) {
  for (auto [factor, other] : llvm::zip_equal(x.factors, y.factors))
    if (__builtin_add_overflow(factor, other, &factor))
      return std::nullopt;
  if (__builtin_add_overflow(x.offset, y.offset, &x.offset))
    return std::nullopt;
  return x;
}

/// Whether integers of a dtype hold all that coordinates are summed to.
bool is_wide(mlir::Value value) {
  const DType dtype = ir::dtype_of(value);
  return dtype == DType::i32 || dtype == DType::i64;
}

} // namespace

bool may_wrap(const Affine& number, llvm::ArrayRef<int64_t> grid) {
  constexpr int64_t kMost = int64_t{1} << 30; // bound: twice as much is an i32
  if (number.offset < -kMost || number.offset > kMost)
    return true;
  int64_t sum = std::abs(number.offset);
  for (auto [factor, extent] : llvm::zip_equal(number.factors, grid)) {
    int64_t part = 0;
    if (factor == INT64_MIN || __builtin_mul_overflow(std::abs(factor), extent, &part) ||
        __builtin_add_overflow(sum, part, &sum))
      return true;
  }
  return sum > kMost;
}

std::optional<Affine> affine_of(mlir::Value value, size_t rank) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    if (argument.getArgNumber() >= rank)
      return std::nullopt;
    Affine coordinate{std::vector<int64_t>(rank), 0};
    coordinate.factors[argument.getArgNumber()] = 1;
    return coordinate;
  }
  mlir::Operation* op = value.getDefiningOp();
  if (!is_wide(value))
    return std::nullopt;
  if (llvm::isa<ir::ConstantOp>(op)) {
    auto range = Ranges().of(value);
    return range ? std::optional(Affine{std::vector<int64_t>(rank), range->least}) : std::nullopt;
  }
  if (auto cast = llvm::dyn_cast<ir::CastOp>(op))
    return is_integer(ir::dtype_of(cast.getOperand())) ? affine_of(cast.getOperand(), rank)
                                                       : std::nullopt;
  auto function = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!function || function.getOperands().size() != 2)
    return std::nullopt;
  auto x = affine_of(function.getOperands()[0], rank),
       y = affine_of(function.getOperands()[1], rank);
  auto fn = parse_fn(function.getFunction());
  if (!x || !y || !fn)
    return std::nullopt;
  switch (*fn) {
  case Fn::add:
    return sum(*x, *y);
  case Fn::subtract: {
    auto negative = scaled(*y, -1);
    return negative ? sum(*x, *negative) : std::nullopt;
  }
  case Fn::multiply:
    return constant_of(*x) ? scaled(*y, constant_of(*x)) : scaled(*x, constant_of(*y));
  default:
    return std::nullopt;
  }
}

} // namespace kolam::transform::kernels
