// error: parameters by value or by const reference
#include <kolam/kolam.h>
int main() {
  auto f = kolam::jit([](kolam::Tensor& x) { return x; });
  f(kolam::Tensor());
}
