// error: jit needs a function
#include <kolam/kolam.h>
int main() { auto f = kolam::jit(3); }
