// Two products back to back, D = (A B) C, over lists of blocks: no row of A B is ever kept as a
// whole.
//
//     P = sum over k of A[m][k] B[n][k]        one block of A B
//     D[m][p] = sum over n of P C[p][n]
//
// A is a list of rows of blocks; B and C are lists of columns of blocks.
#include "draw.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Blocks = FractalTensor<Tensor>; // of a row or a column
using Matrix = FractalTensor<Blocks>;

/// The sum of the products of blocks.
Tensor product_of_blocks(Blocks row, Blocks column) {
  auto products = ops::map([](Tensor x, Tensor y) { return matmul(x, y); }, ops::zip(row, column));
  return ops::reduce(kolam::add, products);
}

/// D: [rows of blocks][columns of blocks] of blocks.
Matrix back_to_back_matmuls(Matrix a, Matrix b, Matrix c) {
  auto times = [](Blocks row, Matrix columns) {
    return ops::map([&](Blocks column) { return product_of_blocks(row, column); }, columns);
  };
  return ops::map([&](Blocks row) { return times(times(row, b), c); }, a);
}

int main(int count, char** words) {
  Draw draw;
  auto matrix = [&](int64_t lists, int64_t length) {
    std::vector<Blocks> blocks;
    for (int64_t i = 0; i < lists; ++i)
      blocks.push_back(draw.tensors(length, {2, 2}));
    return Matrix(blocks);
  };
  Matrix a = matrix(3, 2), b = matrix(4, 2), c = matrix(1, 4);
  return run_example(kolam::jit(back_to_back_matmuls), std::tuple(a, b, c), count, words);
}
