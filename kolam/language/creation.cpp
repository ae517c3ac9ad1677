// Makes values from shapes and numbers.
#include "kolam/language/creation.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kolam::language {
namespace {

constexpr int64_t kLargestIndex = std::numeric_limits<int32_t>::max();

Value zero_of(Builder& b, Value x) { return weak_constant(b, int64_t{0}, ir::dtype_of(x)); }

/// `x` along the given dims of a larger shape.
Value spread(Builder& b, Value x, const Shape& shape, llvm::ArrayRef<int64_t> dims) {
  return ir::BroadcastOp::create(b, tensor_type(b, ir::dtype_of(x), shape), x, dims);
}

/// rows[i, j] = i + k and columns[i, j] = j, of one dtype that holds both.
struct Positions {
  Value rows, columns;
};

Positions positions(Builder& b, const Extent& rows, const Extent& columns, int64_t k) {
  // A diagonal outside of every matrix stands for all that lie there.
  constexpr int64_t kOutside = int64_t{1} << 40;
  k = std::clamp(k, -kOutside, kOutside);
  DType dtype = index_dtype({rows + Extent(std::abs(k)), columns});
  Value shifted =
      elementwise(b, Fn::add, {iota(b, {rows, columns}, 0, dtype), integer_constant(b, k, dtype)});
  return {shifted, iota(b, {rows, columns}, 1, dtype)};
}

/// Whether an op of `block` binds the symbol: those behind the place of insertion are not there
/// yet.
bool is_bound_in(mlir::Block& block, const std::string& symbol) {
  auto holds = [&](mlir::Attribute attr) {
    return llvm::cast<mlir::StringAttr>(attr).getValue() == symbol;
  };
  return llvm::any_of(block, [&](mlir::Operation& op) {
    if (auto bind = llvm::dyn_cast<ir::BindExtentOp>(op))
      return bind.getSymbol() == symbol;
    auto unpack = llvm::dyn_cast<ir::UnpackOp>(op);
    return unpack && llvm::any_of(unpack.getSymbols(), holds);
  });
}

bool is_extent_of_argument(mlir::Block& block, const std::string& symbol) {
  return llvm::any_of(block.getArgumentTypes(), [&](mlir::Type type) {
    return llvm::isa<mlir::RankedTensorType>(type) &&
           llvm::is_contained(ir::shape_of(type), Extent::symbol(symbol));
  });
}

/// Throws `[extent-unbound]` for a symbol that is an extent of no argument, and that no op has
/// bound.
void require_bound(Builder& b, const Shape& shape, std::string_view argument) {
  llvm::SmallVector<mlir::Block*> blocks;
  mlir::Block* block = b.getInsertionBlock();
  while (block && block->getParentOp()) {
    blocks.push_back(block);
    if (llvm::isa<mlir::func::FuncOp>(block->getParentOp()))
      break;
    block = block->getParentOp()->getBlock();
  }
  if (!block || !block->getParentOp())
    return; // a region under construction has no parent yet: what surrounds it is not seen from
            // here
  auto is_bound = [&](const std::string& symbol) {
    return llvm::any_of(blocks, [&](mlir::Block* around) {
      return is_extent_of_argument(*around, symbol) || is_bound_in(*around, symbol);
    });
  };
  for (const Extent& extent : shape)
    for (const std::string& symbol : extent.symbols())
      if (!is_bound(symbol))
        fail_argument(ErrorKind::value, "extent-unbound", argument,
                      "symbols that are extents of the program's arguments", "'" + symbol + "'");
}

} // namespace

void require_shape(Builder& b, const Shape& shape) {
  for (const Extent& extent : shape)
    if (extent.constant().value_or(0) < 0)
      fail_argument(ErrorKind::value, "extent-negative", "shape", "extents >= 0", to_string(shape));
  require_bound(b, shape, "shape");
}

DType index_dtype(const Shape& extents) {
  for (const Extent& extent : extents)
    if (extent.constant().value_or(kLargestIndex + 1) > kLargestIndex)
      return DType::i64;
  return DType::i32;
}

Value integer_constant(Builder& b, int64_t value, DType dtype) {
  if (!is_integer(dtype))
    return weak_constant(b, value, dtype);
  auto type = tensor_type(b, dtype, {});
  llvm::APInt bits(64, static_cast<uint64_t>(value));
  return make_constant(b, mlir::DenseElementsAttr::get(type, bits.trunc(8 * byte_width(dtype))));
}

Value extent_scalar(Builder& b, const Extent& extent, DType dtype) {
  require_bound(b, {extent}, "value");
  if (!is_integer(dtype) || dtype == DType::i64)
    return cast(b, extent_value(b, extent), dtype);
  std::string message = "expected an extent in the range of " + std::string(name(dtype)) +
                        ", but got " + extent.to_string();
  int bits = 8 * byte_width(dtype) - (is_signed_integer(dtype) ? 1 : 0);
  int64_t lowest = is_signed_integer(dtype) ? -(int64_t{1} << bits) : 0;
  require_at_most(b, lowest, extent, "scalar-does-not-fit", message);
  if (bits < 63)
    require_at_most(b, extent, (int64_t{1} << bits) - 1, "scalar-does-not-fit", message);
  return cast(b, extent_value(b, extent), dtype);
}

