/// A selective scan as one would write it by hand: a peer, and in f64 what is right.
#pragma once

#include <cstdint>

namespace kolam::bench {

/// Of 16 states an element.
struct SelectiveScan {
  int64_t steps, width;
  static constexpr int64_t kStates = 16;
};

/// h[d, n] = exp(delta[t, d] a[d, n]) h[d, n] + delta[t, d] x[t, d] b[t, n], y[t, d] = sum over n
/// of h[d, n] c[t, n]; h, of [width, 16], starts as zeros. For float and double.
template <class Float>
void fused_selective_scan(SelectiveScan size, const Float* x, const Float* delta, const Float* a,
                          const Float* b, const Float* c, Float* y);

} // namespace kolam::bench
