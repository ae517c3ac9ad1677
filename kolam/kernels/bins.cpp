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

struct WholeRange {
  int64_t least, greatest;
};

/// The range where integers fall into bins as wide as an integer, whose edges are exact.
std::optional<WholeRange> whole_range(DType dtype, int64_t bins,
                                      const std::optional<std::pair<Operand, Operand>>& range) {
  constexpr int64_t kExact = 1 << 24; // all integers up to here are f32
  if (!range || !is_integer(dtype) || byte_width(dtype) > 4 || dtype == DType::u32)
    return std::nullopt;
  auto* least = std::get_if<int64_t>(&range->first.value());
  auto* greatest = std::get_if<int64_t>(&range->second.value());
  const bool is_whole = least && greatest && *least < *greatest && *least >= -kExact &&
                        *greatest <= kExact && (*greatest - *least) % bins == 0;
  return is_whole ? std::optional(WholeRange{*least, *greatest}) : std::nullopt;
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
  auto add_to = [&](const pl::Ref& counts, const Tensor& place, Tensor is_counted) {
    if (!fits) // the last block reaches out of the array
      is_counted = is_counted & (pl::program_id(0) * size + arange(size, DType::i32) < count);
    pl::atomic_add(counts.at({place}), ones({size}, DType::i32), is_counted);
  };
  const std::optional<WholeRange> whole = whole_range(given.dtype(), bins, range);
  auto kernel = [&](const Refs& refs) {
    if (whole) {
      Tensor block = astype(refs[0].get(), DType::i32);
      Tensor place = floor_divide(clip(block, whole->least, whole->greatest) - whole->least,
                                  (whole->greatest - whole->least) / bins);
      return add_to(refs[1], minimum(place, bins - 1),
                    (block >= whole->least) & (block <= whole->greatest));
    }
    Tensor block = astype(refs[0].get(), dtype);
    Tensor least = index(refs[1].get(), {0}), greatest = index(refs[1].get(), {bins});
    add_to(refs[2], places_of(block, refs[1], bins), (block >= least) & (block <= greatest));
  };
  pl::Call call{
      .out_shape = {{DType::i32, {bins}}},
      .grid = {ceildiv(count, size)},
      .in_specs = {block_at({size}, [](const Point& at) { return at; })},
      .name = "histogram",
      .interpret = options.interpret,
  };
  if (whole)
    return {pl::pallas_call(kernel, call, {flat})[0], edges};
  call.in_specs.emplace_back();
  return {pl::pallas_call(kernel, call, {flat, astype(edges, dtype)})[0], edges};
}

} // namespace kolam::kernels
