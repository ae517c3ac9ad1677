// Calls histograms and piecewise linear functions.
#include "kolam/frontend/array/histogram.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/language/histogram.h"
#include "kolam/language/promotion.h"

#include <algorithm>
#include <functional>

namespace kolam {
namespace {

using language::Builder;
using language::Value;
using language::Values;

/// A number keeps all its digits, whatever stands beside it.
Operand as_f64(const Operand& number) {
  return std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, Extent>)
          return with_dtype(number, DType::f64);
        else
          return number.with(Array::scalar(static_cast<double>(value)));
      },
      number.value());
}

/// Refuses edges in hand that do not rise, or fall where that is allowed.
void require_ordered(const Operand& bins, bool may_fall) {
  auto* tensor = std::get_if<Tensor>(&bins.value());
  if (!tensor || tensor->is_empty() || tensor->is_traced() || tensor->rank() != 1 ||
      tensor->dtype() == DType::boolean)
    return;
  Array array = astype(*tensor, DType::f64).array();
  std::span<const double> edges = array.values<double>();
  bool rises = std::ranges::is_sorted(edges), falls = std::ranges::is_sorted(edges, std::greater());
  if (rises || (may_fall && falls))
    return;
  language::fail_argument(ErrorKind::value, "unordered-bins", "bins",
                          may_fall ? "edges that rise or fall" : "rising edges",
                          tensor->to_string());
}

/// The operands of a histogram, and where each stands.
struct Arguments {
  std::vector<Operand> operands;
  size_t edges = 0, lower = 0, upper = 0, weights = 0; ///< 0 where there are none

  Arguments(const Operand& x, const Bins& bins, const HistogramOptions& options) : operands{x} {
    auto add = [&](const Operand& operand) {
      operands.push_back(operand);
      return operands.size() - 1;
    };
    if (auto* given = std::get_if<Operand>(&bins)) {
      require_ordered(*given, false);
      edges = add(*given);
    } else if (options.range) {
      lower = add(as_f64(options.range->first).apart());
      upper = add(as_f64(options.range->second).apart());
    }
    if (options.weights)
      weights = add(options.weights->apart());
  }

  language::BinEdges edges_of(Builder& b, const Values& v, const Bins& bins) const {
    if (edges)
      return {v[edges]};
    int64_t count = std::get<int64_t>(bins);
    if (count < 1)
      language::fail_argument(ErrorKind::value, "negative-count", "bins", "1 bin or more",
                              std::to_string(count));
    Values range = lower ? Values{v[lower], v[upper]} : language::range_of(b, v[0]);
    return language::bin_edges(b, v[0], count, range[0], range[1]);
  }
};

} // namespace

Histogram histogram(const Operand& x, const Bins& bins, const HistogramOptions& options) {
  CallScope scope("histogram", x.where());
  Arguments arguments(x, bins, options);
  auto results = apply("histogram", arguments.operands, [&](Builder& b, const Values& v) {
    language::BinEdges between = arguments.edges_of(b, v, bins);
    Value weights = arguments.weights ? v[arguments.weights] : Value();
    return Values{language::histogram(b, v[0], between, weights, options.density), between.edges};
  });
  return {results[0], results[1]};
}

Tensor histogram_bin_edges(const Operand& x, const Bins& bins, const HistogramOptions& options) {
  CallScope scope("histogram_bin_edges", x.where());
  Arguments arguments(x, bins, options);
  return apply("histogram_bin_edges", arguments.operands, [&](Builder& b, const Values& v) {
    return Values{arguments.edges_of(b, v, bins).edges};
  })[0];
}

Tensor digitize(const Operand& x, const Operand& bins, bool right) {
  CallScope scope("digitize", x.where());
  require_ordered(bins, true);
  return apply_one("digitize", {x, bins}, [&](Builder& b, const Values& v) {
    return language::digitize(b, v[0], v[1], right);
  });
}

Tensor interp(const Operand& x, const Operand& xp, const Operand& fp,
              const std::optional<Operand>& left, const std::optional<Operand>& right) {
  std::vector<Operand> operands{x, xp, fp};
  for (const std::optional<Operand>& side : {left, right})
    if (side)
      operands.push_back(*side);
  return apply("interp", operands, [&](Builder& b, const Values& v) {
    return Values{
        language::interp(b, v[0], v[1], v[2], left ? v[3] : Value(), right ? v.back() : Value())};
  })[0];
}

} // namespace kolam
