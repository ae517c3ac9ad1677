// Documents of sentences of words, ragged at every level: one recurrent cell reads the words,
// another the sentences.
//
//     sentence = last state over its words
//     document = last state over its sentences
//     scores = document W
//
// Frequent words (those below kStop) are left out at all depths by `filterall`, and by `filter` the
// sentences that nothing is left of. A document without sentences keeps the initial state.
#include "rnn_cell.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Sentence = FractalTensor<Tensor>;
using Document = FractalTensor<Sentence>;

constexpr int64_t kStop = 100;

/// The scores of each document, [1, classes].
FractalTensor<Tensor> documents(FractalTensor<Document> texts, Tensor embedding, RnnCell word_cell,
                                RnnCell sentence_cell, Tensor w) {
  Tensor zero = zeros_like(word_cell.b);
  auto rows = ops::slices(embedding);

  auto read_sentence = [&](Sentence sentence) { return ops::fold(word_cell, sentence, zero); };
  auto read_document = [&](Document document) {
    document = ops::filter([](Sentence sentence) { return ops::length(sentence) > 0; }, document);
    return matmul(ops::fold(sentence_cell, ops::map(read_sentence, document), zero), w);
  };

  auto rare = ops::filterall([](Tensor word) { return word >= kStop; }, texts);
  auto embedded = ops::forall([&](Tensor word) { return ops::index(rows, word); }, rare);
  return ops::map(read_document, embedded);
}

int main(int count, char** words) {
  Draw draw;
  FractalTensor<Document> texts{ops::list<int64_t>({{101, 7, 102}, {8}}),
                                ops::list<int64_t>({{9}, {103}, {104, 105}})};
  Tensor embedding = draw.tensor({106, 3});
  RnnCell word_cell = draw_rnn_cell(draw, 3, 3), sentence_cell = draw_rnn_cell(draw, 3, 3);
  return run_example(kolam::jit(documents),
                     std::tuple(texts, embedding, word_cell, sentence_cell, draw.tensor({3, 2})),
                     count, words);
}
