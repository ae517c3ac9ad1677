// error: fields\(x\) of a struct takes it by reference
#include <kolam/kolam.h>
struct P {
  kolam::Tensor w;
};
auto fields(P& p) { return std::tuple(p.w); }
int main() {
  auto f = kolam::jit([](P p, kolam::Tensor x) { return p.w + x; });
  f(P{}, kolam::Tensor());
}
