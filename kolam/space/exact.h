/// Exact 64-bit arithmetic of space/: every overflow is an Error `[space-overflow]`.
#pragma once

#include "kolam/support/checked.h"
#include "kolam/support/extent.h"

namespace kolam::space {

inline int64_t add(int64_t a, int64_t b) { return checked_add(a, b, "space-overflow"); }
inline int64_t subtract(int64_t a, int64_t b) { return checked_sub(a, b, "space-overflow"); }
inline int64_t multiply(int64_t a, int64_t b) { return checked_mul(a, b, "space-overflow"); }
inline int64_t magnitude(int64_t a) { return a < 0 ? subtract(0, a) : a; }

/// The number that an extent is; `[space-symbolic]` where it still holds a symbol.
inline int64_t number(const Extent& extent) {
  std::optional<int64_t> value = extent.constant();
  if (!value)
    fail(ErrorKind::value, "space-symbolic",
         "expected a number, but got '" + extent.to_string() + "'; instantiate it first");
  return *value;
}

} // namespace kolam::space
