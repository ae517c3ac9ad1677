// Stacked LSTMs of oneDNN: a call runs them forward for training, then backward to weights and
// inputs.
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

using namespace dnnl;
using tag = memory::format_tag;
using type = memory::data_type;

namespace {

struct Lstm {
  engine cpu{engine::kind::cpu, 0};
  stream queue{cpu};
  lstm_forward forward;
  lstm_backward backward;
  std::unordered_map<int, memory> given, received;

  memory plain(const memory::dims& dims, tag format, float* data) {
    return memory({dims, type::f32, format}, cpu, data);
  }
  /// In the format that the primitive asks for.
  memory as(const memory& from, const memory::desc& wanted) {
    memory to(wanted, cpu);
    memory source = from;
    reorder(source, to).execute(queue, source, to);
    queue.wait();
    return to;
  }

  Lstm(memory::dim layers, memory::dim steps, memory::dim rows, memory::dim hidden, float* x,
       float* wx, float* wh, float* b, float* cotangent) {
    const memory::dims sequence{steps, rows, hidden}, weights{layers, 1, hidden, 4, hidden},
        bias{layers, 1, 4, hidden};
    auto any = [](const memory::dims& dims) { return memory::desc(dims, type::f32, tag::any); };
    auto fixed = [](const memory::dims& dims, tag format) {
      return memory::desc(dims, type::f32, format);
    };
    const auto direction = rnn_direction::unidirectional_left2right;
    const memory::desc none;
    lstm_forward::primitive_desc front(
        {prop_kind::forward_training, direction, fixed(sequence, tag::tnc), none, none,
         any(weights), any(weights), fixed(bias, tag::ldgo), fixed(sequence, tag::tnc), none, none},
        cpu);
    lstm_backward::primitive_desc back({prop_kind::backward,
                                        direction,
                                        fixed(sequence, tag::tnc),
                                        none,
                                        none,
                                        any(weights),
                                        any(weights),
                                        fixed(bias, tag::ldgo),
                                        fixed(sequence, tag::tnc),
                                        none,
                                        none,
                                        fixed(sequence, tag::tnc),
                                        none,
                                        none,
                                        any(weights),
                                        any(weights),
                                        fixed(bias, tag::ldgo),
                                        fixed(sequence, tag::tnc),
                                        none,
                                        none},
                                       cpu, front);
    forward = lstm_forward(front);
    backward = lstm_backward(back);
    memory own_x = plain(sequence, tag::tnc, x), own_b = plain(bias, tag::ldgo, b);
    memory own_wx = plain(weights, tag::ldigo, wx), own_wh = plain(weights, tag::ldigo, wh);
    memory y(front.dst_layer_desc(), cpu), workspace(front.workspace_desc(), cpu);
    given = {{DNNL_ARG_SRC_LAYER, own_x},
             {DNNL_ARG_WEIGHTS_LAYER, as(own_wx, front.weights_layer_desc())},
             {DNNL_ARG_WEIGHTS_ITER, as(own_wh, front.weights_iter_desc())},
             {DNNL_ARG_BIAS, own_b},
             {DNNL_ARG_DST_LAYER, y},
             {DNNL_ARG_WORKSPACE, workspace}};
    received = {{DNNL_ARG_SRC_LAYER, own_x},
                {DNNL_ARG_WEIGHTS_LAYER, as(own_wx, back.weights_layer_desc())},
                {DNNL_ARG_WEIGHTS_ITER, as(own_wh, back.weights_iter_desc())},
                {DNNL_ARG_BIAS, own_b},
                {DNNL_ARG_DST_LAYER, y},
                {DNNL_ARG_WORKSPACE, workspace},
                {DNNL_ARG_DIFF_DST_LAYER, plain(sequence, tag::tnc, cotangent)},
                {DNNL_ARG_DIFF_SRC_LAYER, memory(back.diff_src_layer_desc(), cpu)},
                {DNNL_ARG_DIFF_WEIGHTS_LAYER, memory(back.diff_weights_layer_desc(), cpu)},
                {DNNL_ARG_DIFF_WEIGHTS_ITER, memory(back.diff_weights_iter_desc(), cpu)},
                {DNNL_ARG_DIFF_BIAS, memory(back.diff_bias_desc(), cpu)}};
  }

  void run(bool differentiates) {
    forward.execute(queue, given);
    if (differentiates)
      backward.execute(queue, received);
    queue.wait();
  }
};

} // namespace

extern "C" void* make(long layers, long steps, long rows, long hidden, float* x, float* wx,
                      float* wh, float* b, float* cotangent) {
  return new Lstm(layers, steps, rows, hidden, x, wx, wh, b, cotangent);
}
extern "C" void run(void* lstm, int differentiates) {
  static_cast<Lstm*>(lstm)->run(differentiates != 0);
}
