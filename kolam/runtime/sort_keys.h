/// Unsigned keys whose order is the order of elements, in sorts of rows.
#pragma once

#include "kolam/runtime/sort.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kolam::runtime {

template <class T> struct StorageBits {
  using type = std::make_unsigned_t<T>;
};
template <> struct StorageBits<bool> {
  using type = uint8_t;
};
template <> struct StorageBits<Float16> {
  using type = uint16_t;
};
template <> struct StorageBits<BFloat16> {
  using type = uint16_t;
};
template <> struct StorageBits<float> {
  using type = uint32_t;
};
template <> struct StorageBits<double> {
  using type = uint64_t;
};

template <class T> constexpr int kMantissaBits = 0;
template <> inline constexpr int kMantissaBits<Float16> = 10;
template <> inline constexpr int kMantissaBits<BFloat16> = 7;
template <> inline constexpr int kMantissaBits<float> = 23;
template <> inline constexpr int kMantissaBits<double> = 52;
template <class T> constexpr bool kIsFloat = kMantissaBits<T> > 0;

/// Of elements of one dtype: equal elements, and all NaNs, have equal keys.
template <class T> class SortKeys {
public:
  using Bits = typename StorageBits<T>::type;

  explicit SortKeys(SortOrder order)
      : flip_(order == SortOrder::descending ? std::numeric_limits<Bits>::max() : Bits{0}) {}

  Bits of(T element) const {
    return static_cast<Bits>(ordered(std::bit_cast<Bits>(element)) ^ flip_);
  }

  /// The element of a key that is nobody else's.
  T element(Bits key) const {
    const auto bits = static_cast<Bits>(key ^ flip_);
    if constexpr (std::is_same_v<T, bool>)
      return bits != 0;
    else if constexpr (kIsFloat<T>)
      return std::bit_cast<T>(static_cast<Bits>(bits & kSign ? bits ^ kSign : ~bits));
    else if constexpr (std::is_signed_v<T>)
      return std::bit_cast<T>(static_cast<Bits>(bits ^ kSign));
    else
      return std::bit_cast<T>(bits);
  }

  /// Whether a key does not say all bits of its element: of -0 and of NaNs.
  static bool is_lost(T element) {
    if constexpr (kIsFloat<T>) {
      const auto bits = std::bit_cast<Bits>(element);
      return (static_cast<Bits>(bits & ~kSign) > kInfinity) | (bits == kSign);
    } else {
      return false;
    }
  }

  /// The keys that both zeros and that all NaNs have.
  Bits zero() const { return static_cast<Bits>(kSign ^ flip_); }
  Bits nan() const { return static_cast<Bits>(std::numeric_limits<Bits>::max() ^ flip_); }
  /// Whether different elements may have this key.
  bool is_shared(Bits key) const { return kIsFloat<T> && (key == zero() || key == nan()); }

private:
  // Format: of the elements.
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));

  static constexpr Bits kInfinity = static_cast<Bits>(~kSign & ~((Bits{1} << kMantissaBits<T>)-1));

  static Bits ordered(Bits bits) {
    if constexpr (kIsFloat<T>) {
      const auto magnitude = static_cast<Bits>(bits & ~kSign);
      const auto key = static_cast<Bits>(bits & kSign ? ~bits : bits | kSign);
      return magnitude > kInfinity ? std::numeric_limits<Bits>::max()
             : magnitude == 0      ? kSign
                                   : key;
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<Bits>(bits ^ kSign);
    } else {
      return bits;
    }
  }

  Bits flip_;
};

} // namespace kolam::runtime
