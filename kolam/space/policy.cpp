// Maps coordinates by a policy.
#include "kolam/space/policy.h"

#include <algorithm>
#include <charconv>

#include "kolam/support/checked.h"

namespace kolam::space {
namespace {

/// 0 1 2 3 2 1 | 0 1 ... for 4 elements: a period of 2 (n - 1), as a number below 2^64.
int64_t reflect(int64_t index, int64_t extent) {
  if (extent == 1)
    return 0;
  uint64_t period = 2 * (static_cast<uint64_t>(extent) - 1);
  // |i| mod the period: the pattern is symmetric around 0.
  uint64_t distance =
      index < 0 ? uint64_t{0} - static_cast<uint64_t>(index) : static_cast<uint64_t>(index);
  distance %= period;
  return static_cast<int64_t>(std::min(distance, period - distance));
}

} // namespace

Landing land(const Policy& policy, int64_t index, int64_t extent) {
  using Kind = Landing::Kind;
  if (index >= 0 && index < extent)
    return {Kind::cell, index};
  if (policy.kind == Policy::Kind::pad)
    return {Kind::padded};
  if (policy.kind == Policy::Kind::drop)
    return {Kind::dropped};
  if (extent <= 0)
    return {Kind::forbidden};
  switch (policy.kind) {
  case Policy::Kind::clamp:
    return {Kind::cell, std::clamp<int64_t>(index, 0, extent - 1)};
  case Policy::Kind::wrap:
    return {Kind::cell, floor_modulo(index, extent)};
  case Policy::Kind::reflect:
    return {Kind::cell, reflect(index, extent)};
  case Policy::Kind::negative:
    return index < 0 && index >= -extent ? Landing{Kind::cell, index + extent}
                                         : Landing{Kind::forbidden};
  default:
    return {Kind::forbidden};
  }
}

bool can_read(const Policy& policy) { return policy.kind != Policy::Kind::drop; }
bool can_write(const Policy& policy) {
  return policy.kind == Policy::Kind::forbid || policy.kind == Policy::Kind::drop ||
         policy.kind == Policy::Kind::negative;
}

std::string to_string(const Policy& policy) {
  static constexpr const char* names[] = {"forbid",  "pad",      "clamp", "wrap",
                                          "reflect", "negative", "drop"};
  std::string text = names[static_cast<int>(policy.kind)];
  if (policy.kind != Policy::Kind::pad)
    return text;
  if (const int64_t* integer = std::get_if<int64_t>(&policy.value))
    return text + "(" + std::to_string(*integer) + ")";
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, std::get<double>(policy.value));
  return text + "(" + std::string(digits, end) + ")";
}

} // namespace kolam::space
