// Writes functions on sequences over other array functions.
#include "kolam/frontend/array/sequences.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/convolution.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/index.h"
#include "kolam/frontend/array/reduction.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/support/axis.h"

#include <algorithm>

namespace kolam {
namespace {

using Tensors = std::vector<Tensor>;

void require_vector(std::string_view argument, const Tensor& x) {
  if (x.rank() != 1)
    fail(ErrorKind::value, "rank-mismatch",
         "argument '" + std::string(argument) + "': expected rank 1, but got shape " +
             to_string(x.shape()));
}

int64_t known_extent(const Tensor& x, std::string_view argument) {
  const Extent extent = x.extent(0);
  if (!extent.is_constant())
    fail(ErrorKind::value, "symbolic-extent",
         "argument '" + std::string(argument) + "': expected an extent that is a number, but got " +
             extent.to_string());
  return *extent.constant();
}

enum class Sums : uint8_t { convolution, correlation };

Tensor window_sums(Sums sums, const Tensor& x, const Tensor& y, const std::string& mode) {
  require_vector("x", x);
  require_vector("y", y);
  if (mode != "full" && mode != "same" && mode != "valid")
    fail(ErrorKind::value, "bad-option",
         "argument 'mode': expected 'full', 'same' or 'valid', but got '" + mode + "'");
  const int64_t n = known_extent(x, "x"), m = known_extent(y, "y");
  if (n == 0 || m == 0)
    fail(ErrorKind::value, "empty-dim", "expected elements in both arguments, but got none");
  const bool exchanges = n < m;
  const Tensor& longer = exchanges ? y : x;
  const Tensor& other = exchanges ? x : y;
  const int64_t most = std::max(n, m), least = std::min(n, m);
  // Of two that are exchanged a correlation is the same, back to front.
  const Tensor kernel = sums == Sums::convolution ? flip(other) : other;
  int64_t before = 0, after = 0;
  if (mode == "full")
    before = after = least - 1;
  else if (mode == "same")
    before = least / 2, after = least - 1 - least / 2;
  const Tensor padded = pad(longer, {{before, after}});
  const int64_t length = most + before + after - least + 1;
  // One channel of one signal.
  auto channel = [](const Tensor& v) { return reshape(v, {1, 1, v.extent(0)}); };
  const Tensor result = reshape(conv1d(channel(padded), channel(kernel)), {length});
  return exchanges && sums == Sums::correlation ? flip(result) : result;
}

/// x[.., start : stop] along the last dim.
Tensor tail(const Tensor& x, Slice slice) { return index(x, {ellipsis, std::move(slice)}); }

Tensor differences(const Tensor& given, int64_t axis, double h) {
  const Extent extent = given.extent(axis);
  if (extent.is_constant() && *extent.constant() < 2)
    fail(ErrorKind::value, "empty-dim",
         "expected 2 elements or more along axis " + std::to_string(axis) + ", but got " +
             extent.to_string());
  const Tensor x = moveaxis(given, axis, -1);
  const Tensor first = (tail(x, {1, 2}) - tail(x, {{}, 1})) / h;
  const Tensor inner = (tail(x, {2, {}}) - tail(x, {{}, -2})) / (2 * h);
  const Tensor last = (tail(x, {-1, {}}) - tail(x, {-2, -1})) / h;
  return moveaxis(concat({first, inner, last}, -1), -1, axis);
}

std::vector<int64_t> axes_of(const Axis& axis, int64_t rank) {
  std::vector<int64_t> axes;
  if (!axis.axes()) {
    for (int64_t d = 0; d < rank; ++d)
      axes.push_back(d);
    return axes;
  }
  for (int64_t given : *axis.axes()) {
    const int64_t place = normalize_axis(given, rank);
    if (std::ranges::count(axes, place))
      fail(ErrorKind::value, "duplicate-axis",
           "argument 'axis': expected each axis once, but got " + std::to_string(given) + " twice");
    axes.push_back(place);
  }
  return axes;
}

Tensors gradients(const Tensor& given, const std::vector<double>& spacing, const Axis& axis) {
  const Tensor x = is_float(given.dtype()) ? given : astype(given, DType::f32);
  const std::vector<int64_t> axes = axes_of(axis, x.rank());
  if (spacing.size() > 1 && spacing.size() != axes.size())
    fail(ErrorKind::value, "bad-option",
         "argument 'spacing': expected one number or " + std::to_string(axes.size()) +
             ", but got " + std::to_string(spacing.size()));
  Tensors results;
  for (size_t k = 0; k < axes.size(); ++k)
    results.push_back(differences(x, axes[k],
                                  spacing.empty()       ? 1
                                  : spacing.size() == 1 ? spacing[0]
                                                        : spacing[k]));
  return results;
}

Tensor area(const Tensor& y, const Tensor& width, int64_t axis, bool is_spacing) {
  if (y.rank() == 0)
    fail(ErrorKind::value, "rank-mismatch",
         "argument 'y': expected rank 1 or more, but got shape []");
  const int64_t place = normalize_axis(axis, y.rank());
  const Tensor v = moveaxis(y, place, -1);
  const Tensor heights = tail(v, {1, {}}) + tail(v, {{}, -1});
  if (is_spacing)
    return divide(sum(heights * width, -1), 2);
  const Tensor x = width.rank() > 1 ? moveaxis(width, place, -1) : width;
  return divide(sum(heights * (tail(x, {1, {}}) - tail(x, {{}, -1})), -1), 2);
}

Tensor polynomial(const Tensor& p, const Tensor& x) {
  require_vector("p", p);
  const int64_t n = known_extent(p, "p");
  if (n == 0)
    return zeros_like(x);
  Tensor result = zeros_like(x) + index(p, {0});
  for (int64_t i = 1; i < n; ++i)
    result = result * x + index(p, {i});
  return result;
}

Tensor powers(const Tensor& x, std::optional<int64_t> given, bool increasing) {
  require_vector("x", x);
  const int64_t n = given ? *given : known_extent(x, "x");
  if (n < 0)
    fail(ErrorKind::value, "negative-count",
         "argument 'n': expected 0 or more, but got " + std::to_string(n));
  if (n == 0)
    return zeros({x.extent(0), 0}, x.dtype());
  std::vector<Operand> columns{ones_like(x)};
  Tensor power = ones_like(x);
  for (int64_t i = 1; i < n; ++i)
    columns.emplace_back(power = power * x);
  if (!increasing)
    std::ranges::reverse(columns);
  return stack(columns, -1);
}

} // namespace

Tensor convolve(const Operand& x, const Operand& y, const std::string& mode) {
  return apply_composite("convolve", {x, y}, [&](const Tensors& v) {
    return Tensors{window_sums(Sums::convolution, v[0], v[1], mode)};
  })[0];
}

Tensor correlate(const Operand& x, const Operand& y, const std::string& mode) {
  return apply_composite("correlate", {x, y}, [&](const Tensors& v) {
    return Tensors{window_sums(Sums::correlation, v[0], v[1], mode)};
  })[0];
}

std::vector<Tensor> gradient(const Operand& x, const std::vector<double>& spacing,
                             const Axis& axis) {
  return apply_composite("gradient", {x},
                         [&](const Tensors& v) { return gradients(v[0], spacing, axis); });
}

Tensor trapezoid(const Operand& y, const std::optional<Operand>& x, const Operand& dx,
                 int64_t axis) {
  return apply_composite("trapezoid", {y, x ? *x : dx},
                         [&](const Tensors& v) { return Tensors{area(v[0], v[1], axis, !x)}; })[0];
}

Tensor polyval(const Operand& p, const Operand& x) {
  return apply_composite("polyval", {p, x},
                         [](const Tensors& v) { return Tensors{polynomial(v[0], v[1])}; })[0];
}

Tensor vander(const Operand& x, std::optional<int64_t> n, bool increasing) {
  return apply_composite("vander", {x},
                         [&](const Tensors& v) { return Tensors{powers(v[0], n, increasing)}; })[0];
}

} // namespace kolam
