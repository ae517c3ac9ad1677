// The selective scan of Mamba: a recurrence whose coefficients come with each step, over sequences
// of any lengths.
//
//     h[t] = exp(delta[t] A) h[t-1] + delta[t] x[t] B[t]
//     y[t] = h[t] . C[t]
//
// per channel; h[t][channel], A[channel], B[t], C[t]: [states].
//
// Source: A. Gu, T. Dao, "Mamba: Linear-Time Sequence Modeling with Selective State Spaces", 2023.
#include "draw.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Sequence = FractalTensor<Tensor>;

/// y: [sequence][step] of [channels]. xs and deltas are lists like that, bs and cs of [states];
/// a: [channels, states].
FractalTensor<Sequence> selective_scan(FractalTensor<Sequence> xs, FractalTensor<Sequence> deltas,
                                       FractalTensor<Sequence> bs, FractalTensor<Sequence> cs,
                                       Tensor a) {
  auto step = [&](Tensor h, Tensor x, Tensor delta, Tensor b) {
    return exp(expand_dims(delta, 1) * a) * h + expand_dims(delta * x, 1) * b;
  };
  auto sequence = [&](Sequence xs, Sequence deltas, Sequence bs, Sequence cs) {
    Sequence states = ops::scan(step, ops::zip(xs, deltas, bs), kolam::zeros(a.shape()));
    return ops::map([](Tensor h, Tensor c) { return matmul(h, c); }, ops::zip(states, cs));
  };
  return ops::map(sequence, ops::zip(xs, deltas, bs, cs));
}

int main(int count, char** words) {
  Draw draw;
  auto batch = [&](int64_t width) {
    return FractalTensor<Sequence>{draw.tensors(3, {width}), draw.tensors(2, {width})};
  };
  auto xs = batch(4), deltas = ops::forall(kolam::softplus, batch(4)), bs = batch(2), cs = batch(2);
  Tensor a = -exp(draw.tensor({4, 2}));
  return run_example(kolam::jit(selective_scan), std::tuple(xs, deltas, bs, cs, a), count, words);
}
