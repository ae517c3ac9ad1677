// Composes random numbers from the generator's bits.
#include "kolam/language/random.h"

#include "kolam/language/activation.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/support/number.h"

#include <cmath>
#include <numbers>

namespace kolam::language {
namespace {

DType unsigned_dtype(int64_t width) {
  return width == 8 ? DType::u8 : width == 16 ? DType::u16 : width == 32 ? DType::u32 : DType::u64;
}

/// How a float dtype is filled from random bits.
struct UniformForm {
  int random_bits;   ///< drawn for one number
  int mantissa_bits; ///< of them used
  int64_t one;       ///< the bits of 1.0
};

UniformForm uniform_form(DType dtype) {
  switch (dtype) {
  case DType::f16:
    return {16, 10, 0x3c00};
  case DType::bf16:
    return {8, 7, 0x3f80};
  case DType::f32:
    return {32, 23, 0x3f800000};
  case DType::f64:
    return {64, 52, 0x3ff0000000000000};
  default:
    fail_argument(ErrorKind::type, "dtype-mismatch", "dtype", "a float dtype",
                  std::string(name(dtype)));
  }
}

void require_integer_scalar(std::string_view argument, Value value) {
  if (!is_integer(ir::dtype_of(value)))
    fail_argument(ErrorKind::type, "dtype-mismatch", argument, "an integer", describe(value));
  if (ir::rank_of(value) != 0)
    fail_argument(ErrorKind::value, "rank-mismatch", argument, "a scalar", describe(value));
}

/// The words (high, low) of 64-bit unsigned numbers along a new last dim.
Value to_words(Builder& b, Value numbers) {
  Shape shape = ir::shape_of(numbers);
  llvm::SmallVector<int64_t> dims;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    dims.push_back(static_cast<int64_t>(dim));
  shape.push_back(2);
  Value spread = ir::BroadcastOp::create(b, tensor_type(b, DType::u64, shape), numbers, dims);
  Value word = iota(b, shape, static_cast<int64_t>(dims.size()), DType::u64);
  // The high word is 32 bits up, the low word none.
  Value shift =
      elementwise(b, Fn::multiply,
                  {elementwise(b, Fn::bitwise_xor, {word, integer_constant(b, 1, DType::u64)}),
                   integer_constant(b, 32, DType::u64)});
  return cast(b, elementwise(b, Fn::bitwise_right_shift, {spread, shift}), DType::u32);
}

Value random_block(Builder& b, Value key, Value counter) {
  key = broadcast_to(b, key, ir::shape_of(counter));
  return ir::RandomBlockOp::create(b, counter.getType(), key, counter);
}

/// The highest value of an integer dtype, modulo 2^64.
uint64_t highest(DType dtype) {
  int bits = 8 * byte_width(dtype) - (is_signed_integer(dtype) ? 1 : 0);
  return ~uint64_t{0} >> (64 - bits);
}

int64_t lowest(DType dtype) {
  return is_signed_integer(dtype) ? -static_cast<int64_t>(highest(dtype)) - 1 : 0;
}

/// The highest value that both dtypes have, as a constant of `dtype`.
Value common_highest(Builder& b, DType dtype, DType other) {
  uint64_t value = std::min(highest(dtype), highest(other));
  return integer_constant(b, static_cast<int64_t>(value), dtype);
}

/// `x` brought into the range of an integer dtype and converted to it.
Value clip_to(Builder& b, Value x, DType dtype) {
  DType from = ir::dtype_of(x);
  Value low = integer_constant(b, std::max(lowest(from), lowest(dtype)), from);
  return cast(b, clip(b, x, low, common_highest(b, from, dtype)), dtype);
}

/// `x` in [low, high], as i32.
Value clip_between(Builder& b, Value x, int64_t low, int64_t high) {
  return cast(b,
              clip(b, clip_to(b, x, DType::i64), integer_constant(b, low, DType::i64),
                   integer_constant(b, high, DType::i64)),
              DType::i32);
}

void require_integers(std::string_view argument, Value value) {
  if (!is_integer(ir::dtype_of(value)))
    fail_argument(ErrorKind::type, "dtype-mismatch", argument, "integers", describe(value));
}

/// The number of values in [minval, maxval), modulo 2^width; 1 where there are none.
Value span_of(Builder& b, Value minval, Value maxval, Value goes_beyond, DType word) {
  Value is_empty = elementwise(b, Fn::less_equal, {maxval, minval});
  Value one = integer_constant(b, 1, word);
  Value span = cast(b, elementwise(b, Fn::subtract, {maxval, minval}), word);
  Value longer = elementwise(b, Fn::add, {span, one});
  span = elementwise(b, Fn::where, {goes_beyond, longer, span});
  return elementwise(b, Fn::where, {is_empty, one, span});
}

} // namespace

void require_key(Value key) {
  if (ir::dtype_of(key) != DType::u32 || ir::shape_of(key) != Shape{2})
    fail_argument(ErrorKind::type, "bad-key", "key", "a key, uint32[2]", describe(key));
}

Value make_key(Builder& b, Value seed) {
  require_integer_scalar("seed", seed);
  DType dtype = ir::dtype_of(seed);
  // A narrow seed sign-extends to 32 bits; its high word is 0, as in JAX.
  if (byte_width(dtype) < 8)
    seed = cast(b, cast(b, seed, DType::u32), DType::u64);
  return to_words(b, cast(b, seed, DType::u64));
}

Value constant_key(Builder& b, int64_t seed) {
  auto bits = static_cast<uint64_t>(seed);
  const uint32_t words[] = {static_cast<uint32_t>(bits >> 32), static_cast<uint32_t>(bits)};
  return make_constant(b, mlir::DenseElementsAttr::get(tensor_type(b, DType::u32, {2}),
                                                       llvm::ArrayRef<uint32_t>(words)));
}

Value split(Builder& b, Value key, const Extent& num) {
  require_key(key);
  require_shape(b, {num});
  return random_block(b, key, to_words(b, iota(b, {num}, 0, DType::u64)));
}

Value fold_in(Builder& b, Value key, Value data) {
  require_key(key);
  require_integer_scalar("data", data);
  Value word = cast(b, cast(b, data, DType::u32), DType::u64);
  return random_block(b, key, to_words(b, word));
}

Value bits(Builder& b, Value key, const Shape& shape, int64_t width, Generator generator) {
  require_key(key);
  require_shape(b, shape);
  if (width != 8 && width != 16 && width != 32 && width != 64)
    fail_argument(ErrorKind::value, "bad-width", "width", "8, 16, 32 or 64", std::to_string(width));
  return ir::RandomBitsOp::create(b, tensor_type(b, unsigned_dtype(width), shape), key,
                                  b.getStringAttr(name(generator)));
}

Value unit_uniform(Builder& b, Value key, const Shape& shape, DType dtype, Generator generator) {
  UniformForm form = uniform_form(dtype);
  DType word = unsigned_dtype(8 * byte_width(dtype));
  Value random = cast(b, bits(b, key, shape, form.random_bits, generator), word);
  Value unused = integer_constant(b, form.random_bits - form.mantissa_bits, word);
  Value mantissa = elementwise(b, Fn::bitwise_right_shift, {random, unused});
  Value one_to_two =
      elementwise(b, Fn::bitwise_or, {mantissa, integer_constant(b, form.one, word)});
  return elementwise(b, Fn::subtract,
                     {bitcast(b, one_to_two, dtype), weak_constant(b, 1.0, dtype)});
}

Value uniform(Builder& b, Value key, const Shape& shape, DType dtype, Value minval, Value maxval,
              Generator generator) {
  Value unit = unit_uniform(b, key, shape, dtype, generator);
  minval = broadcast_to(b, cast(b, minval, dtype), shape);
  maxval = broadcast_to(b, cast(b, maxval, dtype), shape);
  Value length = elementwise(b, Fn::subtract, {maxval, minval});
  Value shifted = elementwise(b, Fn::add, {elementwise(b, Fn::multiply, {unit, length}), minval});
  return elementwise(b, Fn::maximum, {minval, shifted});
}

Value randint(Builder& b, Value key, const Shape& shape, Value minval, Value maxval, DType dtype) {
  if (!is_integer(dtype))
    fail_argument(ErrorKind::type, "dtype-mismatch", "dtype", "an integer dtype",
                  std::string(name(dtype)));
  require_integers("minval", minval);
  require_integers("maxval", maxval);
  if (byte_width(dtype) < 4) {
    auto limit = static_cast<int64_t>(highest(dtype));
    minval = clip_between(b, minval, lowest(dtype), limit);
    maxval = clip_between(b, maxval, lowest(dtype), limit + 1);
    return cast(b, randint(b, key, shape, minval, maxval, DType::i32), dtype);
  }
  Value above =
      elementwise(b, Fn::greater, {maxval, common_highest(b, ir::dtype_of(maxval), dtype)});
  minval = broadcast_to(b, clip_to(b, minval, dtype), shape);
  maxval = broadcast_to(b, clip_to(b, maxval, dtype), shape);

  int64_t width = 8 * byte_width(dtype);
  DType word = unsigned_dtype(width);
  Value keys[2];
  for (int64_t child = 0; child < 2; ++child)
    keys[child] = random_block(b, key, to_words(b, integer_constant(b, child, DType::u64)));
  Value high = bits(b, keys[0], shape, width, Generator::threefry);
  Value low = bits(b, keys[1], shape, width, Generator::threefry);

  Value span = span_of(b, minval, maxval, above, word);
  auto modulo = [&](Value x) { return elementwise(b, Fn::remainder, {x, span}); };
  auto product = [&](Value x, Value y) { return elementwise(b, Fn::multiply, {x, y}); };
  // 2^width mod span, by the square of 2^(width / 2) mod span.
  Value root = modulo(integer_constant(b, int64_t{1} << (width / 2), word));
  Value scale = modulo(product(root, root));
  Value offset = modulo(elementwise(b, Fn::add, {product(modulo(high), scale), modulo(low)}));
  // A span of 2^width wrapped to 0: every value of the dtype is as likely.
  Value is_full = elementwise(b, Fn::equal, {span, integer_constant(b, 0, word)});
  offset = elementwise(b, Fn::where, {is_full, low, offset});
  return elementwise(b, Fn::add, {minval, cast(b, offset, dtype)});
}

Value bernoulli(Builder& b, Value key, Value p, const Shape& shape) {
  if (!is_float(ir::dtype_of(p)))
    p = cast(b, p, DType::f32);
  Value unit = unit_uniform(b, key, shape, ir::dtype_of(p), Generator::threefry);
  return elementwise(b, Fn::less, {unit, broadcast_to(b, p, shape)});
}

Value normal(Builder& b, Value key, const Shape& shape, DType dtype) {
  UniformForm form = uniform_form(dtype);
  // The float next to -1 toward 0: -1 itself would give minus infinity.
  Value lowest = weak_constant(b, std::ldexp(1.0, -form.mantissa_bits - 1) - 1, dtype);
  Value unit =
      uniform(b, key, shape, dtype, lowest, weak_constant(b, 1.0, dtype), Generator::threefry);
  return elementwise(
      b, Fn::multiply,
      {weak_constant(b, std::numbers::sqrt2, dtype), elementwise(b, Fn::erf_inv, {unit})});
}

Value dropout(Builder& b, Value key, Value x, double p) {
  if (!(p >= 0 && p <= 1))
    fail_argument(ErrorKind::value, "bad-probability", "p", "a number from 0 to 1", to_text(p));
  if (!is_float(ir::dtype_of(x)))
    x = cast(b, x, DType::f32);
  Value zero = weak_constant(b, 0.0, ir::dtype_of(x));
  if (p == 1)
    return broadcast_to(b, zero, ir::shape_of(x));
  Value kept = bernoulli(b, key, weak_constant(b, 1 - p, DType::f32), ir::shape_of(x));
  return elementwise(b, Fn::where, {kept, divide_by(b, x, 1 - p), zero});
}

} // namespace kolam::language
