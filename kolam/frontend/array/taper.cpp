// Computes tapers from the places of their elements.
#include "kolam/frontend/array/taper.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"

#include <numbers>

namespace kolam {
namespace {

using std::numbers::pi;

/// `weigh` of i / (n - 1) for i < n.
Tensor taper(std::string_view name, int64_t n, const std::source_location& here,
             Tensor (*weigh)(const Tensor& part)) {
  CallScope scope(name, user_line(here));
  if (n < 2)
    return ones({Extent(n)});
  return apply_composite(name, {}, [&](const std::vector<Tensor>&) {
    const Tensor part = arange(n, DType::f64) / static_cast<double>(n - 1);
    return std::vector{astype(weigh(part), DType::f32)};
  })[0];
}

} // namespace

Tensor bartlett(int64_t n, std::source_location here) {
  return taper("bartlett", n, here, [](const Tensor& part) { return 1 - abs(2 * part - 1); });
}

Tensor blackman(int64_t n, std::source_location here) {
  return taper("blackman", n, here, [](const Tensor& part) {
    return 0.42 - 0.5 * cos(2 * pi * part) + 0.08 * cos(4 * pi * part);
  });
}

Tensor hamming(int64_t n, std::source_location here) {
  return taper("hamming", n, here,
               [](const Tensor& part) { return 0.54 - 0.46 * cos(2 * pi * part); });
}

Tensor hanning(int64_t n, std::source_location here) {
  return taper("hanning", n, here,
               [](const Tensor& part) { return 0.5 - 0.5 * cos(2 * pi * part); });
}

} // namespace kolam
