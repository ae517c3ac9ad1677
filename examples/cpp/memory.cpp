// Results in memory of the program's own, and arguments from it.
#include <kolam/kolam.h>

#include <iostream>
#include <vector>

int main() {
  auto layer = kolam::jit([](kolam::Tensor x, kolam::Tensor w) { return kolam::matmul(x, w); });

  std::vector<float> x{1, 2, 3, 4, 5, 6}, w{1, 0, 1, 0, 1, 0}, y(4);
  const kolam::View rows(x.data(), {2, 3}); // row-major: read where it lies
  layer.into(y, rows, kolam::View(w.data(), {3, 2}));
  std::cout << y[0] << " " << y[1] << " " << y[2] << " " << y[3] << "\n";

  // The same numbers column by column; then written so, too.
  const kolam::View columns(x.data(), {3, 2}, {1, 3});
  layer.into(kolam::View(y.data(), {2, 2}, {1, 2}), rows, columns);
  std::cout << y[0] << " " << y[1] << " " << y[2] << " " << y[3] << "\n";

  // Several results; a variable takes one of rank 0.
  auto scaled =
      kolam::jit([](kolam::Tensor v) { return std::pair(v / kolam::sum(v), kolam::max(v)); });
  std::vector<float> shares(6);
  float largest = 0;
  scaled.into(std::tie(shares, largest), x);
  std::cout << shares[5] * 21 << " of 21, at most " << largest << "\n";

  scaled.into(std::tie(x, largest), x); // arguments are read before results are written over them
  std::cout << x[5] * 21 << "\n";

  try {
    layer.into(std::span(y).first(3), rows, columns);
  } catch (const kolam::Error& error) {
    std::cout << error.slug() << ": " << error.message() << "\n";
  }
}
