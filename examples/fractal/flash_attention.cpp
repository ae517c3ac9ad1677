// Attention over blocks of keys, in batches of sequences of different lengths and several heads.
// The attention itself is that of online_softmax.h.
#include "draw.h"
#include "online_softmax.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Heads = FractalTensor<Blocks>;

/// [sequence][head][block] of [rows of a block, width of a head], as are the arguments.
FractalTensor<Heads> flash_attention(FractalTensor<Heads> queries, FractalTensor<Heads> keys,
                                     FractalTensor<Heads> values) {
  auto head = [](Blocks queries, Blocks keys, Blocks values) {
    return ops::map([&](Tensor query) { return attend(query, keys, values); }, queries);
  };
  auto sequence = [&](Heads queries, Heads keys, Heads values) {
    return ops::map(head, ops::zip(queries, keys, values));
  };
  return ops::map(sequence, ops::zip(queries, keys, values));
}

int main(int count, char** words) {
  Draw draw;
  auto batch = [&] {
    auto heads = [&](int64_t blocks) {
      return Heads{draw.tensors(blocks, {2, 3}), draw.tensors(blocks, {2, 3})};
    };
    return FractalTensor<Heads>{heads(3), heads(1)};
  };
  return run_example(kolam::jit(flash_attention), std::tuple{batch(), batch(), batch()}, count,
                     words);
}
