// In place of openblas.cpp where OpenBLAS is not installed.
#include "bench/peers.h"

namespace kolam::bench {

void set_openblas_threads(int) {}
Peer openblas_matmul(const Array&, const Array&) { return not_available("OpenBLAS"); }

} // namespace kolam::bench
