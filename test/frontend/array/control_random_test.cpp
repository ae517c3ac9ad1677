// Random programs of nested loops, branches and scans: interpreter against native code, bit for
// bit.
#include "kolam/kolam.h"

#include "test/frontend/array/both_backends.h"

#include <gtest/gtest.h>

#include <random>

namespace kolam {
namespace {

using Tensors = std::vector<Tensor>;

/// Writes a program while it is traced. All values it picks from are i32 vectors of one extent.
class Writer {
public:
  explicit Writer(unsigned seed) : random_(seed) {}

  /// Some values made from `pool`, by a few statements; bodies see what is around them.
  Tensors block(Tensors pool, int depth, size_t results) {
    int statements = pick(1, 4);
    for (int i = 0; i < statements; ++i)
      statement(pool, depth);
    Tensors chosen;
    for (size_t i = 0; i < results; ++i)
      chosen.push_back(any(pool));
    return chosen;
  }

private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  const Tensor& any(const Tensors& pool) {
    return pool[static_cast<size_t>(pick(0, static_cast<int>(pool.size()) - 1))];
  }
  void append(Tensors& pool, const Tensors& more) {
    pool.insert(pool.end(), more.begin(), more.end());
  }
  Tensors with(Tensors pool, const Tensors& more) {
    append(pool, more);
    return pool;
  }
  Tensor scalar(const Tensors& pool) { return sum(any(pool)); }

  void statement(Tensors& pool, int depth) {
    switch (depth == 0 ? pick(0, 2) : pick(0, 8)) {
    case 0:
      return pool.push_back(any(pool) + any(pool));
    case 1:
      return pool.push_back(any(pool) * 3 - any(pool));
    case 2:
      return pool.push_back(Tensor(any(pool)));
    case 3:
    case 4:
      return counted(pool, depth);
    case 5:
      return guarded(pool, depth);
    case 6:
      return branches(pool, depth);
    default:
      return stacked(pool, depth);
    }
  }

  Tensors states(const Tensors& pool) {
    Tensors init;
    for (int i = pick(0, 3); i > 0; --i)
      init.push_back(any(pool));
    return init;
  }

  void counted(Tensors& pool, int depth) {
    Tensors init = states(pool);
    append(pool, fori_loop(
                     pick(-1, 2), pick(0, 4),
                     [&](Tensor i, Tensors s) {
                       Tensors inner = with(pool, s);
                       inner.push_back(any(pool) + i);
                       return block(inner, depth - 1, s.size());
                     },
                     init));
  }

  void guarded(Tensors& pool, int depth) {
    using State = std::pair<Tensor, Tensors>;
    int limit = pick(0, 4);
    append(pool, while_loop([&](State s) { return s.first < limit; },
                            [&](State s) {
                              return State{s.first + 1,
                                           block(with(pool, s.second), depth - 1, s.second.size())};
                            },
                            State{Array::scalar(pick(0, 2)), states(pool)})
                     .second);
  }

  void branches(Tensors& pool, int depth) {
    size_t count = static_cast<size_t>(pick(1, 3));
    auto branch = [&] { return block(pool, depth - 1, count); };
    append(pool, cond(scalar(pool) > pick(-9, 9), branch, branch));
  }

  void stacked(Tensors& pool, int depth) {
    Tensors init = states(pool);
    // Vectors are scanned element by element: the y of all turns are a vector again.
    auto [last, ys] = scan(
        [&](Tensors s, Tensor x) {
          Tensors inner = with(pool, s);
          inner.push_back(any(pool) - x);
          Tensors next = block(inner, depth - 1, s.size());
          return std::pair{next, Tensors{x * 2, scalar(inner), sum(any(with(pool, next)))}};
        },
        init, any(pool), {.reverse = pick(0, 1) == 1});
    append(pool, last);
    append(pool, ys);
  }

  std::mt19937 random_;
};

void expect_equal_bits(unsigned seed, const Extent& extent, const std::vector<int64_t>& sizes) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  TensorSpec spec{DType::i32, {extent}};
  Program program =
      trace(std::vector{spec, spec}, [&](Tensors x) { return Writer(seed).block(x, 3, 4); });
  for (int64_t n : sizes) {
    std::vector<int32_t> x, y;
    for (int32_t i = 0; i < n; ++i) {
      x.push_back(3 * i - 2);
      y.push_back(7 - i * i);
    }
    std::vector<Array> arguments = {Array::of(x), Array::of(y)};
    std::vector<Array> meant = program.run(arguments, Backend::interpret);
    std::vector<Array> native = program.run(arguments, Backend::cpu);
    for (size_t i = 0; i < meant.size(); ++i)
      ASSERT_TRUE(runtime::same_bits(meant[i], native[i]))
          << "result " << i << " of size " << n << "\ninterpreted " << meant[i].to_string()
          << "\nnative " << native[i].to_string() << "\n"
          << program.as_text() << program.as_text("nests");
  }
}

TEST(ControlRandom, AgreesWithFixedExtents) {
  for (unsigned seed = 0; seed < 40; ++seed)
    expect_equal_bits(seed, seed % 4, {seed % 4});
}

TEST(ControlRandom, AgreesWithSymbolicExtents) {
  for (unsigned seed = 100; seed < 140; ++seed)
    expect_equal_bits(seed, Extent::symbol("n"), {0, 1, 3});
}

} // namespace
} // namespace kolam
