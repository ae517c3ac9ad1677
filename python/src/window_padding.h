/// Padding of windows that move over spatial dims, as Python writes it.
#pragma once

#include "parameters.h"

#include <algorithm>
#include <cctype>

namespace kolam::python {

/// Elements before and behind: a pair, or one number for both, as PyTorch writes it.
template <>
struct FromPython<std::pair<int64_t, int64_t>> : Converted<std::pair<int64_t, int64_t>> {
  FromPython(nb::handle object, const char* argument) {
    auto both = FromPython<std::vector<int64_t>>(object, argument).get();
    if (both.empty() || both.size() > 2)
      fail_argument(ErrorKind::type, "argument-type", argument, "pairs of integers", object);
    value = {both.front(), both.back()};
  }
};

using WindowPadding = std::variant<Padding, PaddingPairs>;

template <> struct FromPython<WindowPadding> : Converted<WindowPadding> {
  FromPython(nb::handle object, const char* argument) {
    if (auto both = try_integer(object, argument)) {
      value = PaddingPairs{{*both, *both}};
    } else if (nb::isinstance<nb::str>(object)) {
      std::string name = FromPython<std::string>(object, argument).get();
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
      if (name != "valid" && name != "same")
        fail_argument(ErrorKind::value, "unknown-mode", argument, "'valid', 'same' or numbers",
                      object);
      value = name == "same" ? Padding::same : Padding::valid;
    } else {
      value = FromPython<PaddingPairs>(object, argument).get();
    }
  }
};

} // namespace kolam::python
