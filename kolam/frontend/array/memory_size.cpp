// Reads sizes of memory.
#include "kolam/frontend/array/memory_size.h"

#include "kolam/support/error.h"

#include <charconv>
#include <cmath>
#include <string>

namespace kolam::detail {

int64_t bytes_from(std::string_view text) {
  auto refuse = [&]() -> int64_t {
    fail(ErrorKind::value, "memory-limit",
         "option 'memory_limit': expected bytes above 0, as 1000000 or '2GiB', but got '" +
             std::string(text) + "'");
  };
  double count = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc())
    return refuse();
  std::string_view unit(rest, static_cast<size_t>(end - rest));
  while (!unit.empty() && unit.front() == ' ')
    unit.remove_prefix(1);
  double scale = 1;
  if (!unit.empty() && unit != "B") {
    constexpr std::string_view kUnits = "KMGTPE"; // text
    const size_t power = kUnits.find(unit.front() == 'k' ? 'K' : unit.front());
    const std::string_view tail = unit.substr(1);
    if (power == std::string_view::npos || (tail != "iB" && tail != "B"))
      return refuse();
    scale = std::pow(tail == "iB" ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  const double bytes = count * scale;
  constexpr double kMost = 9e18; // bound: what int64 holds
  if (!(bytes >= 1) || bytes > kMost)
    return refuse();
  return static_cast<int64_t>(bytes);
}

} // namespace kolam::detail
