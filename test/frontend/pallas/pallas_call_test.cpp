// Kernels over blocks in C++: results, order, memory and wrong calls.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam::pallas {
namespace {

using Refs = std::vector<Ref>;
using Point = std::vector<Tensor>;

template <class T> std::vector<T> elements(const Tensor& x) {
  auto values = x.array().values<T>();
  return {values.begin(), values.end()};
}

Tensor count(int32_t n) { return arange(n, DType::i32); }

TEST(PallasCall, AddsBlocks) {
  BlockSpec block{{{2}}, [](const Point& at, const Refs&) { return at; }};
  Call call{.out_shape = {{DType::i32, {8}}},
            .grid = {4},
            .in_specs = {block, block},
            .out_specs = {block}};
  Tensor sum = pallas_call([](const Refs& refs) { refs[2].set(refs[0].get() + refs[1].get()); },
                           call, {count(8), count(8)})[0];
  EXPECT_EQ(elements<int32_t>(sum), (std::vector<int32_t>{0, 2, 4, 6, 8, 10, 12, 14}));
}

TEST(PallasCall, KeepsScratchFromPointToPoint) {
  Call call{.out_shape = {{DType::i32, {4}}},
            .grid = {4},
            .in_specs = {{{{1}}, [](const Point& at, const Refs&) { return at; }}},
            .out_specs = {{{{1}}, [](const Point& at, const Refs&) { return at; }}},
            .scratch_shapes = {{DType::i32, {1}}}};
  Tensor sums = pallas_call(
      [](const Refs& refs) {
        refs[2].set(refs[2].get() + refs[0].get());
        refs[1].set(refs[2].get());
      },
      call, {count(4)})[0];
  EXPECT_EQ(elements<int32_t>(sums), (std::vector<int32_t>{0, 1, 3, 6}));
}

TEST(PallasCall, RunsBranchesAndLoops) {
  Call call{.out_shape = {{DType::i32, {6}}}};
  Tensor y = pallas_call(
      [](const Refs& refs) {
        loop(0, 6, [&](const Tensor& i) {
          when(i % 2 == 0, [&] { refs[1].at({i}).set(refs[0].at({i}).get() * 10); });
        });
      },
      call, {count(6)})[0];
  EXPECT_EQ(elements<int32_t>(y), (std::vector<int32_t>{0, 0, 20, 0, 40, 0}));
}

TEST(PallasCall, WindowsOverlapAndPad) {
  BlockSpec window{{{Element(3, 1, 1)}}, [](const Point& at, const Refs&) { return at; }, -1};
  BlockSpec one{{{squeezed}}, [](const Point& at, const Refs&) { return at; }};
  Call call{
      .out_shape = {{DType::i32, {4}}}, .grid = {4}, .in_specs = {window}, .out_specs = {one}};
  Tensor sums = pallas_call(
      [](const Refs& refs) { refs[1].set(sum(refs[0].get(), {}, {.dtype = DType::i32})); }, call,
      {count(4)})[0];
  EXPECT_EQ(elements<int32_t>(sums), (std::vector<int32_t>{0, 3, 6, 4}));
}

TEST(PallasCall, AtomicsGiveWhatTheyFound) {
  Call call{.out_shape = {{DType::i32, {2}}, {DType::i32, {3}}}};
  auto results = pallas_call(
      [](const Refs& refs) {
        Ref twice = refs[1].at({refs[0].get()});
        refs[2].set(atomic_add(twice, 5));
      },
      call, {Array({1, 0, 1})});
  EXPECT_EQ(elements<int32_t>(results[0]), (std::vector<int32_t>{5, 10}));
  EXPECT_EQ(elements<int32_t>(results[1]), (std::vector<int32_t>{0, 0, 5}));
}

std::string error_of(const Call& call, const std::function<void(const Refs&)>& kernel,
                     const std::vector<Operand>& inputs) {
  try {
    pallas_call(kernel, call, inputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_in(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(PallasCall, RefusesWhatDoesNotFit) {
  auto nothing = [](const Refs&) {};
  TensorSpec four{DType::i32, {4}};
  BlockSpec flat{{{2, 2}}, {}};
  expect_in(error_of({.out_shape = {four}, .in_specs = {flat}}, nothing, {count(4)}),
            "Block shape for args[0] of 2 dims must have the same number of dimensions");
  expect_in(error_of({.out_shape = {four}, .out_specs = {flat}}, nothing, {}),
            "Block shape for outputs[0]");
  BlockSpec two{{{2}}, [](const Point& at, const Refs&) { return Point{at[0], at[0]}; }};
  expect_in(error_of({.out_shape = {four}, .grid = {2}, .out_specs = {two}}, nothing, {}),
            "must return 1 values to match its block shape. Currently returning 2 values.");
  BlockSpec real{{{2}}, [](const Point&, const Refs&) { return Point{Tensor(1.5f)}; }};
  expect_in(error_of({.out_shape = {four}, .grid = {2}, .out_specs = {real}}, nothing, {}),
            "must return integer scalars. Output[0] has type float32");
  expect_in(error_of({.out_shape = {four}, .input_output_aliases = {{2, 0}}}, nothing, {count(4)}),
            "contains the mapping '2:0' with input index 2 outside the range [0, 1)");
  expect_in(error_of({.out_shape = {four}, .input_output_aliases = {{0, 1}}}, nothing, {count(4)}),
            "with output index 1 outside the range [0, 1)");
  expect_in(error_of({.out_shape = {four}, .input_output_aliases = {{0, 0}}}, nothing, {count(3)}),
            "with a different abstract value int32[4]");
  expect_in(
      error_of({.out_shape = {four}, .grid = {-1}}, nothing, {}),
      "argument 'grid': expected extents from 0 to 2147483647 and integer scalars, but got -1");
  expect_in(error_of({.out_shape = {four}}, [](const Refs& refs) { refs[0].at({7}); }, {}),
            "index-out-of-range");
  expect_in(error_of({.out_shape = {four}}, [](const Refs& refs) { refs[0].at({ds(0, 5)}); }, {}),
            "inside dim 0 of extent 4, but got ds(0, 5, 1)");
  expect_in(error_of({.out_shape = {four}}, [](const Refs& refs) { refs[0].set(count(3)); }, {}),
            "shape-mismatch");
  expect_in(error_of({.out_shape = {four}}, [](const Refs& refs) { refs[0].set(1); }, {count(4)}),
            "but got that of args[0]");
  std::optional<Ref> kept;
  pallas_call([&](const Refs& refs) { kept = refs[0]; }, {.out_shape = {four}}, {});
  EXPECT_THROW(kept->get(), Error);
  EXPECT_THROW(program_id(0), Error);
}

const auto own_number = [](const Point& at, const Refs&) { return at; };
BlockSpec blocks_of(int64_t size) { return {{{size}}, own_number}; }

TEST(PallasCall, SaysHowMuchOfABlockIsValid) {
  Call call{.out_shape = {{DType::i32, {3}}},
            .grid = {3},
            .in_specs = {blocks_of(4)},
            .out_specs = {{{{squeezed}}, own_number}}};
  for (bool interpreted : {false, true}) {
    call.interpret = interpreted ? std::optional(InterpretParams()) : std::nullopt;
    Tensor valid = pallas_call([](const Refs& refs) { refs[1].set(refs[0].valid_shape()[0]); },
                               call, {count(10)})[0];
    EXPECT_EQ(elements<int32_t>(valid), (std::vector<int32_t>{4, 4, 2}));
  }
}

TEST(PallasCall, TakesBoundedAndChosenElements) {
  Call call{.out_shape = {{DType::i32, {2, 3}}},
            .grid = {2},
            .out_specs = {{{{squeezed, 3}},
                           [](const Point& at, const Refs&) { return Point{at[0], Tensor(0)}; }}}};
  auto copy = [](const Refs& refs) { refs[1].set(refs[0].get()); };
  call.in_specs = {{{{BoundedSlice(3)}}, [](const Point& at, const Refs&) {
                      return Point{stack({at[0] * 2 + 1, at[0] + 1})};
                    }}};
  EXPECT_EQ(elements<int32_t>(pallas_call(copy, call, {count(8)})[0]),
            (std::vector<int32_t>{1, 0, 0, 3, 4, 0}));
  call.in_specs = {{{{Indirect(3)}}, [](const Point& at, const Refs&) {
                      return Point{arange(3, DType::i32) * 3 + at[0]};
                    }}};
  EXPECT_EQ(elements<int32_t>(pallas_call(copy, call, {count(8)})[0]),
            (std::vector<int32_t>{0, 3, 6, 1, 4, 7}));
}

TEST(PallasCall, RunsOverExtentsOfTheProgram) {
  auto twice = jit([](const Tensor& x, const Tensor& n) {
    return pallas_call([](const Refs& refs) { refs[1].set(refs[0].get() * 2); },
                       {.out_shape = {{DType::i32, {8}}},
                        .grid = {n},
                        .in_specs = {blocks_of(2)},
                        .out_specs = {blocks_of(2)}},
                       {x})[0];
  });
  EXPECT_EQ(elements<int32_t>(twice(count(8), Tensor(3))),
            (std::vector<int32_t>{0, 2, 4, 6, 8, 10, 0, 0}));
}

TEST(PallasCall, NamesAxes) {
  Call call{.out_shape = {{DType::i32, {4, 2}}},
            .grid = {2, 4},
            .grid_names = {"j", "i"},
            .out_specs = {{{{1, 1}}, [](const Point&, const Refs&) {
                             return Point{axis_index("i"), axis_index("j")};
                           }}}};
  auto number = [](const Refs& refs) {
    EXPECT_EQ(axis_size("i"), Extent(4));
    refs[0].set(axis_index("i") * 10 + axis_index("j"));
  };
  EXPECT_EQ(elements<int32_t>(pallas_call(number, call, {})[0]),
            (std::vector<int32_t>{0, 1, 10, 11, 20, 21, 30, 31}));
  expect_in(error_of(call, [](const Refs&) { axis_size("k"); }, {}),
            "expected one of the axes ['j', 'i'] of the grid, but got 'k'");
  call.grid_names = {"j"};
  expect_in(error_of(call, number, {}), "argument 'grid_names': expected 2, one for each");
  EXPECT_THROW(axis_index("i"), Error);
}

TEST(PallasCall, SeesAndChangesBytes) {
  Call call{.out_shape = {{DType::u32, {2, 2}}}};
  auto change = [](const Refs& refs) {
    refs[0].set(uint32_t{0x01020304});
    Ref bytes = refs[0].bitcast(DType::u8);
    EXPECT_EQ(bytes.shape(), (Shape{8, 2}));
    bytes.at({1, 0}).set(uint8_t{0xff});
  };
  EXPECT_EQ(elements<uint32_t>(pallas_call(change, call, {})[0]),
            (std::vector<uint32_t>{0x0102ff04, 0x01020304, 0x01020304, 0x01020304}));
}

TEST(PallasCall, ChecksFindMistakes) {
  Call call{.out_shape = {{DType::i32, {8}}},
            .grid = {4},
            .in_specs = {blocks_of(2)},
            .out_specs = {blocks_of(2)},
            .scratch_shapes = {{DType::i32, {2}}},
            .checks = true};
  auto unwritten = [](const Refs& refs) { refs[1].set(refs[2].get() + refs[0].get()); };
  call.interpret.emplace();
  expect_in(error_of(call, unwritten, {count(8)}), "[undefined-element] kernel 'kernel'");
  auto outside = [](const Refs& refs) { refs[1].set(refs[0].at({ds(program_id(0), 2)}).get()); };
  expect_in(error_of(call, outside, {count(8)}), "[index-out-of-range]");
  call.interpret.reset();
  expect_in(error_of(call, outside, {count(8)}), "[index-out-of-range]");
  auto checked = [](const Refs& refs) {
    debug_check(refs[0].get() < 5, "too large");
    refs[1].set(refs[0].get());
  };
  expect_in(error_of(call, checked, {count(8)}), "[debug-check] too large");
  call.checks = false;
  EXPECT_EQ(elements<int32_t>(pallas_call(checked, call, {count(8)})[0]),
            elements<int32_t>(count(8)));
  call.in_specs = {{{{2}}, [](const Point& at, const Refs&) { return Point{at[0] * 2}; }}};
  expect_in(error_of(call, checked, {count(8)}), "[block-outside]");
}

/// x + 1 by blocks of 4, as many as `x` has; each plus the number of blocks before it.
Tensor running(const Tensor& x) {
  Call call{.out_shape = {{x.dtype(), x.shape()}},
            .grid = {floordiv(x.shape()[0] + 3, 4)},
            .in_specs = {blocks_of(4)},
            .out_specs = {blocks_of(4)},
            .scratch_shapes = {{x.dtype(), {}}}};
  return pallas_call(
      [](const Refs& refs) {
        when(program_id(0) == 0, [&] { refs[2].set(0); });
        refs[1].set(refs[0].get() + refs[2].get() + 1);
        refs[2].set(refs[2].get() + 1);
      },
      call, {x})[0];
}

/// What `running` gives for rows of 10.
std::vector<int32_t> plus_numbers(const Tensor& x) {
  std::vector<int32_t> result = elements<int32_t>(x);
  for (size_t i = 0; i < result.size(); ++i)
    result[i] += 1 + static_cast<int32_t>(i % 10 / 4);
  return result;
}

TEST(PallasCall, InstancesHaveBoundsAndTablesOfTheirOwn) {
  auto chosen = [](const Tensor& table, const Tensor& x, const Tensor& points) {
    Call call{.out_shape = {{DType::i32, {4}}},
              .grid = {points},
              .in_specs = {{{{2}},
                            [](const Point&, const Refs& tables) {
                              return Point{tables[0].at({program_id(0)}).get()};
                            }}},
              .out_specs = {{{{2}}, [](const Point& at, const Refs&) { return at; }}},
              .num_scalar_prefetch = 1};
    return pallas_call([](const Refs& refs) { refs[2].set(refs[1].get() + 1); }, call,
                       {table, x})[0];
  };
  const Tensor tables = reshape(Tensor(std::vector<int32_t>{1, 0, 0, 0, 1, 1}), {3, 2}),
               points(std::vector<int32_t>{2, 1, 0});
  for (Backend backend : {Backend::cpu, Backend::interpret}) {
    auto batch = jit(
        [&](const Tensor& own_tables, const Tensor& x, const Tensor& own_points) {
          return vmap(chosen, {.in_axes = {0, std::nullopt, 0}})(own_tables, x, own_points);
        },
        {.backend = backend});
    EXPECT_EQ(elements<int32_t>(batch(tables, count(4), points)),
              (std::vector<int32_t>{3, 4, 1, 2, 1, 2, 0, 0, 0, 0, 0, 0}));
  }
}

TEST(PallasCall, RunsInBatchesLoopsAndBranches) {
  const Tensor x = count(10), rows = reshape(count(30), {3, 10});
  for (Backend backend : {Backend::cpu, Backend::interpret}) {
    const JitOptions on{.backend = backend};
    auto batch = jit([](const Tensor& all) { return vmap(running)(all); }, on);
    EXPECT_EQ(elements<int32_t>(batch(rows)), plus_numbers(rows));
    auto branch = jit(
        [](const Tensor& which, const Tensor& own) {
          return cond(which > 0, running, [](const Tensor& same) { return same; }, own);
        },
        on);
    EXPECT_EQ(elements<int32_t>(branch(Tensor(1), x)), plus_numbers(x));
    EXPECT_EQ(elements<int32_t>(branch(Tensor(0), x)), elements<int32_t>(x));
    auto loop = jit(
        [](const Tensor& own) {
          return fori_loop(
              0, 2, [](const Tensor&, const Tensor& state) { return running(state); }, own);
        },
        on);
    Tensor once = running(x);
    EXPECT_EQ(elements<int32_t>(loop(x)), plus_numbers(once));
    auto scanned = jit(
        [](const Tensor& all) {
          return scan([](const Tensor& state,
                         const Tensor& row) { return std::pair(running(state + row), state); },
                      zeros({10}, DType::i32), all)
              .first;
        },
        on);
    EXPECT_EQ(elements<int32_t>(scanned(index(rows, {Slice(0, 1)}))), plus_numbers(x));
  }
}

TEST(PallasCall, RunsOnSymbolicExtents) {
  for (Backend backend : {Backend::cpu, Backend::interpret}) {
    auto any = jit([](const Tensor& x) { return running(x); },
                   {.backend = backend, .dynamic = {{0, {0}}}});
    for (int32_t n : {0, 1, 4, 10})
      EXPECT_EQ(elements<int32_t>(any(count(n))), plus_numbers(count(n))) << n;
  }
}

TEST(PallasCall, RefusesStrangeInput) {
  auto nothing = [](const Refs&) {};
  TensorSpec four{DType::i32, {4}};
  expect_in(error_of({.out_shape = {four}, .out_specs = {{{{0}}, own_number}}}, nothing, {}),
            "expected sizes of at least 1, but got 0");
  expect_in(
      error_of(
          {.out_shape = {four}, .grid = {1}, .out_specs = {{{{Element(4, -1, 0)}}, own_number}}},
          nothing, {}),
      "expected padding of at least 0, but got (-1, 0)");
  expect_in(error_of({.out_shape = {four}, .in_specs = {{{}, {}, 1.5}}}, nothing, {count(4)}),
            "argument 'pad' of the BlockSpec for args[0]: expected a number that int32 holds");
  expect_in(error_of({.out_shape = {four}, .num_scalar_prefetch = -1}, nothing, {count(4)}),
            "expected a number of inputs, from 0 to 1, but got -1");
  expect_in(error_of({.out_shape = {four}, .input_output_aliases = {{0, 0}, {1, 0}}}, nothing,
                     {count(4), count(4)}),
            "'1:0' beside '0:0', but a result is the memory of one input");
  auto in_kernel = [&](const std::function<void(const Ref&)>& action) {
    return error_of({.out_shape = {four}, .grid = {1}}, [&](const Refs& refs) { action(refs[0]); },
                    {});
  };
  expect_in(in_kernel([](const Ref& o) { o.reshape({-1, -1}); }), "expected at most one -1");
  expect_in(in_kernel([](const Ref& o) { o.reshape({-2, -2}); }), "extents of at least 0");
  expect_in(in_kernel([](const Ref& o) { o.at({ds(0, -1)}); }), "a ds of at least 0 elements");
  expect_in(in_kernel([](const Ref& o) { o.at({ds(program_id(0), 3, INT64_MAX)}); }),
            "whose size times stride is below 2^62");
  expect_in(in_kernel([](const Ref& o) { load(o, count(4)); }),
            "argument 'mask': expected booleans");
  expect_in(in_kernel([](const Ref& o) { when(o.get() > 0, [] {}); }),
            "argument 'condition': expected a boolean scalar, but got bool[4]");
  expect_in(in_kernel([](const Ref&) { throw Error(ErrorKind::value, "bad-value", "mine"); }),
            "mine");
  EXPECT_EQ(elements<int32_t>(running(count(4))), plus_numbers(count(4)));
}

} // namespace
} // namespace kolam::pallas
