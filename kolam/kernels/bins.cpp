// A guess of the bin, the edges around it, and an atomic.
#include "kolam/kernels/bins.h"

#include "kolam/frontend/array/activation.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/index.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/kernels/argument_checks.h"

namespace kolam::kernels {
namespace {

namespace pl = kolam::pallas;

/// The bin of each element, anything for those that are in none.
Tensor places_of(const Tensor& x, const pl::Ref& edges_ref, int64_t bins) {
  Tensor edges = edges_ref.get();
  Tensor first = index(edges, {0}), last = index(edges, {bins});
  // Right but for rounding, and then the edges themselves.
  Tensor guess = (x - first) * (static_cast<double>(bins) / (last - first));
  Tensor place = astype(clip(guess, 0, bins - 1), DType::i32);
  place = maximum(place - astype(x < edges_ref.at({place}).get(), DType::i32), 0);
  return minimum(place + astype(x >= edges_ref.at({place + 1}).get(), DType::i32), bins - 1);
}

} // namespace

Histogram histogram(const Operand& x, int64_t bins,
                    const std::optional<std::pair<Operand, Operand>>& range,
                    const CountOptions& options) {
  CallScope scope("histogram", x.where());
  Tensor given = tensor_of(x);
  require_kind(Kind::numbers, {{"x", given, ""}});
  require_count("block", options.block);
  if (bins < 1)
    fail(ErrorKind::value, "negative-count",
         "argument 'bins': expected 1 bin or more, but got " + std::to_string(bins));
  Tensor edges = histogram_bin_edges(given, bins, {.range = range});
  Tensor flat = reshape(given, {-1});
  const Extent count = flat.extent(0);
  if (is_empty({count}))
    return {zeros({bins}, DType::i32), edges};
  const int64_t size = block_of(count, options.block);
  const bool fits = count.constant().value_or(-1) % size == 0;
  const DType dtype = sums_of(edges.dtype());
  auto kernel = [&](const Refs& refs) {
    Tensor block = astype(refs[0].get(), dtype);
    Tensor least = index(refs[1].get(), {0}), greatest = index(refs[1].get(), {bins});
    Tensor is_counted = (block >= least) & (block <= greatest);
    if (!fits) // the last block reaches out of the array
      is_counted = is_counted & (pl::program_id(0) * size + arange(size, DType::i32) < count);
    Tensor place = places_of(block, refs[1], bins);
    pl::atomic_add(refs[2].at({place}), ones({size}, DType::i32), is_counted);
  };
  pl::Call call{
      .out_shape = {{DType::i32, {bins}}},
      .grid = {ceildiv(count, size)},
      .in_specs = {block_at({size}, [](const Point& at) { return at; }), {}},
      .name = "histogram",
      .interpret = options.interpret,
  };
  return {pl::pallas_call(kernel, call, {flat, astype(edges, dtype)})[0], edges};
}

} // namespace kolam::kernels
