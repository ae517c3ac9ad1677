// Calls reductions of segments.
#include "kolam/frontend/array/segment.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/reduction.h"
#include "kolam/language/segment.h"

#include <limits>

namespace kolam {
namespace {

using language::SegmentReduction;

/// Least and greatest of integers that are known; (0, -1) of none.
std::pair<int64_t, int64_t> range_of(const Operand& x, std::string_view argument,
                                     std::string_view instead) {
  auto* tensor = std::get_if<Tensor>(&x.value());
  if (!tensor)
    return {0, 0};
  if (tensor->is_traced())
    fail(ErrorKind::type, "traced-value",
         "argument '" + std::string(argument) +
             "': expected integers that are known, for the result's extent, but got a traced "
             "value; give '" +
             std::string(instead) + "'");
  if (!is_integer(tensor->dtype()))
    language::fail_argument(ErrorKind::type, "dtype-mismatch", argument, "integers",
                            std::string(name(tensor->dtype())));
  if (tensor->array().size() == 0)
    return {0, -1};
  // One more is an extent still.
  constexpr int64_t highest = std::numeric_limits<int64_t>::max() - 1;
  auto wide = [&](const Tensor& value) {
    Tensor capped = value.dtype() == DType::u64 ? minimum(value, highest) : value;
    return std::min(Array(astype(capped, DType::i64)).item<int64_t>(), highest);
  };
  return {wide(min(*tensor)), wide(max(*tensor))};
}

Tensor reduced(std::string_view function, const Operand& data, const Operand& ids,
               std::optional<Extent> segments, SegmentReduction reduction) {
  CallScope scope(function, data.where());
  if (!segments)
    segments =
        Extent(std::max<int64_t>(range_of(ids, "segment_ids", "num_segments").second, -1) + 1);
  return apply_one(function, {traced_for({*segments}, data), ids.apart()},
                   [&](language::Builder& b, const language::Values& v) {
                     return language::segment_reduce(b, v[0], v[1], *segments, reduction);
                   });
}

} // namespace

Tensor segment_sum(const Operand& data, const Operand& segment_ids,
                   std::optional<Extent> num_segments) {
  return reduced("segment_sum", data, segment_ids, num_segments, SegmentReduction::sum);
}
Tensor segment_prod(const Operand& data, const Operand& segment_ids,
                    std::optional<Extent> num_segments) {
  return reduced("segment_prod", data, segment_ids, num_segments, SegmentReduction::prod);
}
Tensor segment_min(const Operand& data, const Operand& segment_ids,
                   std::optional<Extent> num_segments) {
  return reduced("segment_min", data, segment_ids, num_segments, SegmentReduction::min);
}
Tensor segment_max(const Operand& data, const Operand& segment_ids,
                   std::optional<Extent> num_segments) {
  return reduced("segment_max", data, segment_ids, num_segments, SegmentReduction::max);
}
Tensor segment_mean(const Operand& data, const Operand& segment_ids,
                    std::optional<Extent> num_segments) {
  return reduced("segment_mean", data, segment_ids, num_segments, SegmentReduction::mean);
}

Tensor bincount(const Operand& x, const std::optional<Operand>& weights, int64_t minlength,
                std::optional<Extent> length) {
  CallScope scope("bincount", x.where());
  auto* tensor = std::get_if<Tensor>(&x.value());
  if (!tensor || tensor->is_empty() || tensor->rank() != 1)
    language::fail_argument(ErrorKind::value, "rank-mismatch", "x", "rank 1",
                            "rank " +
                                std::to_string(tensor && !tensor->is_empty() ? tensor->rank() : 0));
  if (minlength < 0)
    language::fail_argument(ErrorKind::value, "negative-count", "minlength", "0 or more",
                            std::to_string(minlength));
  if (!length) {
    auto [least, greatest] = range_of(x, "x", "length");
    if (least < 0)
      language::fail_argument(ErrorKind::value, "negative-count", "x", "no negative number",
                              std::to_string(least));
    length = Extent(std::max(minlength, greatest + 1));
  }
  std::vector<Operand> operands{traced_for({*length}, x)};
  if (weights)
    operands.push_back(weights->apart());
  return apply("bincount", operands, [&](language::Builder& b, const language::Values& v) {
    return language::Values{
        language::bincount(b, v[0], weights ? v[1] : language::Value(), *length)};
  })[0];
}

} // namespace kolam
