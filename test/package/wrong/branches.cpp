// error: cond: both functions give results of one type
#include <kolam/kolam.h>
using kolam::Tensor;
int main() {
  Tensor x;
  auto y = cond(x > 0, [](Tensor a) { return a; }, [](Tensor a) { return std::pair(a, a); }, x);
}
