// error: another number of arguments
#include <kolam/kolam.h>
int main() {
  auto f = kolam::jit([](kolam::Tensor x, kolam::Tensor y) { return x + y; });
  f(kolam::Tensor());
}
