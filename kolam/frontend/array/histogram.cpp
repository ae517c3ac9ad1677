// Calls histograms and piecewise linear functions.
#include "kolam/frontend/array/histogram.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/histogram.h"
#include "kolam/language/promotion.h"

namespace kolam {
namespace {

using language::Builder;
using language::Value;
using language::Values;

/// The operands of a histogram, and where each stands.
struct Arguments {
  std::vector<Operand> operands;
  size_t edges = 0, lower = 0, upper = 0, weights = 0; ///< 0 where there are none

  Arguments(const Operand& x, const Bins& bins, const HistogramOptions& options) : operands{x} {
    auto add = [&](const Operand& operand) {
      operands.push_back(operand.apart());
      return operands.size() - 1;
    };
    if (auto* given = std::get_if<Tensor>(&bins))
      edges = add(*given);
    else if (options.range) {
      lower = add(with_dtype(options.range->first, DType::f64));
      upper = add(with_dtype(options.range->second, DType::f64));
    }
    if (options.weights)
      weights = add(*options.weights);
  }

  Value edges_of(Builder& b, const Values& v, const Bins& bins) const {
    if (edges)
      return v[edges];
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
    Value edges = arguments.edges_of(b, v, bins);
    Value weights = arguments.weights ? v[arguments.weights] : Value();
    return Values{language::histogram(b, v[0], edges, weights, options.density), edges};
  });
  return {results[0], results[1]};
}

Tensor histogram_bin_edges(const Operand& x, const Bins& bins, const HistogramOptions& options) {
  CallScope scope("histogram_bin_edges", x.where());
  Arguments arguments(x, bins, options);
  return apply("histogram_bin_edges", arguments.operands, [&](Builder& b, const Values& v) {
    return Values{arguments.edges_of(b, v, bins)};
  })[0];
}

Tensor digitize(const Operand& x, const Operand& bins, bool right) {
  return apply_one("digitize", {x, bins.apart()}, [&](Builder& b, const Values& v) {
    return language::digitize(b, v[0], v[1], right);
  });
}

Tensor interp(const Operand& x, const Operand& xp, const Operand& fp,
              const std::optional<Operand>& left, const std::optional<Operand>& right) {
  std::vector<Operand> operands{x, xp.apart(), fp.apart()};
  for (const std::optional<Operand>& side : {left, right})
    if (side)
      operands.push_back(side->apart());
  return apply("interp", operands, [&](Builder& b, const Values& v) {
    return Values{
        language::interp(b, v[0], v[1], v[2], left ? v[3] : Value(), right ? v.back() : Value())};
  })[0];
}

} // namespace kolam
