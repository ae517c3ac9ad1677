// error: a struct needs a function .auto fields
#include <kolam/kolam.h>
struct P {
  kolam::Tensor w;
};
int main() {
  auto f = kolam::jit([](P p, kolam::Tensor x) { return p.w + x; });
  f(P{}, kolam::Tensor());
}
