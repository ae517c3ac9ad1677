/// The inverse of erf in f32 and f64, from which normal random numbers come.
#pragma once

#include "kolam/support/scalar/log.h"

namespace kolam::scalar {

/// erf_inv(x) = x p(w), w = -log(1 - x^2), after M. Giles, "Approximating the erfinv function"
/// (2010): p is `central` in w - central_shift for w < central_end, then `tail` in sqrt(w) -
/// tail_shift, and in f64 `far` in sqrt(w) - 5 for w >= 16. The coefficients are our own fits, two
/// degrees higher.
template <DType dtype> struct ErfInvConstants;
template <> struct ErfInvConstants<DType::f32> {
  static constexpr double central_end = 5, central_shift = 2.5, tail_shift = 3;
  static constexpr std::array central = {1.50140941,      0.246640295,    -0.00417733938,
                                         -0.0012527447,   0.000218282657, -4.96191751e-06,
                                         -3.43462057e-06, 4.65893294e-07, 1.80383513e-08,
                                         -8.77290418e-09, 3.35490274e-10};
  static constexpr std::array tail = {2.83297682,     1.00167525,      0.00944531243,
                                      -0.0076427483,  0.00568760373,   -0.00356720923,
                                      0.00147545186,  -0.000119762335, -0.000278013118,
                                      0.000160341893, -2.9220113e-05};
};
template <> struct ErfInvConstants<DType::f64> {
  static constexpr double central_end = 6.25, central_shift = 3.125, tail_shift = 3.25;
  static constexpr std::array central = {
      1.6536545626831027,      0.24015818242558834,    -0.0060336708714269962,
      -0.00074070253415455423, 0.00018673420802052938, -1.3882523394197591e-05,
      -1.3654691772638717e-06, 4.2347881712087512e-07, -2.9070389895695096e-08,
      -4.1126606431879397e-09, 1.0512225669213159e-09, -5.4142946117218105e-11,
      -1.2978504154582166e-11, 2.6305034144716643e-12, -8.079292465373285e-14,
      -4.0015890275181831e-14, 6.5333434042296662e-15, -3.9878902169874697e-17,
      -1.234489029132374e-16,  1.5545268833853119e-17, 6.956773453258921e-19,
      -3.4876790358748298e-19, 1.6538746933839987e-20, 3.2194269694266029e-21,
      -3.0015017427555152e-22};
  static constexpr std::array tail = {
      3.0838856104922208,      1.0052589676941655,      0.0053709145535550899,
      -0.0037512085082238109,  0.0024914420979534392,   -0.0016882755354779104,
      0.00095328934166296806,  -0.00035503781337008282, 2.4031511866040528e-05,
      6.8287114181380312e-05,  -4.73206738327474e-05,   1.2465042806830316e-05,
      2.9325501482956896e-06,  -3.9857459554596024e-06, 1.4816701204993195e-06,
      -2.7551946079363384e-08, -2.4560957589807227e-07, 1.3152851814395702e-07,
      -2.0819785958417996e-08, -1.5283595104514892e-08, 7.6460121454236754e-09};
  static constexpr std::array far = {
      4.8499064014085844,      1.0103004648645448,      -0.00013871931838024275,
      -0.00021503011980093171, 7.5995278099649259e-05,  -1.9681771164021766e-05,
      4.5260524930691087e-06,  -9.9302575971444223e-07, 2.2905300853937995e-07,
      -6.7571549203605012e-08, 2.9018031221583186e-08,  -1.5216786832507855e-08,
      7.8225983060523458e-09,  -3.5292027895879859e-09, 1.3147406594024606e-09,
      -3.8539594907800457e-10, 7.0280986813814501e-11,  1.7079960009743946e-11,
      -2.055713976978837e-11,  5.3803280238055734e-12};
};

/// The y with erf(y) = x; infinite at -1 and 1, NaN beyond.
template <DType dtype, class B, class V> V erf_inv(B& b, V x) {
  using Constants = ErfInvConstants<dtype>;
  const V one = b.constant_like(x, 1);
  const V magnitude = b.abs(x);
  // 1 - |x| is exact near 1, where it matters.
  const V w = b.neg(log<dtype>(b, b.mul(b.sub(one, magnitude), b.add(one, magnitude))));
  const V root = b.sqrt(w);
  const V central =
      polynomial(b, b.sub(w, b.constant_like(x, Constants::central_shift)), Constants::central);
  V outer = polynomial(b, b.sub(root, b.constant_like(x, Constants::tail_shift)), Constants::tail);
  if constexpr (dtype == DType::f64) {
    const V far = polynomial(b, b.sub(root, b.constant_like(x, 5)), Constants::far);
    outer = b.select(b.flt(w, b.constant_like(x, 16)), outer, far);
  }
  const V factor = b.select(b.flt(w, b.constant_like(x, Constants::central_end)), central, outer);
  const V infinity = b.constant_like(x, std::numeric_limits<double>::infinity());
  return b.select(b.feq(magnitude, one), b.copysign(infinity, x), b.mul(x, factor));
}

} // namespace kolam::scalar
