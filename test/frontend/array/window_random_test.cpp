// gather and scatter against a brute force on random cases: dtypes, modes, dims in any order,
// batched dims, places in and out of bounds.
#include "test/frontend/array/both_backends.h"

#include <random>

namespace kolam {
namespace {

using test::run_both;
using Indices = std::vector<int64_t>;

constexpr int kCases = 300;

/// A random call: shapes, dims and places.
struct Case {
  int64_t batched;
  Indices shape, batch, window, dims; // batch includes the batched dims
  std::vector<__int128> places;       // one per batch and column
  DType index_dtype;
  Array indices;
  bool symbolic_batch;

  Indices update_shape() const {
    Indices result = batch;
    result.insert(result.end(), window.begin(), window.end());
    return result;
  }
  Indices lengths() const {
    Indices result;
    for (int64_t dim : dims)
      result.push_back(window[dim]);
    return result;
  }
};

int64_t product(const Indices& shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

Indices unravel(int64_t number, const Indices& shape) {
  Indices index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; number /= shape[dim])
    index[dim] = number % shape[dim];
  return index;
}

int64_t ravel(const Indices& index, const Indices& shape) {
  int64_t number = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    number = number * shape[dim] + index[dim];
  return number;
}

class Generator {
public:
  explicit Generator(uint32_t seed) : random_(seed) {}
  int64_t below(int64_t end) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(end));
  }

  Case make_case() {
    Case c;
    c.batched = below(3);
    int64_t rank = below(4);
    for (int64_t d = 0; d < c.batched + rank; ++d)
      c.shape.push_back(below(8) == 0 ? 0 : 1 + below(4));
    c.batch.assign(c.shape.begin(), c.shape.begin() + c.batched);
    for (int64_t d = below(3); d > 0; --d)
      c.batch.push_back(below(8) == 0 ? 0 : 1 + below(4));
    c.window.assign(c.shape.begin() + c.batched, c.shape.end());
    for (int64_t dim = 0; dim < rank; ++dim)
      if (below(3) > 0)
        c.dims.push_back(dim);
    std::shuffle(c.dims.begin(), c.dims.end(), random_);
    for (int64_t dim : c.dims)
      c.window[dim] = below(c.window[dim] + 1);
    c.symbolic_batch = below(4) == 0;
    constexpr DType integers[] = {DType::i8, DType::i16, DType::i32, DType::i64,
                                  DType::u8, DType::u16, DType::u32, DType::u64};
    c.index_dtype = integers[below(8)];
    make_places(c);
    return c;
  }

  template <class T> Array values(const Indices& shape) {
    Array array = Array::uninitialized(dtype_of<T>(), shape);
    for (T& value : array.template mutable_values<T>())
      if constexpr (std::is_floating_point_v<T>)
        value = below(12) == 0 ? std::numeric_limits<T>::quiet_NaN() : T(below(2000) - 1000) / 7;
      else
        value = static_cast<T>(random_());
    return array;
  }

private:
  void make_places(Case& c) {
    Indices shape = c.batch;
    shape.push_back(static_cast<int64_t>(c.dims.size()));
    c.indices = Array::uninitialized(c.index_dtype, shape);
    visit_dtype(c.index_dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T>) {
        for (T& value : c.indices.template mutable_values<T>()) {
          int64_t kind = below(16);
          value = kind == 0   ? std::numeric_limits<T>::max()
                  : kind == 1 ? std::numeric_limits<T>::min()
                              : static_cast<T>(below(7) - 2);
          c.places.push_back(value);
        }
      }
    });
  }

  std::mt19937 random_;
};

/// The place of element `offset` of a batch's window, or nullopt for a window that is left out or
/// filled.
std::optional<Indices> place(const Case& c, int64_t batch_number, const Indices& offset,
                             const std::string& mode) {
  Indices batch = unravel(batch_number, c.batch);
  Indices target(batch.begin(), batch.begin() + c.batched);
  std::vector<__int128> start(c.window.size(), 0);
  for (size_t column = 0; column < c.dims.size(); ++column)
    start[c.dims[column]] = c.places[batch_number * c.dims.size() + column];
  for (size_t dim = 0; dim < c.window.size(); ++dim) {
    __int128 extent = c.shape[c.batched + dim], last = extent - c.window[dim];
    __int128 at = start[dim];
    if ((mode == "fill" || mode == "drop") && (at < 0 || at > last))
      return std::nullopt;
    if (mode == "clip")
      at = at < 0 ? 0 : at > last ? last : at;
    at += offset[dim];
    if (mode == "wrap")
      at = (at % extent + extent) % extent;
    if (at < 0 || at >= extent)
      return std::nullopt;
    target.push_back(static_cast<int64_t>(at));
  }
  return target;
}

