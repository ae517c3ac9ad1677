// Running maxima and sums of powers: by parts that are merged, or page by page.
#include "kolam/kernels/decoding.h"

#include "kolam/frontend/array/contraction.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/promotion.h"
#include "kolam/frontend/array/reduction.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/kernels/argument_checks.h"

#include <cmath>
#include <limits>

namespace kolam::kernels {
namespace {

namespace pl = kolam::pallas;

constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// A maximum to take away from scores: 0 where there are none.
Tensor finite(const Tensor& most) { return where(most == kHidden, 0, most); }
Tensor column(const Tensor& x) { return expand_dims(x, {-1}); }

/// What a block of keys says: whether each is visible (empty: all are), and the sums' dtype.
struct Keys {
  Tensor visible;
  double scale;
  DType dtype;

  /// [queries, keys], minus infinity where a key is not visible.
  Tensor scores(const pl::Ref& q, const pl::Ref& k) const {
    Tensor all = kolam::matmul(q.get(), matrix_transpose(k.get()), dtype) * scale;
    return visible.is_empty() ? all : where(visible, all, kHidden);
  }
  /// What is hidden has no part in a sum, also where it is NaN.
  Tensor weighted(const Tensor& powers, const pl::Ref& v) const {
    Tensor values = astype(v.get(), dtype);
    if (!visible.is_empty())
      values = where(column(visible), values, 0);
    return kolam::matmul(powers, values, dtype);
  }
};

/// The number of queries that share a head of the keys.
Extent group_of(const Extent& heads, const Extent& kv_heads) {
  auto all = heads.constant(), shared = kv_heads.constant();
  if (!all || !shared || *shared == 0 || *all % *shared != 0)
    fail(ErrorKind::value, "shape-mismatch",
         "argument 'q': expected a number of heads that those of the keys, " +
             kv_heads.to_string() + ", divide, but got " + heads.to_string() + "; repeat the keys");
  return *all / *shared;
}

double scale_of(const std::optional<double>& scale, const Extent& d) {
  return scale.value_or(1 / std::sqrt(static_cast<double>(d.constant().value_or(1))));
}

/// One block for each batch and head of the keys, whole along the other dims.
pl::BlockSpec by_head(std::vector<pl::BlockDim> dims) {
  dims.insert(dims.begin(), 2, pl::squeezed);
  return block_at(dims, [rank = dims.size()](const Point& at) {
    Point place{at[0], at[1]};
    place.resize(rank, Tensor(0));
    return place;
  });
}

/// The same for each part of the keys.
pl::BlockSpec by_split(std::vector<pl::BlockDim> dims) {
  dims.insert(dims.begin(), 3, pl::squeezed);
  return block_at(dims, [rank = dims.size()](const Point& at) {
    Point place{at[0], at[1], at[2]};
    place.resize(rank, Tensor(0));
    return place;
  });
}

/// [batch, kv_heads, queries of a group, e] of the parts, [.., splits, queries, e], their maxima
/// and sums of powers, [.., splits, queries].
Tensor merged(const std::vector<Tensor>& parts, DType dtype,
              const std::optional<pl::InterpretParams>& interpret) {
  const Shape shape = parts[0].shape();
  auto kernel = [&](const Refs& refs) {
    Tensor most = refs[1].get();
    Tensor weights = exp(most - finite(max(most, 0)));
    Tensor total = column(sum(weights * refs[2].get(), 0));
    Tensor all = sum(column(weights) * refs[0].get(), 0);
    refs[3].set(astype(where(total > 0, all / total, 0), dtype));
  };
  const Extent &splits = shape[2], &group = shape[3], &e = shape[4];
  pl::Call call{
      .out_shape = {{dtype, {shape[0], shape[1], group, e}}},
      .grid = {shape[0], shape[1]},
      .in_specs = {by_head({splits, group, e}), by_head({splits, group}), by_head({splits, group})},
      .out_specs = {by_head({group, e})},
      .name = "decode_attention_merge",
      .interpret = interpret,
  };
  return pl::pallas_call(kernel, call, {parts[0], parts[1], parts[2]})[0];
}

} // namespace

Tensor decode_attention(const Operand& q, const Operand& k, const Operand& v,
                        const DecodeAttentionOptions& options) {
  CallScope scope("decode_attention", q.where());
  Tensor queries = tensor_of(q), keys = tensor_of(k), values = tensor_of(v);
  const std::vector<Argument> floats{{"q", queries, "batch heads d"},
                                     {"k", keys, "batch keys kv_heads d"},
                                     {"v", values, "batch keys kv_heads e"}};
  std::vector<Argument> arguments = floats;
  if (options.lengths)
    arguments.push_back({"lengths", tensor_of(*options.lengths), "batch"});
  Extents of = bind_dims(arguments);
  require_kind(Kind::floats, floats);
  if (options.lengths)
    require_kind(Kind::integers, {arguments.back()});
  require_count("splits", options.splits);
  const Extent &batch = of["batch"], &kv_heads = of["kv_heads"], &d = of["d"], &e = of["e"];
  const Extent group = group_of(of["heads"], kv_heads);
  const DType dtype = result_type({queries, keys, values}), sums = sums_of(dtype);
  const Shape shape{batch, of["heads"], e};
  if (is_empty({batch, of["heads"], of["keys"], d, e}))
    return zeros(shape, dtype);
  const Extent size = ceildiv(of["keys"], options.splits), splits = ceildiv(of["keys"], size);
  const bool fits = of["keys"].is_constant() && splits * size == of["keys"];
  const bool is_masked = options.lengths || !fits;
  Tensor lengths = options.lengths
                       ? astype(arguments.back().tensor, DType::i32)
                       : full({batch}, astype(extent(of["keys"]), DType::i32), DType::i32);
  auto kernel = [&](const Refs& refs) {
    Keys block{{}, scale_of(options.scale, d), sums};
    if (is_masked)
      block.visible = pl::program_id(2) * size + arange(size, DType::i32) < refs[3].get();
    Tensor scores = block.scores(refs[0], refs[1]);
    Tensor most = max(scores, -1);
    Tensor powers = exp(scores - column(finite(most)));
    refs[4].set(block.weighted(powers, refs[2]));
    refs[5].set(most);
    refs[6].set(sum(powers, -1));
  };
  auto of_keys = [](const Point& at) { return Point{at[0], at[2], at[1], Tensor(0)}; };
  const Shape parts{batch, kv_heads, splits, group};
  pl::Call call{
      .out_shape = {{sums, {batch, kv_heads, splits, group, e}}, {sums, parts}, {sums, parts}},
      .grid = {batch, kv_heads, splits},
      .in_specs = {by_head({group, d}), block_at({pl::squeezed, size, pl::squeezed, d}, of_keys),
                   block_at({pl::squeezed, size, pl::squeezed, e}, of_keys),
                   block_at({pl::squeezed}, [](const Point& at) { return Point{at[0]}; })},
      .out_specs = {by_split({group, e}), by_split({group}), by_split({group})},
      .name = "decode_attention",
      .interpret = options.interpret,
  };
  std::vector<Tensor> results =
      pl::pallas_call(kernel, call,
                      {reshape(astype(queries, dtype), {batch, kv_heads, group, d}),
                       astype(keys, dtype), astype(values, dtype), lengths});
  return reshape(merged(results, dtype, options.interpret), shape);
}

Tensor paged_attention(const Operand& q, const Operand& k_pages, const Operand& v_pages,
                       const Operand& block_tables, const Operand& lengths,
                       const PagedAttentionOptions& options) {
  CallScope scope("paged_attention", q.where());
  Tensor queries = tensor_of(q), keys = tensor_of(k_pages), values = tensor_of(v_pages);
  Tensor tables = tensor_of(block_tables), counts = tensor_of(lengths);
  const std::vector<Argument> floats{{"q", queries, "batch heads d"},
                                     {"k_pages", keys, "kv_heads pages page_size d"},
                                     {"v_pages", values, "kv_heads pages page_size e"}};
  const std::vector<Argument> integers{{"block_tables", tables, "batch pages_of_one"},
                                       {"lengths", counts, "batch"}};
  std::vector<Argument> arguments = floats;
  arguments.insert(arguments.end(), integers.begin(), integers.end());
  Extents of = bind_dims(arguments);
  require_kind(Kind::floats, floats);
  require_kind(Kind::integers, integers);
  const Extent &batch = of["batch"], &kv_heads = of["kv_heads"], &d = of["d"], &e = of["e"];
  const Extent &steps = of["pages_of_one"], &size = of["page_size"];
  const Extent group = group_of(of["heads"], kv_heads);
  const DType dtype = result_type({queries, keys, values}), sums = sums_of(dtype);
  const Shape shape{batch, of["heads"], e};
  if (is_empty({batch, of["heads"], steps, size, of["pages"], d, e}))
    return zeros(shape, dtype);
  auto kernel = [&](const Refs& refs) {
    const pl::Ref &most = refs[6], &total = refs[7], &sum_of = refs[8];
    Tensor step = pl::program_id(2), length = refs[1].at({pl::program_id(0)}).get();
    pl::when(step == 0, [&] {
      most.set(full(most.shape(), kHidden, sums));
      total.set(zeros(total.shape(), sums));
      sum_of.set(zeros(sum_of.shape(), sums));
    });
    pl::when(step * size < length, [&] {
      Keys page{step * size + arange(size, DType::i32) < length, scale_of(options.scale, d), sums};
      Tensor scores = page.scores(refs[2], refs[3]);
      Tensor before = most.get(), now = maximum(before, max(scores, -1));
      Tensor powers = exp(scores - column(finite(now))), shrink = exp(before - finite(now));
      most.set(now);
      total.set(total.get() * shrink + sum(powers, -1));
      sum_of.set(sum_of.get() * column(shrink) + page.weighted(powers, refs[4]));
    });
    pl::when(step == pl::num_programs(2) - 1, [&] {
      Tensor all = column(total.get());
      refs[5].set(astype(where(all > 0, sum_of.get() / all, 0), dtype));
    });
  };
  auto page_of = [&](const Point& at, const Refs& prefetched) {
    Tensor number = prefetched[0].at({at[0], at[2]}).get();
    Tensor is_used = at[2] * size < prefetched[1].at({at[0]}).get();
    return Point{at[1], within(where(is_used, number, 0), of["pages"]), Tensor(0), Tensor(0)};
  };
  auto page = [&](const Extent& elements) {
    return pl::BlockSpec{std::vector<pl::BlockDim>{pl::squeezed, pl::squeezed, size, elements},
                         page_of};
  };
  pl::Call call{
      .out_shape = {{dtype, {batch, kv_heads, group, e}}},
      .grid = {batch, kv_heads, steps},
      .in_specs = {by_head({group, d}), page(d), page(e)},
      .out_specs = {by_head({group, e})},
      .scratch_shapes = {{sums, {group}}, {sums, {group}}, {sums, {group, e}}},
      .num_scalar_prefetch = 2,
      .name = "paged_attention",
      .interpret = options.interpret,
  };
  Tensor result = pl::pallas_call(kernel, call,
                                  {astype(tables, DType::i32), astype(counts, DType::i32),
                                   reshape(astype(queries, dtype), {batch, kv_heads, group, d}),
                                   astype(keys, dtype), astype(values, dtype)})[0];
  return reshape(result, shape);
}

} // namespace kolam::kernels
