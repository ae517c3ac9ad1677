/// Policies: what an access outside a tensor's bounds means.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace kolam::space {

/// What happens to coordinate i outside [0, n) (reference: 2.16).
///
///     forbid    an error                  clamp     the nearest of 0 and n - 1
///     pad       a read gives the value    wrap      i mod n
///     drop      a write is left out       reflect   mirrored at the edge elements, which come once
///     negative  -n <= i < 0 is i + n, anything else an error
///
/// Where an operand is read and written, `pad` leaves writes out.
struct Policy {
  enum class Kind : uint8_t { forbid, pad, clamp, wrap, reflect, negative, drop };
  Kind kind = Kind::forbid;
  /// What `pad` reads; converted to the tensor's dtype by the program.
  std::variant<int64_t, double> value = int64_t{0};

  static Policy pad(std::variant<int64_t, double> value) { return {Kind::pad, value}; }
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// Where an access lands: an element, the pad value, nowhere, or it is an error.
struct Landing {
  enum class Kind : uint8_t { cell, padded, dropped, forbidden };
  Kind kind;
  int64_t index = 0; ///< of the element
  friend bool operator==(const Landing&, const Landing&) = default;
};
/// Maps one coordinate of a dim of `extent` elements. In a dim without elements nothing lands on an
/// element: what would is forbidden.
Landing land(const Policy& policy, int64_t index, int64_t extent);

/// Whether the policy makes sense for reading, and for writing: pad only reads, drop only writes,
/// and clamp, wrap and reflect would write elements twice.
bool can_read(const Policy& policy);
bool can_write(const Policy& policy);

/// `wrap`, `pad(0)`, `pad(0.5)`.
std::string to_string(const Policy& policy);

} // namespace kolam::space
