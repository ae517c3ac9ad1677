// Composes samples of random numbers, sorts and searches.
#include "kolam/language/sampling.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/nextafter.h"
#include "kolam/language/promotion.h"
#include "kolam/language/random.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/searchsorted.h"
#include "kolam/language/slice.h"
#include "kolam/language/sort.h"
#include "kolam/language/take.h"
#include "kolam/language/transpose.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace kolam::language {
namespace {

constexpr Generator kGenerator = Generator::threefry;

/// The least positive normal number of a float dtype.
double least_normal(DType dtype) {
  return dtype == DType::f16   ? 0x1p-14
         : dtype == DType::f64 ? std::numeric_limits<double>::min()
                               : std::numeric_limits<float>::min();
}

void require_float(DType dtype) {
  if (!is_float(dtype))
    fail_argument(ErrorKind::type, "dtype-mismatch", "dtype", "a float dtype",
                  std::string(name(dtype)));
}

int64_t constant_extent(const Extent& extent, std::string_view argument) {
  if (!extent.is_constant())
    fail_argument(ErrorKind::value, "symbolic-extent", argument,
                  "a number of elements that is known: the bits depend on it", extent.to_string());
  return *extent.constant();
}

/// Two keys made of one: row `i` of its split.
Value child(Builder& b, Value keys, int64_t i) {
  return squeeze(b, slice_dim(b, keys, 0, i, 1), Axes{0});
}

/// x sorted along `axis` by random keys of its shape, several times over.
Value shuffled(Builder& b, Value key, Value x, int64_t axis) {
  Shape shape = ir::shape_of(x);
  auto count =
      static_cast<double>(std::max<int64_t>(1, constant_extent(element_count(shape), "x")));
  double all = std::numeric_limits<uint32_t>::max();
  auto rounds = static_cast<int>(std::ceil(3 * std::log(count) / std::log(all)));
  for (int round = 0; round < rounds; ++round) {
    Value keys = split(b, key, 2);
    key = child(b, keys, 0);
    Value order = sort(b, bits(b, child(b, keys, 1), shape, 32, kGenerator), axis, false).indices;
    x = take_along_axis(b, x, order, axis);
  }
  return x;
}

/// logits + gumbel of `shape`, in the logits' dtype.
Value perturbed(Builder& b, Value key, Value logits, const Shape& shape) {
  Value noise = gumbel(b, key, shape, ir::dtype_of(logits));
  return elementwise(b, Fn::add, {noise, logits});
}

/// The places of the k greatest along `axis`, as new leading dims `prefix`.
Value greatest_places(Builder& b, Value x, int64_t axis, const Shape& prefix) {
  int64_t k = constant_extent(element_count(prefix), "shape");
  Extent extent = ir::shape_of(x)[axis];
  if (extent.is_constant() && k > *extent.constant())
    fail_argument(ErrorKind::value, "k-out-of-range", "shape",
                  "at most " + extent.to_string() + " draws, as each place is drawn once",
                  std::to_string(k));
  Value places = moveaxis(b, top_k(b, x, k, axis, true).indices, {axis}, {0});
  Shape shape = ir::shape_of(places);
  shape.erase(shape.begin());
  shape.insert(shape.begin(), prefix.begin(), prefix.end());
  return reshape(b, places, shape);
}

} // namespace

Value gumbel(Builder& b, Value key, const Shape& shape, DType dtype) {
  require_float(dtype);
  Value u = uniform(b, key, shape, dtype, weak_constant(b, least_normal(dtype), dtype),
                    weak_constant(b, 1.0, dtype), kGenerator);
  Value inner = elementwise(b, Fn::negative, {elementwise(b, Fn::log, {u})});
  return elementwise(b, Fn::negative, {elementwise(b, Fn::log, {inner})});
}

Value exponential(Builder& b, Value key, const Shape& shape, DType dtype) {
  require_float(dtype);
  Value u = unit_uniform(b, key, shape, dtype, kGenerator);
  Value log = elementwise(b, Fn::log1p, {elementwise(b, Fn::negative, {u})});
  return elementwise(b, Fn::negative, {log});
}

Value truncated_normal(Builder& b, Value key, Value lower, Value upper, const Shape& shape,
                       DType dtype) {
  require_float(dtype);
  Value root = weak_constant(b, std::numbers::sqrt2, dtype);
  lower = cast(b, lower, dtype);
  upper = cast(b, upper, dtype);
  auto share = [&](Value bound) {
    return elementwise(b, Fn::erf, {elementwise(b, Fn::divide, {bound, root})});
  };
  Value u = uniform(b, key, shape, dtype, share(lower), share(upper), kGenerator);
  Value x = elementwise(b, Fn::multiply, {root, elementwise(b, Fn::erf_inv, {u})});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value least = nextafter(b, lower, weak_constant(b, infinity, dtype));
  Value most = nextafter(b, upper, weak_constant(b, -infinity, dtype));
  return elementwise(b, Fn::minimum, {elementwise(b, Fn::maximum, {x, least}), most});
}

