// error: another number of arguments
#include <kolam/kolam.h>
int main() {
  auto f = kolam::jit([](kolam::Tensor x) { return x; });
  f(kolam::Tensor(), 1.0f);
}
