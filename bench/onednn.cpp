// oneDNN as a peer: weights packed once, primitives made once.
#include "bench/operands.h"
#include "bench/peers.h"

#include <dnnl.hpp>
#include <unordered_map>

namespace kolam::bench {
namespace {

using Tag = dnnl::memory::format_tag;
using Desc = dnnl::memory::desc;
using Arguments = std::unordered_map<int, dnnl::memory>;

const dnnl::engine& engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::memory::data_type type_of(DType dtype) {
  switch (dtype) {
  case DType::bf16:
    return dnnl::memory::data_type::bf16;
  case DType::i8:
    return dnnl::memory::data_type::s8;
  case DType::i32:
    return dnnl::memory::data_type::s32;
  default:
    return dnnl::memory::data_type::f32;
  }
}

/// Row-major, or in any layout.
Desc desc_of(DType dtype, const std::vector<int64_t>& shape, bool any = false) {
  constexpr Tag tags[] = {Tag::undef, Tag::a, Tag::ab, Tag::abc, Tag::abcd};
  return {shape, type_of(dtype), any ? Tag::any : tags[shape.size()]};
}
Desc desc_of(const Array& array, bool any = false) {
  return desc_of(array.dtype(), array.shape(), any);
}

/// Memory of an array, which must outlive it.
dnnl::memory memory_of(const Array& array) {
  return {desc_of(array), engine(), const_cast<void*>(array.data())};
}

void reorder(dnnl::memory from, dnnl::memory to) {
  dnnl::stream stream(engine());
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
}

dnnl::memory packed(const Array& array, const Desc& layout) {
  dnnl::memory result(layout, engine());
  reorder(memory_of(array), result);
  return result;
}

/// Calls one after the other, and the arrays that they use.
struct Sequence {
  std::vector<std::pair<dnnl::primitive, Arguments>> calls;
  std::vector<Array> arrays;
  dnnl::stream stream{engine()};

  void run() {
    for (auto& [primitive, arguments] : calls)
      primitive.execute(stream, arguments);
    stream.wait();
  }
};

void add_gelu(Sequence& sequence, const Array& y) {
  dnnl::eltwise_forward::desc desc(dnnl::prop_kind::forward_inference,
                                   dnnl::algorithm::eltwise_gelu_erf, desc_of(y), 0.f, 0.f);
  sequence.calls.push_back({dnnl::eltwise_forward({desc, engine()}),
                            {{DNNL_ARG_SRC, memory_of(y)}, {DNNL_ARG_DST, memory_of(y)}}});
}

void add_residual(Sequence& sequence, const Array& y, const Array& residual) {
  dnnl::binary::desc desc(dnnl::algorithm::binary_add, desc_of(y), desc_of(residual), desc_of(y));
  sequence.calls.push_back({dnnl::binary({desc, engine()}),
                            {{DNNL_ARG_SRC_0, memory_of(y)},
                             {DNNL_ARG_SRC_1, memory_of(residual)},
                             {DNNL_ARG_DST, memory_of(y)}}});
}

/// Adds y = epilogue(x weights) as one call or several; gives y.
Array add_matmul(Sequence& sequence, const Array& x, const Array& weights, DType result,
                 const Epilogue& epilogue) {
  Array y = Array::uninitialized(result, {x.shape()[0], weights.shape()[1]});
  dnnl::post_ops after;
  if (epilogue.relu)
    after.append_eltwise(1.f, dnnl::algorithm::eltwise_relu, 0.f, 0.f);
  if (epilogue.fused && epilogue.gelu)
    after.append_eltwise(1.f, dnnl::algorithm::eltwise_gelu_erf, 0.f, 0.f);
  if (epilogue.fused && epilogue.residual)
    after.append_binary(dnnl::algorithm::binary_add, desc_of(*epilogue.residual));
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);

  const Desc bias = epilogue.bias ? desc_of(DType::f32, {1, weights.shape()[1]}) : Desc();
  dnnl::matmul::desc desc(desc_of(x), desc_of(weights, true), bias, desc_of(y));
  dnnl::matmul::primitive_desc primitive(desc, attributes, engine());
  Arguments arguments = {{DNNL_ARG_SRC, memory_of(x)},
                         {DNNL_ARG_WEIGHTS, packed(weights, primitive.weights_desc())},
                         {DNNL_ARG_DST, memory_of(y)}};
  if (epilogue.bias)
    arguments.insert({DNNL_ARG_BIAS, {bias, engine(), const_cast<void*>(epilogue.bias->data())}});
  if (epilogue.fused && epilogue.residual)
    arguments.insert({DNNL_ARG_ATTR_MULTIPLE_POST_OP(after.len() - 1) | DNNL_ARG_SRC_1,
                      memory_of(*epilogue.residual)});
  sequence.calls.push_back({dnnl::matmul(primitive), arguments});
  if (!epilogue.fused && epilogue.gelu)
    add_gelu(sequence, y);
  if (!epilogue.fused && epilogue.residual)
    add_residual(sequence, y, *epilogue.residual);
  for (const std::optional<Array>& array : {std::optional(x), epilogue.bias, epilogue.residual})
    if (array)
      sequence.arrays.push_back(*array);
  return y;
}

/// A sequence whose last call writes `output`.
Peer sequence_peer(const std::string& name, Sequence sequence, const Array& output) {
  auto shared = std::make_shared<Sequence>(std::move(sequence));
  return peer(name, output, [shared] { shared->run(); });
}

} // namespace