/// Specs whose batch dims after the batched ones are symbols, where the case says so.
std::vector<TensorSpec> specs_of(const Case& c, const std::vector<Array>& arrays) {
  std::vector<TensorSpec> specs = test::static_specs(arrays);
  if (!c.symbolic_batch)
    return specs;
  for (size_t i = 1; i < arrays.size(); ++i)
    for (size_t dim = c.batched; dim < c.batch.size(); ++dim)
      specs[i].shape[dim] = Extent::symbol("n" + std::to_string(dim));
  return specs;
}

template <class T> T fill() {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::quiet_NaN();
  else
    return std::is_signed_v<T> ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

template <class T> void check_gather(Generator& random, const std::string& mode) {
  Case c = random.make_case();
  Array x = random.values<T>(c.shape);
  Array expected = Array::uninitialized(dtype_of<T>(), c.update_shape());
  auto in = x.values<T>();
  auto out = expected.mutable_values<T>();
  int64_t cells = product(c.window);
  for (int64_t i = 0; i < expected.size(); ++i) {
    auto target = place(c, i / cells, unravel(i % cells, c.window), mode);
    out[i] = target ? in[ravel(*target, c.shape)] : fill<T>();
  }
  std::vector<Array> arrays{x, c.indices};
  Array actual = run_both(specs_of(c, arrays), arrays, [&](std::vector<Tensor> v) {
    return std::vector{gather(v[0], v[1], c.dims, c.lengths(), c.batched, mode)};
  })[0];
  ASSERT_TRUE(runtime::same_bits(actual, expected)) << mode << " " << c.indices.to_string() << "\n"
                                                    << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

template <class T> T combined(const std::string& rmw_op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    if (rmw_op == "kAdd")
      return static_cast<T>(x + y);
    if (rmw_op == "kMul")
      return static_cast<T>(x * y);
  }
  if (rmw_op == "kAdd")
    return static_cast<T>(a + b);
  if (rmw_op == "kMul")
    return static_cast<T>(a * b);
  if (rmw_op == "kMin")
    return b < a ? b : a;
  if (rmw_op == "kMax")
    return b > a ? b : a;
  return b;
}

template <class T>
void check_scatter(Generator& random, const std::string& rmw_op, const std::string& mode) {
  Case c = random.make_case();
  Array x = random.values<T>(c.shape), update = random.values<T>(c.update_shape());
  Array expected = Array::copy_of(x.dtype(), x.shape(), x.data());
  auto in = update.values<T>();
  auto out = expected.mutable_values<T>();
  int64_t cells = product(c.window);
  for (int64_t i = 0; i < update.size(); ++i)
    if (auto target = place(c, i / cells, unravel(i % cells, c.window), mode)) {
      T& cell = out[ravel(*target, c.shape)];
      cell = combined(rmw_op, cell, in[i]);
    }
  std::vector<Array> arrays{x, update, c.indices};
  Array actual = run_both(specs_of(c, arrays), arrays, [&](std::vector<Tensor> v) {
    return std::vector{scatter(v[0], v[1], v[2], c.dims, rmw_op, false, c.batched, mode)};
  })[0];
  ASSERT_TRUE(runtime::same_bits(actual, expected))
      << rmw_op << " " << mode << " " << c.indices.to_string() << "\n"
      << actual.to_string() << "\nexpected\n"
      << expected.to_string();
}

/// Calls `check.template operator()<T>()` with one of several element types.
template <class Check> void with_type(int64_t number, Check check) {
  switch (number) {
  case 0:
    return check.template operator()<float>();
  case 1:
    return check.template operator()<double>();
  case 2:
    return check.template operator()<int8_t>();
  case 3:
    return check.template operator()<int32_t>();
  case 4:
    return check.template operator()<uint16_t>();
  default:
    return check.template operator()<uint64_t>();
  }
}

TEST(WindowRandom, Gather) {
  const uint32_t seed = std::random_device()();
  Generator random(seed);
  const std::string modes[] = {"clip", "fill", "wrap"};
  for (int i = 0; i < kCases && !HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
    with_type(random.below(6), [&]<class T>() { check_gather<T>(random, modes[random.below(3)]); });
  }
}

TEST(WindowRandom, Scatter) {
  const uint32_t seed = std::random_device()();
  Generator random(seed);
  const std::string modes[] = {"drop", "element", "clip"};
  const std::string combiners[] = {"kUpdate", "kAdd", "kMul", "kMin", "kMax"};
  for (int i = 0; i < kCases && !HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
    with_type(random.below(6), [&]<class T>() {
      check_scatter<T>(random, combiners[random.below(5)], modes[random.below(3)]);
    });
  }
}

} // namespace
} // namespace kolam