Value iota(Builder& b, const Shape& shape, int64_t dim, DType dtype) {
  return ir::IotaOp::create(b, tensor_type(b, dtype, shape), b.getI64IntegerAttr(dim));
}

Value full(Builder& b, const Shape& shape, Value value) {
  require_shape(b, shape);
  return broadcast_to(b, value, shape);
}

Value eye(Builder& b, const Extent& rows, const Extent& columns, int64_t k, DType dtype) {
  require_shape(b, {rows, columns});
  auto [row, column] = positions(b, rows, columns, k);
  return cast(b, elementwise(b, Fn::equal, {row, column}), dtype);
}

Value triangle(Builder& b, Value x, Triangle kept, int64_t k) {
  Shape shape = ir::shape_of(x);
  if (shape.size() < 2)
    fail_argument(ErrorKind::value, "rank-mismatch", "x", "at least 2 dims", describe(x));
  auto [row, column] = positions(b, shape[shape.size() - 2], shape.back(), k);
  Fn keeps = kept == Triangle::lower ? Fn::less_equal : Fn::greater_equal;
  return elementwise(b, Fn::where, {elementwise(b, keeps, {column, row}), x, zero_of(b, x)});
}

Value one_hot(Builder& b, Value x, const Extent& depth, DType dtype) {
  DType given = ir::dtype_of(x);
  if (!is_integer(given))
    fail_argument(ErrorKind::type, "dtype-mismatch", "x", "integers", describe(x));
  Shape shape = ir::shape_of(x);
  llvm::SmallVector<int64_t> dims(shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  shape.push_back(depth);
  require_shape(b, shape);
  bool narrow = given == DType::i32 || byte_width(given) < 4;
  DType compared = narrow ? index_dtype({depth}) : DType::i64;
  Value classes = iota(b, shape, static_cast<int64_t>(dims.size()), compared);
  Value wanted = spread(b, cast(b, x, compared), shape, dims);
  return cast(b, elementwise(b, Fn::equal, {wanted, classes}), dtype);
}

Values meshgrid(Builder& b, const Values& values, bool swapped) {
  Shape shape;
  for (auto [number, value] : llvm::enumerate(values)) {
    if (ir::rank_of(value) > 1)
      fail_argument(ErrorKind::value, "rank-mismatch", "arrays[" + std::to_string(number) + "]",
                    "at most 1 dim", describe(value));
    shape.push_back(ir::rank_of(value) == 0 ? Extent(1) : ir::shape_of(value)[0]);
  }
  auto dim_of = [&](size_t number) {
    return static_cast<int64_t>(swapped && number < 2 && values.size() > 1 ? 1 - number : number);
  };
  if (swapped && shape.size() > 1)
    std::swap(shape[0], shape[1]);
  Values results;
  for (auto [number, value] : llvm::enumerate(values)) {
    llvm::SmallVector<int64_t> dims;
    if (ir::rank_of(value) == 1)
      dims.push_back(dim_of(number));
    results.push_back(spread(b, value, shape, dims));
  }
  return results;
}

Value linspace(Builder& b, Value start, Value stop, const Extent& num, bool endpoint,
               std::optional<DType> dtype) {
  require_shape(b, {num});
  for (auto [name, value] : {std::pair("start", start), std::pair("stop", stop)})
    if (ir::rank_of(value) != 0)
      fail_argument(ErrorKind::value, "rank-mismatch", name, "a scalar", describe(value));
  DType common = promote(ir::dtype_of(start), ir::dtype_of(stop));
  DType result = dtype.value_or(is_float(common) ? common : DType::f32);
  if (!is_float(result))
    fail_argument(ErrorKind::type, "dtype-mismatch", "dtype", "a float dtype",
                  std::string(name(result)));
  return linspace_at(b, iota(b, {num}, 0, DType::f64), start, stop, num, endpoint, result);
}

Value linspace_at(Builder& b, Value places, Value start, Value stop, const Extent& num,
                  bool endpoint, DType dtype) {
  start = cast(b, start, DType::f64);
  stop = cast(b, stop, DType::f64);
  Value i = cast(b, places, DType::f64);
  // With one point the divisor 1 is never reached, and the point is `start`.
  Value divisor = cast(b, extent_value(b, max(endpoint ? num - 1 : num, 1)), DType::f64);
  Value step = elementwise(b, Fn::divide, {elementwise(b, Fn::subtract, {stop, start}), divisor});
  Value points = elementwise(b, Fn::add, {start, elementwise(b, Fn::multiply, {i, step})});
  if (endpoint)
    points = elementwise(b, Fn::where, {elementwise(b, Fn::equal, {i, divisor}), stop, points});
  return cast(b, points, dtype);
}

Value bitcast(Builder& b, Value x, DType dtype) {
  DType from = ir::dtype_of(x);
  if (from == DType::boolean || dtype == DType::boolean || byte_width(from) != byte_width(dtype))
    fail_argument(ErrorKind::type, "dtype-mismatch", "dtype",
                  "a dtype of " + std::to_string(8 * byte_width(from)) +
                      " bits, none of the two bool",
                  std::string(name(from)) + " to " + std::string(name(dtype)));
  return ir::BitcastOp::create(b, tensor_type(b, dtype, ir::shape_of(x)), x);
}

} // namespace kolam::language
