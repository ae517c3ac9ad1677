// Windows: neighbouring elements of lists as lists of their own.
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/fractal/places.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace kolam::fractal::detail {
namespace {

constexpr int64_t kFewElements = int64_t{1} << 31;
/// No place in a list; the sum of two still fits.
constexpr int64_t kFar = int64_t{1} << 62;

/// Windows with a centre. Throws `[list-argument]`.
void require_centred(int64_t window, int64_t dilation) {
  require_at_least("window", window, 1);
  require_at_least("dilation", dilation, 1);
  if (window % 2 == 0)
    fail(ErrorKind::value, "list-argument",
         "argument 'window': expected an odd number, as windows have a centre, but got " +
             std::to_string(window));
}

std::string text_of(const Padding& padding) {
  std::string before = std::to_string(padding.before), behind = std::to_string(padding.behind);
  return before == behind ? before : "(" + before + ", " + behind + ")";
}

/// Refuses windows whose elements no int64 counts: as many as elements and their padding, of
/// `window` elements. Throws `[extent-overflow]`.
void require_room(const Parts& xs, int64_t window, const Padding& padding, const char* name) {
  if (window < kFewElements && padding.before < kFewElements && padding.behind < kFewElements)
    return; // as many windows are more than memory holds
  const int64_t most = std::numeric_limits<int64_t>::max() / window;
  if (padding.before > most - std::min(most, padding.behind))
    fail(ErrorKind::value, "extent-overflow",
         "expected windows whose elements int64 counts, but got a padding of " + text_of(padding) +
             " and windows of " + std::to_string(window));
  const int64_t longest = most - padding.before - padding.behind;
  require(less_equal(length(xs), longest), "extent-overflow",
          "expected at most " + std::to_string(longest) + " elements for windows of " +
              std::to_string(window) + ", but got more",
          name);
}

/// Refuses windows whose places no int64 counts, for centres from -centre to centre. Throws
/// `[extent-overflow]`.
void require_reach(int64_t window, int64_t dilation, int64_t centre) {
  if (window / 2 > (std::numeric_limits<int64_t>::max() - centre) / 2 / dilation)
    fail(ErrorKind::value, "extent-overflow",
         "expected windows whose places int64 counts, but got a dilation of " +
             std::to_string(dilation) + " and windows of " + std::to_string(window));
}

std::string text_of(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

/// `given` as a leaf of a list; a number of its kind fills it. Throws `[list-type]`,
/// `[scalar-does-not-fit]`.
Tensor as_leaf(const List& list, const Operand& given) {
  auto* tensor = std::get_if<Tensor>(&given.value());
  auto* number = std::get_if<double>(&given.value());
  if (!tensor && (!number || is_float(list.dtype())))
    return full(list.leaf_shape(), given, list.dtype());
  if (!tensor || tensor->dtype() != list.dtype() || tensor->shape() != list.leaf_shape())
    fail(ErrorKind::type, "list-type",
         "argument 'value': expected " + std::string(name(list.dtype())) +
             to_string(list.leaf_shape()) + ", as the leaves are, but got " +
             (tensor ? describe(*tensor) : "the number " + text_of(*number)));
  return *tensor;
}

/// A leaf for each part: `value`, or zeros where nothing is given. Elements that are lists have no
/// value that could lie outside: then none without `value`.
std::vector<Tensor> pads(const Parts& xs, const std::vector<Operand>& value) {
  if (std::ranges::any_of(xs, [](const List& list) { return list.depth() > 1; })) {
    if (value.empty())
      return {};
    fail(ErrorKind::type, "list-type",
         "argument 'value': expected a list of tensors around it, but got " + describe(xs));
  }
  if (!value.empty() && value.size() != xs.size())
    fail(ErrorKind::type, "list-type",
         "argument 'value': expected a value for each of the " + std::to_string(xs.size()) +
             " parts of an element, but got " + std::to_string(value.size()));
  std::vector<Tensor> results;
  for (size_t part = 0; part < xs.size(); ++part)
    results.push_back(as_leaf(xs[part], value.empty() ? Operand(0) : value[part]));
  return results;
}

/// The centre of a window; a far one ends where sums of it still fit.
Tensor centre_of(const Operand& i) {
  auto* number = std::get_if<int64_t>(&i.value());
  if (number)
    return integer_scalar("i", Operand(std::clamp(*number, -kFar, kFar)));
  return minimum(maximum(integer_scalar("i", i), -kFar), kFar);
}

/// The same of a circular window, where places start anew after all elements.
Tensor circular_centre_of(const Operand& i, const Parts& xs) {
  Tensor centre = integer_scalar("i", i);
  auto* number = std::get_if<int64_t>(&i.value());
  if (number && *number > -kFewElements && *number < kFewElements)
    return centre;
  return remainder(centre, maximum(length(xs), 1));
}

} // namespace

Parts slide(const Parts& xs, int64_t window, const SlideOptions& options, Here where) {
  Scope scope("slide", where);
  const auto [L, j0, j1, a0] = Symbols();
  require_at_least("window", window, 1);
  require_at_least("dilation", options.dilation, 1);
  require_at_least("stride", options.stride, 1);
  require_at_least("padding", std::min(options.padding.before, options.padding.behind), 0);
  require_room(xs, window, options.padding, "slide");
  Extent reach = Extent(options.dilation) * Extent(window - 1) + 1;
  const Extent before = options.padding.before, behind = options.padding.behind;
  const Extent stride = options.stride;
  Access form{"slide",
              {floordiv(L + before + behind - reach, stride) + 1, window}, // none below 0
              {stride * j0 + Extent(options.dilation) * j1 - before}};
  bool is_padded = options.padding.before > 0 || options.padding.behind > 0;
  return accessed(xs, form, is_padded ? pads(xs, options.value) : std::vector<Tensor>());
}

Parts shifted_slide(const Parts& xs, int64_t window, int64_t dilation, Here where) {
  Scope scope("shifted_slide", where);
  const auto [L, j0, j1, a0] = Symbols();
  require_centred(window, dilation);
  require_room(xs, window, 0, "shifted_slide");
  require_reach(window, dilation, kFar / 4);
  Extent place = j0 + Extent(dilation) * (j1 - Extent(window / 2));
  return accessed(xs, {"shifted_slide", {L, window}, {modulo(place, L)}});
}

Parts window(const Operand& i, const Parts& xs, int64_t window, int64_t dilation,
             const std::vector<Operand>& value) {
  CallScope scope("window", i.where());
  const auto [L, j0, j1, a0] = Symbols();
  require_centred(window, dilation);
  require_reach(window, dilation, kFar);
  Extent place = a0 + Extent(dilation) * (j0 - Extent(window / 2));
  return accessed(xs, {"window", {window}, {place}, {centre_of(i)}}, pads(xs, value));
}

Parts shifted_window(const Operand& i, const Parts& xs, int64_t window, int64_t dilation) {
  CallScope scope("shifted_window", i.where());
  const auto [L, j0, j1, a0] = Symbols();
  require_centred(window, dilation);
  require_reach(window, dilation, kFar / 4);
  Extent place = a0 + Extent(dilation) * (j0 - Extent(window / 2));
  return accessed(xs,
                  {"shifted_window", {window}, {modulo(place, L)}, {circular_centre_of(i, xs)}});
}

} // namespace kolam::fractal::detail
