// error: an argument of this call does not convert
#include <kolam/kolam.h>
#include <string>
int main() {
  auto f = kolam::jit([](kolam::Tensor x) { return x; });
  f(std::string("a"));
}
