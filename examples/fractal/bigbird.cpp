// BigBird's sparse attention over blocks: what a block of queries sees is a list, made by reading
// other lists.
//
//     rows 2 .. n-3 see the block before, their own and the next one, the first and the last, and
//     some drawn at random; the first two rows and the last two see all blocks
//
// Windows, ends and random blocks are maps of places: no block of keys is copied. The attention
// itself is that of online_softmax.h.
//
// Source: M. Zaheer et al., "Big Bird: Transformers for Longer Sequences", 2020.
#include "draw.h"
#include "online_softmax.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Places = FractalTensor<Tensor>;

/// What a row sees of all blocks: its window, the ends, and those at `places`.
Blocks seen(Blocks blocks, Blocks window, Places places) {
  return ops::join(
      {window, ops::slice(blocks, {{}, 1}), ops::slice(blocks, {-1}), ops::gather(blocks, places)});
}

Blocks sequence(Blocks queries, Blocks keys, Blocks values, FractalTensor<Places> drawn) {
  auto dense = [&](Tensor query) { return attend(query, keys, values); };
  auto sparse = [&](Tensor query, Blocks near_keys, Blocks near_values, Places places) {
    return attend(query, seen(keys, near_keys, places), seen(values, near_values, places));
  };
  auto rows = ops::zip(queries, ops::shifted_slide(keys, 3), ops::shifted_slide(values, 3), drawn);
  return ops::join({ops::map(dense, ops::slice(queries, {{}, 2})),
                    ops::map(sparse, ops::slice(rows, {2, -2})),
                    ops::map(dense, ops::slice(queries, {-2}))});
}

/// [sequence][block] of [rows of a block, width], as the first three; drawn: [sequence][block][i] a
/// block's place.
FractalTensor<Blocks> bigbird(FractalTensor<Blocks> queries, FractalTensor<Blocks> keys,
                              FractalTensor<Blocks> values,
                              FractalTensor<FractalTensor<Places>> drawn) {
  return ops::map(sequence, ops::zip(queries, keys, values, drawn));
}

int main(int count, char** words) {
  Draw draw;
  auto batch = [&] {
    return FractalTensor<Blocks>{draw.tensors(6, {2, 3}), draw.tensors(5, {2, 3})};
  };
  FractalTensor<FractalTensor<Places>> drawn{ops::list<int64_t>({{2}, {3}, {4}, {1}, {1}, {2}}),
                                             ops::list<int64_t>({{2}, {3}, {3}, {1}, {1}})};
  return run_example(kolam::jit(bigbird), std::tuple{batch(), batch(), batch(), drawn}, count,
                     words);
}
