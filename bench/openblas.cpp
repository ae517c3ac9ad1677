// OpenBLAS as a peer.
#include "bench/peers.h"

#include <cblas.h>

namespace kolam::bench {

void set_openblas_threads(int threads) { openblas_set_num_threads(threads); }

Peer openblas_matmul(const Array& a, const Array& b) {
  const auto m = static_cast<int>(a.shape()[0]), k = static_cast<int>(a.shape()[1]),
             n = static_cast<int>(b.shape()[1]);
  Array c = Array::uninitialized(DType::f32, {m, n});
  auto* to = static_cast<float*>(c.mutable_data());
  return peer("OpenBLAS", c, [=] {
    const auto* left = static_cast<const float*>(a.data());
    const auto* right = static_cast<const float*>(b.data());
    if (n == 1)
      cblas_sgemv(CblasRowMajor, CblasNoTrans, m, k, 1, left, k, right, 1, 0, to, 1);
    else
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, left, k, right, n, 0, to,
                  n);
  });
}

} // namespace kolam::bench
