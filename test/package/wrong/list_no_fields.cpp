// error: an element of a list is a kolam::Tensor
#include <kolam/kolam.h>
struct P {
  kolam::Tensor w;
};
int main() { kolam::fractal::FractalTensor<P> xs; }
