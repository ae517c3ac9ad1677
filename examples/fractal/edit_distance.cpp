// The edit distance of words: how many letters to insert, delete or change, by two scans over the
// product of their letters.
//
//     d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (a[j] != b[i]))
//     d[-1][j] = j + 1, d[i][-1] = i + 1
//
// All cells of one i + j are independent of each other: Kolam runs them together, as one wave, for
// all pairs of words.
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Letters = FractalTensor<Tensor>;
using Distances = FractalTensor<Tensor>;
using State = std::tuple<Tensor, Tensor>; // the distance, and the one above it

State cell(State state, Tensor above, std::tuple<Tensor, Tensor> letters) {
  auto [left, diagonal] = state;
  auto [a, b] = letters;
  Tensor change = where(a == b, diagonal, diagonal + 1);
  return {minimum(minimum(above, left) + 1, change), above};
}

Distances row(Distances above, Tensor i, Letters a, Letters b) {
  auto [distances, _] = ops::scan(cell, ops::zip(above, ops::zip(a, b)), State(i + 1, i));
  return distances;
}

/// The distance of each pair of words: a list of int64. A word is a list of letters.
FractalTensor<Tensor> edit_distance(FractalTensor<Letters> batch_a,
                                    FractalTensor<Letters> batch_b) {
  auto distance = [](Letters a, Letters b) {
    Distances first_row =
        ops::map([](Tensor i, Tensor letter) { return i + 1; }, ops::enumerate(a));
    auto [columns, rows] = ops::product(a, b);
    return ops::last(ops::fold(row, ops::enumerate(columns, rows), first_row));
  };
  return ops::map(distance, ops::zip(batch_a, batch_b));
}

int main(int count, char** words) {
  auto batch_a = ops::list<int64_t>({{'k', 'i', 't', 't', 'e', 'n'}, {'a', 'b'}}),
       batch_b = ops::list<int64_t>({{'s', 'i', 't', 't', 'i', 'n', 'g'}, {'b'}});
  return run_example(kolam::jit(edit_distance), std::tuple(batch_a, batch_b), count, words);
}
