// error: declared parameter types
#include <kolam/kolam.h>
int main() {
  auto f = kolam::jit([](auto x) { return x; });
  f(kolam::Tensor());
}