Peer onednn_matmul(const std::string& name, const Array& x, const Array& weights, DType result,
                   const Epilogue& epilogue) {
  Sequence sequence;
  Array y = add_matmul(sequence, x, weights, result, epilogue);
  return sequence_peer(name, std::move(sequence), y);
}

Peer onednn_mlp(const Array& x, const std::vector<Array>& weights,
                const std::vector<Array>& biases) {
  Sequence sequence;
  Array y = x;
  for (size_t layer = 0; layer < weights.size(); ++layer)
    y = add_matmul(sequence, y, weights[layer], DType::f32,
                   {.bias = biases[layer], .relu = layer + 1 < weights.size()});
  return sequence_peer("oneDNN", std::move(sequence), y);
}

Peer onednn_softmax(const Array& x) {
  Array y = Array::uninitialized(DType::f32, x.shape());
  dnnl::softmax_forward::desc desc(dnnl::prop_kind::forward_inference, desc_of(x), 1);
  Sequence sequence;
  sequence.calls.push_back({dnnl::softmax_forward({desc, engine()}),
                            {{DNNL_ARG_SRC, memory_of(x)}, {DNNL_ARG_DST, memory_of(y)}}});
  sequence.arrays = {x};
  return sequence_peer("oneDNN", std::move(sequence), y);
}

Peer onednn_layer_norm(const Array& x, const Array& weight, const Array& bias, float epsilon) {
  Array y = Array::uninitialized(DType::f32, x.shape());
  using Flags = dnnl::normalization_flags;
  dnnl::layer_normalization_forward::desc desc(dnnl::prop_kind::forward_inference, desc_of(x),
                                               epsilon, Flags::use_scale | Flags::use_shift);
  Sequence sequence;
  sequence.calls.push_back({dnnl::layer_normalization_forward({desc, engine()}),
                            {{DNNL_ARG_SRC, memory_of(x)},
                             {DNNL_ARG_SCALE, memory_of(weight)},
                             {DNNL_ARG_SHIFT, memory_of(bias)},
                             {DNNL_ARG_DST, memory_of(y)}}});
  sequence.arrays = {x, weight, bias};
  return sequence_peer("oneDNN", std::move(sequence), y);
}

Peer onednn_convolution(const Array& x, const Array& weights, int64_t stride, int64_t padding) {
  auto extent = [&](int64_t dim) {
    return (x.shape()[dim] + 2 * padding - weights.shape()[dim]) / stride + 1;
  };
  Array y =
      Array::uninitialized(DType::f32, {x.shape()[0], weights.shape()[0], extent(2), extent(3)});
  dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference,
                                       dnnl::algorithm::convolution_direct, desc_of(x, true),
                                       desc_of(weights, true), desc_of(y, true), {stride, stride},
                                       {padding, padding}, {padding, padding});
  dnnl::convolution_forward::primitive_desc primitive(desc, engine());
  dnnl::memory result(primitive.dst_desc(), engine());
  Sequence sequence;
  sequence.calls.push_back({dnnl::convolution_forward(primitive),
                            {{DNNL_ARG_SRC, packed(x, primitive.src_desc())},
                             {DNNL_ARG_WEIGHTS, packed(weights, primitive.weights_desc())},
                             {DNNL_ARG_DST, result}}});
  auto shared = std::make_shared<Sequence>(std::move(sequence));
  Peer made = peer("oneDNN", [shared] { shared->run(); });
  made.result = [shared, result, y]() mutable {
    poison(y);
    reorder(memory_of(y), result);
    shared->run();
    reorder(result, memory_of(y));
    return to_doubles(y);
  };
  return made;
}

Peer onednn_lstm(const Array& x, const Array& for_x, const Array& for_state, const Array& bias) {
  const int64_t layers = for_x.shape()[0], hidden = for_x.shape()[1];
  constexpr auto kType = dnnl::memory::data_type::f32;
  const Desc steps(x.shape(), kType, Tag::tnc), none;
  const std::vector<int64_t> shape = {layers, 1, hidden, 4, hidden};
  const Desc any(shape, kType, Tag::any), plain(shape, kType, Tag::ldigo),
      biases({layers, 1, 4, hidden}, kType, Tag::ldgo);
  dnnl::lstm_forward::desc desc(dnnl::prop_kind::forward_inference,
                                dnnl::rnn_direction::unidirectional_left2right, steps, none, none,
                                any, any, biases, steps, none, none);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::lstm_forward::primitive_desc primitive(desc, attributes, engine());
  auto pack = [&](const Array& weights, const Desc& layout) {
    dnnl::memory result(layout, engine());
    reorder({plain, engine(), const_cast<void*>(weights.data())}, result);
    return result;
  };
  Array y = Array::uninitialized(DType::f32, x.shape());
  Sequence sequence;
  sequence.calls.push_back(
      {dnnl::lstm_forward(primitive),
       {{DNNL_ARG_SRC_LAYER, {steps, engine(), const_cast<void*>(x.data())}},
        {DNNL_ARG_WEIGHTS_LAYER, pack(for_x, primitive.weights_layer_desc())},
        {DNNL_ARG_WEIGHTS_ITER, pack(for_state, primitive.weights_iter_desc())},
        {DNNL_ARG_BIAS, {biases, engine(), const_cast<void*>(bias.data())}},
        {DNNL_ARG_DST_LAYER, {steps, engine(), y.mutable_data()}},
        {DNNL_ARG_SCRATCHPAD, {primitive.scratchpad_desc(), engine()}}}});
  sequence.arrays = {x, bias};
  return sequence_peer("oneDNN", std::move(sequence), y);
}

} // namespace kolam::bench
