// An encoder and a decoder with attention, over sentence pairs of different lengths.
//
//     e[s]    = cell(e[s-1], source[s])                          the encoder
//     a       = softmax over s of d[t-1] . e[s] / sqrt(hidden)   what the decoder looks at
//     context = sum over s of a[s] e[s]
//     d[t]    = cell(d[t-1], [target[t] ; context])              the decoder, from e's last state
//     on
#include "rnn_cell.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Sentence = FractalTensor<Tensor>; // [word] of [1, hidden]

/// The encodings, weighted by the softmax of their products with the query.
Tensor attend(Tensor query, Sentence encodings) {
  Tensor root = sqrt(query.extent(1));
  auto scores = ops::map([&](Tensor encoding) { return sum(query * encoding) / root; }, encodings);
  Tensor largest = ops::reduce(kolam::maximum, scores);
  auto weights = ops::map([&](Tensor score) { return exp(score - largest); }, scores);
  Tensor total = ops::reduce(kolam::add, weights);
  return ops::reduce(kolam::add, ops::map(kolam::multiply, ops::zip(weights, encodings))) / total;
}

/// The decoder's states: [sentence pair][target word] of [1, hidden].
FractalTensor<Sentence> encoder_decoder(FractalTensor<Sentence> sources,
                                        FractalTensor<Sentence> targets, RnnCell encoder,
                                        RnnCell decoder) {
  auto translate = [&](Sentence source, Sentence target) {
    Sentence encodings = ops::scan(encoder, source, zeros_like(encoder.b));
    auto decode = [&](Tensor state, Tensor word) {
      return decoder(state, kolam::concat({word, attend(state, encodings)}, 1));
    };
    return ops::scan(decode, target, ops::last(encodings));
  };
  return ops::map(translate, ops::zip(sources, targets));
}

int main(int count, char** words) {
  Draw draw;
  FractalTensor<Sentence> sources{draw.tensors(3, {1, 4}), draw.tensors(1, {1, 4})};
  FractalTensor<Sentence> targets{draw.tensors(2, {1, 4}), draw.tensors(4, {1, 4})};
  RnnCell encoder = draw_rnn_cell(draw, 4, 4), decoder = draw_rnn_cell(draw, 8, 4);
  return run_example(kolam::jit(encoder_decoder), std::tuple(sources, targets, encoder, decoder),
                     count, words);
}
