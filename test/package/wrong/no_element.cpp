// error: expected a type of elements
#include <kolam/kolam.h>
#include <string>
int main() {
  auto a = kolam::Array::of<std::string>({"a"});
  auto b = a.values<std::string>();
}
