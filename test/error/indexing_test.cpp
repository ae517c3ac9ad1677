// The words of wrong gathers, scatters, sorts, takes and of SambaFlow's names.
#include "test/frontend/array/both_backends.h"

namespace kolam {
namespace {

using test::error_of;

/// 0, 1, 2, ... in a shape.
template <class T> Array counted(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(dtype_of<T>(), std::move(shape));
  T next = 0;
  for (T& value : array.mutable_values<T>())
    value = next++;
  return array;
}

/// `[slug] message` of the error that `call` throws.
std::string message(const std::function<void()>& call) {
  Error error = error_of(call);
  return "[" + error.slug() + "] " + error.message();
}

TEST(IndexingErrors, Gather) {
  Tensor x = counted<float>({3, 4}), i = Array::of<int32_t>({0}, {1, 1});
  EXPECT_EQ(message([&] { gather(x, i, {0}, {4}); }),
            "[window-too-large] argument 'gather_lengths': expected a length from 0 to 3 along dim "
            "0, but got 4");
  EXPECT_EQ(message([&] { gather(x, i, {0}, {-1}); }),
            "[window-too-large] argument 'gather_lengths': expected a length from 0 to 3 along dim "
            "0, but got -1");
  EXPECT_EQ(message([&] { gather(x, i, {2}, {1}); }),
            "[axis-out-of-range] argument 'gather_dims': expected an axis from -2 to 1, but got 2");
  EXPECT_EQ(message([&] { gather(x, Array::zeros(DType::i32, {1, 2}), {0, -2}, {1, 1}); }),
            "[duplicate-axis] argument 'gather_dims': expected every axis once, but got axis 0 "
            "twice");
  EXPECT_EQ(
      message([&] { gather(x, i, {0, 1}, {1, 1}); }),
      "[shape-mismatch] argument 'start_indices': expected extent 2 in the last dim, one "
      "column per entry of 'gather_dims', but got int32[1, 1]; write stack([i, j, ...], -1) for "
      "the indices of each dim");
  EXPECT_EQ(message([&] { gather(x, i, {0}, {1, 1}); }),
            "[shape-mismatch] argument 'gather_lengths': expected 1 lengths, one per entry of "
            "'gather_dims', but got 2");
  EXPECT_EQ(message([&] { gather(x, Array::zeros(DType::f32, {1, 1}), {0}, {1}); }),
            "[dtype-mismatch] argument 'start_indices': expected integers, but got float32");
  EXPECT_EQ(message([&] { gather(x, Array::zeros(DType::i32, {}), {}, {}); }),
            "[rank-mismatch] argument 'start_indices': expected 1 dim or more, but got int32[]");
  EXPECT_EQ(
      message([&] { gather(x, i, {0}, {1}, 3); }),
      "[axis-out-of-range] argument 'batched_dims': expected a number from 0 to 2, but got 3");
  EXPECT_EQ(message([&] { gather(x, i, {0}, {1}, 0, "nearest"); }),
            "[unknown-mode] argument 'mode': expected one of 'clip', 'fill', 'wrap', 'promise', "
            "'check', but got 'nearest'");
  EXPECT_EQ(message([&] { gather(x, i, {0}, {1}, 1); }),
            "[shape-mismatch] batched dim 0: expected equal extents, but got 3 and 1");
}

TEST(IndexingErrors, Scatter) {
  Tensor x = Array::zeros(DType::f32, {3, 4}), u = Array::zeros(DType::f32, {1, 1, 4});
  Tensor i = Array::zeros(DType::i32, {1, 1});
  EXPECT_EQ(message([&] { scatter(x, u, i, {0}, "kSub"); }),
            "[unknown-combiner] argument 'rmw_op': expected one of 'kUpdate', 'kAdd', 'kMul', "
            "'kMin', 'kMax' or a function, but got 'kSub'");
  EXPECT_EQ(message([&] { scatter(x, Array::zeros(DType::f64, {1, 1, 4}), i, {0}); }),
            "[dtype-mismatch] argument 'update': expected the operand's dtype float32, but got "
            "float64; astype converts it");
  EXPECT_EQ(message([&] { scatter(x, Array::zeros(DType::f32, {1, 1, 3}), i, {0}); }),
            "[shape-mismatch] argument 'update', dim 2: expected equal extents, but got 4 and 3");
  EXPECT_EQ(message([&] { scatter(x, Array::zeros(DType::f32, {1, 4}), i, {0}); }),
            "[rank-mismatch] argument 'update': expected 3 dims, those of the batches and of the "
            "window, but got float32[1, 4]; write update[:, None]");
  EXPECT_EQ(
      message([&] { scatter(x, u, Array::zeros(DType::i32, {5}), {0}); }),
      "[shape-mismatch] argument 'start_indices': expected extent 1 in the last dim, one column "
      "per entry of 'scatter_dims', but got int32[5]; write start_indices[..., None]");
  EXPECT_EQ(message([&] {
              scatter(x, Array::zeros(DType::f32, {5}), Array::zeros(DType::i32, {5, 2}), {0, 1});
            }),
            "[rank-mismatch] argument 'update': expected 3 dims, those of the batches and of the "
            "window, but got float32[5]; write update[:, None, None]");
  EXPECT_EQ(message([&] { scatter(x, Array::zeros(DType::f32, {1, 4, 4}), i, {0}); }),
            "[window-too-large] argument 'update': expected a length from 0 to 3 along dim 0, but "
            "got 4");
  EXPECT_EQ(message([&] { scatter(x, u, i, {0}, "kAdd", false, 0, "edge"); }),
            "[unknown-mode] argument 'mode': expected one of 'drop', 'element', 'clip', 'wrap', "
            "'promise', "
            "'check', but got 'edge'");
  Tensor yes = Array::zeros(DType::boolean, {3}), no = Array::zeros(DType::boolean, {1, 1});
  EXPECT_EQ(message([&] { scatter(yes, no, i, {0}, "kAdd"); }),
            "[dtype-mismatch] argument 'operand': expected numbers for 'kAdd', but got bool");
  EXPECT_EQ(message([&] {
              scatter(x, u, i, {0}, [](Tensor cell, Tensor update) { return cell > update; });
            }),
            "[combiner-mismatch] argument 'rmw_op': expected a function that gives a scalar of "
            "dtype float32, but got bool[]");
}

TEST(IndexingErrors, BrokenPromiseOfUniqueIndices) {
  std::vector<Array> arrays{Array::zeros(DType::f32, {4}), Array::zeros(DType::f32, {3, 2}),
                            Array::of<int32_t>({2, 0, 1}, {3, 1})};
  Program program = trace(test::static_specs(arrays), [](std::vector<Tensor> v) {
                      return std::vector{scatter(v[0], v[1], v[2], {0}, "kUpdate", true)};
                    }).with_checks({.bounds = true});
  for (Backend backend : {Backend::interpret, Backend::cpu})
    EXPECT_EQ(
        message([&] { program.run(arrays, backend); }),
        "[indices-not-unique] scatter: argument 'unique_indices': expected every element hit at "
        "most once, as promised, but got an element hit more often (first at row-major index 1)");
}

TEST(IndexingErrors, SortAndTopK) {
  Tensor x = Array::zeros(DType::f32, {3}), scalar = Array::scalar(1.0f);
  EXPECT_EQ(message([&] { top_k(x, 4); }),
            "[k-out-of-range] argument 'k': expected a number from 0 to 3, but got 4");
  EXPECT_EQ(error_of([&] { top_k(x, -1); }).slug(), "k-out-of-range");
  EXPECT_EQ(error_of([&] { sort(scalar); }).message(),
            "argument 'axis': expected no axis for rank 0, but got -1");
  EXPECT_EQ(error_of([&] { argsort(x, 1); }).slug(), "axis-out-of-range");
}

TEST(IndexingErrors, Take) {
  Tensor x = Array::zeros(DType::i32, {2, 3}), floats = Array::of<float>({1});
  EXPECT_EQ(error_of([&] { take(x, floats, 0); }).message(),
            "argument 'indices': expected integers, but got float32[1]");
  EXPECT_EQ(error_of([&] { take(x, Array::of<int32_t>({1}), 2); }).slug(), "axis-out-of-range");
  EXPECT_EQ(error_of([&] { take_along_axis(x, Array::of<int32_t>({1}), 0); }).message(),
            "argument 'indices': expected the rank of 'x', 2, but got int32[1]");
  EXPECT_EQ(error_of([&] { take_along_axis(x, Array::zeros(DType::i32, {3, 1}), 1); }).slug(),
            "shape-mismatch");
}

TEST(IndexingErrors, IndexArrays) {
  Tensor x = Array::zeros(DType::i32, {2, 3, 4}), floats = Array::of<float>({1}),
         two = Array::of<int32_t>({0, 1});
  EXPECT_EQ(error_of([&] { index(x, {Slice{}, floats}); }).message(),
            "argument 'index': expected integers for dim 1, but got float32[1]");
  EXPECT_EQ(error_of([&] { index(x, {two, Tensor(Array::of<int32_t>({1, 0, 1}))}); }).slug(),
            "shape-mismatch");
  EXPECT_EQ(error_of([&] { index(x, {two, 3}); }).message(),
            "argument 'index': expected an index from -3 to 2 in dim 1, but got 3");
  EXPECT_EQ(error_of([&] { index(x, {two, 0, 0, 0}); }).slug(), "rank-mismatch");
}

TEST(IndexingErrors, Samba) {
  Tensor x = Array::of<float>({1, 1});
  Error error = error_of([&] {
    samba::sn_zipmapreduce([](samba::Attrs, Tensor cell) { return cell; }, {x}, "sum", 0, true);
  });
  EXPECT_EQ(error.slug(), "unsupported-stoc-accum");
  EXPECT_TRUE(std::string(error.what())
                  .starts_with("sn_zipmapreduce: [unsupported-stoc-accum] argument 'stoc_accum': "
                               "expected false, for "
                               "stochastic rounding is not supported, but got true"))
      << error.what();
  EXPECT_EQ(message([] { samba::get_int_type(12); }),
            "[unknown-width] argument 'width': expected 8, 16, 32 or 64, but got 12");
  EXPECT_EQ(message([] {
              Tensor x = Array::zeros(DType::f32, {257});
              samba::sn_zipmapreduce(
                  [](samba::Attrs attrs, Tensor) { return samba::sn_iteridx(attrs, 0, DType::u8); },
                  {x});
            }),
            "[extent-does-not-fit] argument 'dtype': expected a dtype that holds 256, the last "
            "coordinate along dim 0, but got uint8");
}

} // namespace
} // namespace kolam