Value categorical(Builder& b, Value key, Value logits, int64_t axis,
                  const std::optional<Shape>& shape, bool replace) {
  if (!is_float(ir::dtype_of(logits)))
    logits = cast(b, logits, DType::f32);
  int64_t rank = ir::rank_of(logits);
  axis = normalize_axis(axis, rank);
  Shape of_logits = ir::shape_of(logits), batch = of_logits;
  batch.erase(batch.begin() + axis);
  Shape wanted = shape.value_or(batch);
  if (wanted.size() < batch.size())
    fail_argument(ErrorKind::value, "shape-mismatch", "shape",
                  "last dims for those of 'logits' without the axis, " + to_string(batch),
                  to_string(wanted));
  Shape prefix(wanted.begin(), wanted.end() - static_cast<int64_t>(batch.size()));
  Shape rows(wanted.begin() + static_cast<int64_t>(prefix.size()), wanted.end());
  rows.insert(rows.begin() + axis, of_logits[axis]);
  if (!replace) {
    if (rows != of_logits)
      fail_argument(ErrorKind::value, "shape-mismatch", "shape",
                    "last dims equal to those of 'logits' without the axis, " + to_string(batch),
                    to_string(wanted));
    return greatest_places(b, perturbed(b, key, logits, of_logits), axis, prefix);
  }
  Shape all = prefix;
  all.insert(all.end(), rows.begin(), rows.end());
  require_shape(b, all);
  Value x = perturbed(b, key, broadcast_to(b, logits, all), all);
  return argument(b, x, Fn::greater, {static_cast<int64_t>(prefix.size()) + axis});
}

Value permutation(Builder& b, Value key, Value x, int64_t axis, bool independent) {
  axis = normalize_axis(axis, ir::rank_of(x));
  if (independent || ir::rank_of(x) == 1)
    return shuffled(b, key, x, axis);
  Extent extent = ir::shape_of(x)[axis];
  Value places = iota(b, {extent}, 0, index_dtype({extent}));
  return take(b, x, shuffled(b, key, places, 0), axis);
}

Value choice(Builder& b, Value key, const Choice& choice) {
  int64_t draws = constant_extent(element_count(choice.shape), "shape");
  if (draws > 0)
    require_at_most(b, 1, choice.count, "empty-dim",
                    "argument 'a': expected elements to choose from, but got none");
  if (!choice.replace)
    require_at_most(b, draws, choice.count, "k-out-of-range",
                    "argument 'shape': expected at most " + choice.count.to_string() +
                        " draws, as each element is drawn once, but got " + std::to_string(draws));
  DType index = index_dtype({choice.count});
  Value places;
  if (!choice.p && choice.replace) {
    Value end = cast(b, extent_value(b, choice.count), index);
    places = randint(b, key, choice.shape, weak_constant(b, int64_t{0}, index), end, index);
  } else if (!choice.p) {
    places = shuffled(b, key, iota(b, {choice.count}, 0, index), 0);
    places = reshape(b, slice_dim(b, places, 0, 0, draws), choice.shape);
  } else {
    Value p = is_float(ir::dtype_of(choice.p)) ? choice.p : cast(b, choice.p, DType::f32);
    if (ir::rank_of(p) != 1)
      fail_argument(ErrorKind::value, "rank-mismatch", "p", "one share for each element",
                    describe(p));
    Extent extent = unify(b, choice.count, ir::shape_of(p)[0], "the elements and argument 'p'");
    p = with_shape(b, p, {extent});
    if (choice.replace) {
      Value sums = cumulative(b, p, Fn::add, 0, std::nullopt, false);
      DType dtype = ir::dtype_of(sums);
      Value total = take(b, sums, extent_value(b, extent - Extent(1)), 0);
      Value rest = elementwise(
          b, Fn::subtract,
          {weak_constant(b, 1.0, dtype), unit_uniform(b, key, choice.shape, dtype, kGenerator)});
      Value at = elementwise(b, Fn::multiply, {total, rest});
      places = searchsorted(b, sums, at, Side::left, {});
    } else {
      Value logits = elementwise(b, Fn::log, {p});
      Value x = perturbed(b, key, logits, {extent});
      places = greatest_places(b, x, 0, choice.shape);
    }
  }
  return choice.a ? take(b, choice.a, places, choice.axis) : places;
}

} // namespace kolam::language
