// Numbers, arrays and what they print.
#include <kolam/kolam.h>

#include <iostream>

int main() {
  using kolam::Array, kolam::Tensor;

  Tensor half = 0.5f;                    // float32: a number has the dtype of its C++ type
  Array counts({1, 2, 3});               // int32
  Array table({{1.5, 2.0}, {3.0, 4.0}}); // float64
  std::cout << half.dtype() << " " << counts.dtype() << " " << table.dtype() << "\n";

  Tensor x = kolam::reshape(kolam::arange(6.0f), {2, 3});
  Tensor y = x * 0.5; // beside a tensor a number takes the tensor's dtype
  std::cout << y.dtype() << y.shape() << " of " << y.numel() << " elements\n" << y << "\n";

  auto power = kolam::jit([](Tensor a, int n) { // n is no tensor: traced once for each
    Tensor product = 1.0f;
    for (int i = 0; i < n; ++i)
      product = product * a;
    return product;
  });
  std::cout << power(3.0f, 2) << " " << power(counts, 3) << "\n";

  std::cout << kolam::floor_divide(counts, 2) << " " << kolam::divide(counts, 2) << "\n";
  try {
    counts / Tensor(2); // C++ would drop the rest, NumPy would not: say which
  } catch (const kolam::Error& error) {
    std::cout << error.slug() << "\n";
  }
}
