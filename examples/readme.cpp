#include <kolam/kolam.h>

#include <iostream>

int main() {
  auto layer = kolam::jit([](kolam::Tensor x, kolam::Tensor w, kolam::Tensor b) {
    return kolam::relu(kolam::matmul(x, w) + b);
  });
  kolam::Array x = kolam::reshape(kolam::arange(6.0f), {2, 3});
  kolam::Array w = kolam::array<float>({{1, -1}, {0, 2}, {-1, 1}});
  kolam::Array b = kolam::array<float>({2.5, -5});
  std::cout << layer(x, w, b) << "\n";
}
