// Ten lines of a stranger's program; exits with 0 when the answer is right.
#include <kolam/kolam.h>

int main() {
  auto twice_sum = kolam::jit([](kolam::Tensor x) { return kolam::sum(x + x); });
  kolam::Array y = twice_sum(kolam::arange(4.0f));
  return y.item<float>() == 12 ? 0 : 1;
}
