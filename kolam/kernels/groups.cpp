// Prefetched numbers choose the blocks.
#include "kolam/kernels/groups.h"

#include "kolam/frontend/array/contraction.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/index.h"
#include "kolam/frontend/array/promotion.h"
#include "kolam/frontend/array/reduction.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/kernels/argument_checks.h"

namespace kolam::kernels {
namespace {

namespace pl = kolam::pallas;

/// What the points of a grid work on: by step a group and a tile of rows; by group its rows.
struct Tiles {
  Tensor group, tile, start, end;
};

/// For each step a group and a tile that has rows of it; steps that are left over repeat the last.
/// Tiles stand in rising order, so those of two groups come one after the other: in all tiles +
/// groups - 1 at most.
Tiles tiles_of(const Tensor& sizes, const Extent& m, int64_t rows, const Extent& steps) {
  Tensor ends = minimum(cumulative_sum(sizes), m);
  Tensor starts = concat({zeros({1}, DType::i32), index(ends, {Slice{0, -1}})});
  Tensor first = floor_divide(starts, rows);
  Tensor counts = where(ends > starts, floor_divide(ends + (rows - 1), rows) - first, 0);
  Tensor until = cumulative_sum(counts);
  Tensor last = maximum(index(until, {-1}) - 1, 0);
  Tensor step = minimum(arange(steps, DType::i32), last);
  Tensor is_over = expand_dims(until, {0}) <= expand_dims(step, {1});
  Tensor group = minimum(sum(is_over, 1, {.dtype = DType::i32}), sizes.extent(0) - 1);
  Tensor tile = index(first, {group}) + step - index(until - counts, {group});
  return {group, tile, starts, ends};
}

} // namespace

Tensor grouped_matmul(const Operand& x, const Operand& w, const Operand& group_sizes,
                      const GroupedMatmulOptions& options) {
  CallScope scope("grouped_matmul", x.where());
  Tensor left = tensor_of(x), right = tensor_of(w), sizes = tensor_of(group_sizes);
  const std::vector<Argument> numbers{{"x", left, "m k"}, {"w", right, "groups k n"}};
  const Argument counts{"group_sizes", sizes, "groups"};
  Extents of = bind_dims({numbers[0], numbers[1], counts});
  require_kind(Kind::numbers, numbers);
  require_kind(Kind::integers, {counts});
  require_count("block_m", options.block_m);
  require_count("block_n", options.block_n);
  require_count("block_k", options.block_k.value_or(1));
  const DType dtype = result_type({left, right}), out = options.out_dtype.value_or(dtype);
  const Shape shape{of["m"], of["n"]};
  if (is_empty({of["m"], of["n"], of["k"], of["groups"]}))
    return zeros(shape, out);
  constexpr int64_t kSomeTerms = 1024; // size of a block along a dim that only the run knows
  const int64_t terms = options.block_k.value_or(of["k"].constant().value_or(kSomeTerms));
  const int64_t m = block_of(of["m"], options.block_m), n = block_of(of["n"], options.block_n),
                k = block_of(of["k"], terms);
  const Extent steps = ceildiv(of["m"], m) + of["groups"] - 1;
  const DType sums = product_sums(dtype, out);
  auto kernel = [&](const Refs& refs) {
    const pl::Ref &o = refs[6], &sum_of = refs[7];
    pl::when(pl::program_id(2) == 0, [&] { sum_of.set(zeros({m, n}, sums)); });
    sum_of.set(sum_of.get() + kolam::matmul(refs[4].get(), refs[5].get(), sums));
    pl::when(pl::program_id(2) == pl::num_programs(2) - 1, [&] {
      auto at_step = [&](const pl::Ref& ref) { return ref.at({pl::program_id(1)}).get(); };
      Tensor group = at_step(refs[0]);
      Tensor row = at_step(refs[1]) * m + arange(m, DType::i32);
      Tensor is_own = (row >= refs[2].at({group}).get()) & (row < refs[3].at({group}).get());
      o.set(where(expand_dims(is_own, {1}), astype(sum_of.get(), out), o.get()));
    });
  };
  Tensor rows = in_whole_blocks(astype(left, dtype), {m, k});
  Tensor matrices = in_whole_blocks(astype(right, dtype), {1, k, n});
  const Extent tiles = ceildiv(of["m"], m);
  auto tile = [&](const Point& at, const Refs& prefetched) {
    return within(prefetched[1].at({at[1]}).get(), tiles);
  };
  auto group = [&](const Point& at, const Refs& prefetched) {
    return within(prefetched[0].at({at[1]}).get(), of["groups"]);
  };
  using Dims = std::vector<pl::BlockDim>;
  pl::Call call{
      .out_shape = {{out, {rows.extent(0), matrices.extent(2)}}},
      .grid = {ceildiv(of["n"], n), steps, ceildiv(of["k"], k)},
      .in_specs = {{Dims{m, k},
                    [&](const Point& at, const Refs& prefetched) {
                      return Point{tile(at, prefetched), at[2]};
                    }},
                   {Dims{pl::squeezed, k, n},
                    [&](const Point& at, const Refs& prefetched) {
                      return Point{group(at, prefetched), at[2], at[0]};
                    }}},
      .out_specs = {{Dims{m, n},
                     [&](const Point& at, const Refs& prefetched) {
                       return Point{tile(at, prefetched), at[0]};
                     }}},
      .scratch_shapes = {{sums, {m, n}}},
      .num_scalar_prefetch = 4,
      .name = "grouped_matmul",
      .interpret = options.interpret,
  };
  Tiles all = tiles_of(astype(sizes, DType::i32), of["m"], m, steps);
  Tensor result =
      pl::pallas_call(kernel, call, {all.group, all.tile, all.start, all.end, rows, matrices})[0];
  return index(result, {Slice{0, of["m"]}, Slice{0, of["n"]}});
}

Tensor block_sparse_matmul(const Operand& block_values, const Operand& block_indices,
                           const Operand& y, const BlockSparseMatmulOptions& options) {
  CallScope scope("block_sparse_matmul", block_values.where());
  Tensor values = tensor_of(block_values), indices = tensor_of(block_indices);
  Tensor right = tensor_of(y);
  const Argument places{"block_indices", indices, "blocks two"};
  const std::vector<Argument> numbers{{"block_values", values, "blocks block_m block_k"},
                                      {"y", right, "k n"}};
  Extents of = bind_dims({numbers[0], places, numbers[1]});
  if (!(of["two"] == Extent(2)))
    fail(ErrorKind::value, "shape-mismatch",
         "argument 'block_indices': expected extent 2 in dim 1, a row and a column, but got " +
             describe(indices));
  require_kind(Kind::numbers, numbers);
  require_kind(Kind::integers, {places});
  require_count("block_n", options.block_n);
  if (options.rows.constant().value_or(0) < 0)
    fail(ErrorKind::value, "negative-count",
         "argument 'rows': expected 0 or more, but got " + options.rows.to_string());
  const DType dtype = result_type({values, right}), out = options.out_dtype.value_or(dtype);
  const Extent &m = of["block_m"], &k = of["block_k"];
  const Shape shape{options.rows, of["n"]};
  if (is_empty({options.rows, of["n"], of["k"], of["blocks"], m, k}))
    return zeros(shape, out);
  const int64_t n = block_of(of["n"], options.block_n);
  const DType sums = product_sums(dtype, out);
  const Extent counts[] = {ceildiv(options.rows, m), ceildiv(of["k"], k)};
  auto kernel = [&](const Refs& refs) {
    Tensor is_inside(true);
    for (int64_t dim = 0; dim < 2; ++dim) {
      Tensor number = refs[0].at({pl::program_id(1), dim}).get();
      is_inside = is_inside & (number >= 0) & (number < counts[dim]);
    }
    Tensor before = refs[3].get();
    Tensor after = before + kolam::matmul(refs[1].get(), refs[2].get(), sums);
    refs[3].set(where(is_inside, after, before));
  };
  using Dims = std::vector<pl::BlockDim>;
  auto along = [&](int64_t dim) {
    return [dim, count = counts[dim]](const Point& at, const Refs& prefetched) {
      return Point{within(prefetched[0].at({at[1], dim}).get(), count), at[0]};
    };
  };
  Tensor dense = in_whole_blocks(astype(right, dtype), {k, n});
  pl::Call call{
      .out_shape = {{sums, {counts[0] * m, dense.extent(1)}}},
      .grid = {ceildiv(of["n"], n), of["blocks"]},
      .in_specs = {block_at({pl::squeezed, m, k},
                            [](const Point& at) { return Point{at[1], Tensor(0), Tensor(0)}; }),
                   {Dims{k, n}, along(1)}},
      .out_specs = {{Dims{m, n}, along(0)}},
      .num_scalar_prefetch = 1,
      .name = "block_sparse_matmul",
      .interpret = options.interpret,
  };
  Tensor result =
      pl::pallas_call(kernel, call, {astype(indices, DType::i32), astype(values, dtype), dense})[0];
  return astype(index(result, {Slice{0, options.rows}, Slice{0, of["n"]}}), out);
}

} // namespace kolam::kernels
