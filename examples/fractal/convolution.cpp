// Convolution and batch norm of images of different sizes: windows of rows, and in each of them
// windows of pixels.
//
//     y[i][j] = sum over r, s of image[i stride + r dilation - padding][j stride + s dilation -
//               padding] filter[r][s]
//     batch norm: (y - mean) / sqrt(variance + 1e-5), over all pixels of all images
//
// An image is a list of rows, a row a list of pixels [channels]; a filter is as large as a window,
// of matrices [channels, filters]. Outside the image lie zeros.
#include "draw.h"
#include "run_example.h"

namespace ops = kolam::fractal;
using kolam::Tensor;
using ops::FractalTensor;
using Row = FractalTensor<Tensor>;
using Image = FractalTensor<Row>;

constexpr int64_t kSize = 7, kStride = 2, kDilation = 2, kPadding = 6;

Row add_lists(Row xs, Row ys) { return ops::map(kolam::add, ops::zip(xs, ys)); }

Tensor dot(Row pixels, Row weights) {
  return ops::reduce(kolam::add, ops::map([](Tensor x, Tensor w) { return matmul(x, w); },
                                          ops::zip(pixels, weights)));
}

Image convolve(Image image, Image filter) {
  Row blank = ops::repeat(kolam::zeros(image.leaf_shape()), ops::length(image[0]));
  Image border = ops::repeat(blank, kPadding);

  auto row_part = [](Row row, Row weights) {
    auto windows =
        ops::slide(row, kSize, {.stride = kStride, .dilation = kDilation, .padding = kPadding});
    return ops::map([&](Row pixels) { return dot(pixels, weights); }, windows);
  };
  auto row = [&](Image window) {
    return ops::reduce(add_lists, ops::map(row_part, ops::zip(window, filter)));
  };
  return ops::map(row, ops::slide(ops::join({border, image, border}), kSize,
                                  {.stride = kStride, .dilation = kDilation}));
}

/// The sum of all leaves of nested lists.
template <class E> Tensor total(FractalTensor<E> xs) {
  if constexpr (FractalTensor<E>::depth() == 1)
    return ops::reduce(kolam::add, xs);
  else
    return ops::reduce(kolam::add, ops::map([](E row) { return total(row); }, xs));
}

FractalTensor<Image> batch_norm(FractalTensor<Image> ys) {
  Tensor count = total(ops::forall([](Tensor y) { return kolam::ones({1}); }, ys));
  Tensor mean = total(ys) / count;
  Tensor variance = total(ops::forall([&](Tensor y) { return square(y - mean); }, ys)) / count;
  return ops::forall([&](Tensor y) { return (y - mean) / sqrt(variance + 1e-5); }, ys);
}

/// [image][row][pixel] of [filters].
FractalTensor<Image> convolution(FractalTensor<Image> images, Image filter) {
  return batch_norm(ops::map([&](Image image) { return convolve(image, filter); }, images));
}

int main(int count, char** words) {
  Draw draw;
  auto image = [&](int64_t rows, int64_t columns, std::vector<int64_t> leaf) {
    std::vector<Row> list;
    for (int64_t i = 0; i < rows; ++i)
      list.push_back(draw.tensors(columns, leaf));
    return Image(list);
  };
  FractalTensor<Image> images{image(4, 5, {2}), image(2, 3, {2})};
  Image filter = image(kSize, kSize, {2, 3});
  return run_example(kolam::jit(convolution), std::tuple(images, filter), count, words);
}
