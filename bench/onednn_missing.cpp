// In place of onednn.cpp where oneDNN is not installed.
#include "bench/peers.h"

namespace kolam::bench {

Peer onednn_matmul(const std::string& name, const Array&, const Array&, DType, const Epilogue&) {
  return not_available(name);
}
Peer onednn_mlp(const Array&, const std::vector<Array>&, const std::vector<Array>&) {
  return not_available("oneDNN");
}
Peer onednn_softmax(const Array&) { return not_available("oneDNN"); }
Peer onednn_layer_norm(const Array&, const Array&, const Array&, float) {
  return not_available("oneDNN");
}
Peer onednn_convolution(const Array&, const Array&, int64_t, int64_t) {
  return not_available("oneDNN");
}
Peer onednn_lstm(const Array&, const Array&, const Array&, const Array&) {
  return not_available("oneDNN");
}

} // namespace kolam::bench
