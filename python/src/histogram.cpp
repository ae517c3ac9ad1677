// Histograms and piecewise linear functions.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

template <> struct FromPython<Bins> {
  static constexpr bool kCallsPython = false;
  Bins value = int64_t{0};
  FromPython(nb::handle object, const char* argument) {
    if (nb::isinstance<nb::str>(object))
      fail_argument(ErrorKind::value, "bad-option", argument,
                    "a number of bins or their edges; numpy.histogram_bin_edges(x, rule) makes "
                    "edges by a rule",
                    object);
    if (auto count = try_integer(object, argument))
      value = *count;
    else
      value = to_operand(object, argument);
  }
  Bins& get() { return value; }
};

namespace {

std::optional<std::pair<Operand, Operand>> range_from(nb::handle object) {
  if (object.is_none())
    return std::nullopt;
  auto limits = FromPython<std::vector<Operand>>(object, "range").get();
  if (limits.size() != 2)
    fail_argument(ErrorKind::type, "argument-type", "range", "a pair of numbers", object);
  return std::pair(limits[0], limits[1]);
}

} // namespace

void bind_histogram(nb::module_& module) {
  bind(module, "digitize", &digitize);
  bind(module, "histogram", "x, bins=10, range=None, weights=None, density=False",
       [](const Operand& x, const Bins& bins, nb::handle range,
          const std::optional<Operand>& weights, bool density) {
         HistogramOptions options{range_from(range), weights, density};
         Histogram result = released([&] { return histogram(x, bins, options); });
         return nb::object(nb::make_tuple(to_python(result.counts), to_python(result.edges)));
       });
  bind(module, "histogram_bin_edges", "x, bins=10, range=None, weights=None",
       [](const Operand& x, const Bins& bins, nb::handle range, const std::optional<Operand>&) {
         HistogramOptions options{range_from(range), {}, false};
         return to_python(released([&] { return histogram_bin_edges(x, bins, options); }));
       });
  bind(module, "interp", &interp);
}

} // namespace kolam::python
