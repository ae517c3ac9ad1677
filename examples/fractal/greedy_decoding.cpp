// Greedy decoding with a recurrent network: from a prompt on, always the likeliest word, until the
// end word or a limit.
//
//     state = last state over the prompt
//     while the last word is not kEnd: word = argmax(state W), state = cell(state, word)
//
// The list of words is a state of the loop and grows by one at each turn; sentences of a batch end
// at different turns.
#include "draw.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::DType;
using kolam::Tensor;
using ops::FractalTensor;
using Words = FractalTensor<Tensor>;

constexpr int64_t kEnd = 0, kLimit = 16;

/// The words behind each prompt. A prompt is a list of words, at least one.
FractalTensor<Words> greedy_decoding(FractalTensor<Words> prompts, Tensor embedding, Tensor w,
                                     Tensor u, Tensor out) {
  using Loop = std::tuple<Words, Tensor>;
  auto rows = ops::slices(embedding);
  auto cell = [&](Tensor state, Tensor word) {
    return tanh(matmul(ops::index(rows, word), w) + matmul(state, u));
  };
  auto goes_on = [](Loop loop) {
    auto [words, state] = loop;
    Tensor count = ops::length(words);
    return kolam::cond(
        count == 0, [] { return Tensor(kolam::Array::scalar(true)); },
        [&] { return (ops::last(words) != kEnd) & (count < kLimit); });
  };
  auto turn = [&](Loop loop) {
    auto [words, state] = loop;
    Tensor word = astype(argmax(matmul(state, out)), DType::i64);
    return Loop{ops::join(words, ops::repeat(word, 1)), cell(state, word)};
  };
  auto decode = [&](Words prompt) {
    Tensor state = ops::fold(cell, prompt, kolam::zeros({1, embedding.shape()[1]}));
    return std::get<0>(kolam::while_loop(goes_on, turn, Loop{ops::slice(prompt, {0, 0}), state}));
  };
  return ops::map(decode, prompts);
}

int main(int count, char** words) {
  Draw draw;
  auto prompts = ops::list<int64_t>({{3, 1, 2}, {5}});
  Tensor embedding = draw.tensor({8, 6}), w = draw.tensor({6, 6}), u = draw.tensor({6, 6}),
         out = draw.tensor({6, 8});
  return run_example(kolam::jit(greedy_decoding), std::tuple(prompts, embedding, w, u, out), count,
                     words);
}
