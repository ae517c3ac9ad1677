// error: while_loop: the body takes the state
#include <kolam/kolam.h>
using kolam::Tensor;
int main() {
  auto y =
      while_loop([](Tensor s) { return s > 0; }, [](Tensor s, Tensor t) { return s; }, Tensor());
}
