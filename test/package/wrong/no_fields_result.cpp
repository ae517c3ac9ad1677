// error: a struct needs a function .auto fields
#include <kolam/kolam.h>
struct P {
  kolam::Tensor w;
};
int main() {
  auto f = kolam::jit([](kolam::Tensor x) { return P{x}; });
  f(kolam::Tensor());
}
