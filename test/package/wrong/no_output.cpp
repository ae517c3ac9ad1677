// error: expected memory to write results to
#include <kolam/kolam.h>
#include <string>
int main() {
  auto f = kolam::jit([](kolam::Tensor x) { return x; });
  std::string y;
  f.into(y, 1.0f);
}
