// A transformer encoder over sentences of different lengths: a fold over its layers, and nothing is
// padded.
//
//     x[i] = embedding[word i] + [sin(i f) ; cos(i f)]     with frequencies f[k] = 10000^(-2k /
//     model) x = x + multi-head attention of layer_norm(x)        in each layer x = x +
//     gelu(layer_norm(x) W1 + b1) W2 + b2
#include "run_example.h"
#include "word_attention.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Words = FractalTensor<Tensor>;

struct Layer {
  FractalTensor<Head> heads;
  Tensor w1, b1, w2, b2;
};
auto fields(Layer& x) { return std::tie(x.heads, x.w1, x.b1, x.w2, x.b2); }

Tensor embed(Tensor i, Tensor word, Tensor embedding) {
  kolam::Extent model = embedding.extent(1);
  Tensor frequencies = kolam::pow(10000.0, -kolam::divide(kolam::arange(0, model, 2), model));
  Tensor angles = astype(i, kolam::DType::f32) * frequencies;
  return ops::index(ops::slices(embedding), word) + kolam::concat({sin(angles), cos(angles)});
}

Sentence encode(Sentence sentence, Layer layer) {
  Sentence normal = ops::map([](Tensor x) { return layer_norm(x); }, sentence);
  sentence = add_lists(sentence, all_heads(layer.heads, normal));
  auto feed_forward = [&](Tensor x) {
    return x + matmul(gelu(matmul(layer_norm(x), layer.w1) + layer.b1), layer.w2) + layer.b2;
  };
  return ops::map(feed_forward, sentence);
}

/// What becomes of the words: [sentence][word] of [1, model].
FractalTensor<Sentence> transformer(FractalTensor<Words> sentences, Tensor embedding,
                                    FractalTensor<Layer> layers) {
  auto embed_word = [&](Tensor i, Tensor word) { return embed(i, word, embedding); };
  auto encode_words = [&](Words words) {
    return ops::fold(encode, layers, ops::map(embed_word, ops::enumerate(words)));
  };
  return ops::map(encode_words, sentences);
}

int main(int count, char** words) {
  Draw draw;
  auto layer = [&] {
    FractalTensor<Head> heads{draw_head(draw, 4, 2), draw_head(draw, 4, 2)};
    return Layer{heads, draw.tensor({4, 16}), draw.tensor({1, 16}), draw.tensor({16, 4}),
                 draw.tensor({1, 4})};
  };
  auto sentences = ops::list<int64_t>({{0, 1, 2}, {3}});
  FractalTensor<Layer> layers{layer(), layer()};
  return run_example(kolam::jit(transformer), std::tuple(sentences, draw.tensor({5, 4}), layers),
                     count, words);
}
