// error: expected memory to write results to
#include <kolam/kolam.h>
#include <vector>
int main() {
  auto f = kolam::jit([](kolam::Tensor x) { return x; });
  const std::vector<float> y(3);
  f.into(y, y);
}
