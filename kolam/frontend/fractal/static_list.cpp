// What lists whose length is part of their type ask of others.
#include "kolam/frontend/fractal/static_list.h"

#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/fractal/places.h"

#include <algorithm>

namespace kolam::fractal::detail {

void require_static_length(const Parts& parts, int64_t length, int argument,
                           const SourceLocation& where) {
  auto is_so = [&](const List& list) { return !list.is_traced() && list.host().size() == length; };
  if (std::ranges::all_of(parts, is_so))
    return;
  CallScope scope(argument < 0 ? "StaticList" : "jit", where);
  std::string expected = argument < 0 ? "" : "argument " + std::to_string(argument) + ": ";
  expected += "expected a list of " + std::to_string(length) + ", as its type says, but got ";
  for (const List& list : parts)
    if (list.is_traced())
      require(list_length(list) == length, "list-lengths", expected + "another length",
              "StaticList");
    else if (list.host().size() != length)
      fail(ErrorKind::value, "list-lengths",
           expected + "one of " + std::to_string(list.host().size()));
}

const Operand& require_place(const Operand& i, int64_t length) {
  if (auto* number = std::get_if<int64_t>(&i.value())) {
    CallScope scope("index", i.where());
    checked_place(*number, length);
  }
  return i;
}

} // namespace kolam::fractal::detail
