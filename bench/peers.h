/// The peers of this process, and NumPy in a process of its own. Each is not available where it is
/// not installed.
#pragma once

#include "bench/harness.h"

namespace kolam::bench {

/// Sets what every library takes for its threads from now on; peers keep those they were made with.
void set_threads(int threads);

/// OpenBLAS: a [m, k] times b [k, n], f32; a matrix-vector product where n is 1.
Peer openblas_matmul(const Array& a, const Array& b);

/// What oneDNN does after a product, in calls of their own or within the call of the product.
struct Epilogue {
  std::optional<Array> bias = {};     ///< [n]
  bool relu = false;                  ///< within the call
  bool gelu = false;                  ///< with erf
  std::optional<Array> residual = {}; ///< [m, n], added last
  bool fused = false;                 ///< gelu and residual within the call of the product
};
/// oneDNN: x [m, k] times weights [k, n], which are packed once, in f32, or of bf16 or i8 into
/// `result`.
Peer onednn_matmul(const std::string& name, const Array& x, const Array& weights, DType result,
                   const Epilogue& epilogue = {});
/// oneDNN: layers relu(x w + b), one call each, the last one without relu.
Peer onednn_mlp(const Array& x, const std::vector<Array>& weights,
                const std::vector<Array>& biases);
/// oneDNN over the last dim of x [m, n].
Peer onednn_softmax(const Array& x);
Peer onednn_layer_norm(const Array& x, const Array& weight, const Array& bias, float epsilon);
/// oneDNN, all operands and the result in the layouts of its choice: x [n, c, h, w], weights
/// [o, c, k, k].
Peer onednn_convolution(const Array& x, const Array& weights, int64_t stride, int64_t padding);

/// oneDNN: LSTM layers one above the other, weights packed once: x and the result [step, sequence,
/// hidden], weights for x and for the state [layer, hidden, 4 hidden], gates i f g o, bias [layer,
/// 1, 4 hidden].
Peer onednn_lstm(const Array& x, const Array& for_x, const Array& for_state, const Array& bias);

/// NumPy, on random operands of its own: `call` is a name of numpy_peer.py.
Peer numpy(const std::string& call, const std::vector<int64_t>& shape, int threads);

/// A copy of as many bytes as the case reads and writes, half of them each: memcpy, and by stores
/// that pass the caches by.
std::vector<Peer> copies(double bytes);
/// Reading a block of `data` once; the blocks take turns.
Peer reading(std::vector<Array> data);

} // namespace kolam::bench
