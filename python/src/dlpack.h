/// The structs of DLPack, versions 0 and 1, and both directions of the exchange.
#pragma once

#include "kolam/kolam.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace kolam::python {

namespace nb = nanobind;

namespace dlpack {

inline constexpr int32_t kCpu = 1;
inline constexpr uint32_t kMajorVersion = 1;
inline constexpr uint64_t kReadOnly = 1, kIsCopied = 2;
/// More dims than any library has: what lies beyond is no tensor.
inline constexpr int32_t kMostDims = 64;

enum class Code : uint8_t {
  integer = 0,
  unsigned_integer = 1,
  floating = 2,
  bfloat = 4,
  boolean = 6
};

struct Device {
  int32_t type;
  int32_t id;
};

struct Type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  friend bool operator==(const Type&, const Type&) = default;
};

struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  Type type;
  int64_t* shape;
  int64_t* strides; ///< in elements; null: row-major
  uint64_t byte_offset;
};

/// What a capsule named `dltensor` points to.
struct Managed {
  Tensor tensor;
  void* manager;
  void (*deleter)(Managed*);
};

/// What a capsule named `dltensor_versioned` points to.
struct Versioned {
  struct {
    uint32_t major, minor;
  } version;
  void* manager;
  void (*deleter)(Versioned*);
  uint64_t flags;
  Tensor tensor;
};

Type type_of(DType dtype);
/// nullopt where it is none of Kolam's.
std::optional<DType> dtype_of(Type type);

} // namespace dlpack

/// Whether memory may or must be copied; `if_needed` views it where it can be viewed.
enum class Copy : uint8_t { if_needed, always, never };

/// The array that a DLPack exporter on the CPU holds: viewed where it is contiguous, aligned and,
/// of booleans, made of bytes 0 and 1; copied else. Throws `[not-an-array]`, `[bad-dlpack]`,
/// `[unsupported-dtype]` and, where `copy` is never, `[needs-copy]`.
Array array_from_dlpack(nb::handle object, std::string_view argument, Copy copy = Copy::if_needed);

/// A capsule of `array`, read-only, of version 1 where `max_version` (None, or a pair) allows that.
/// Throws BufferError for another device than the CPU.
nb::object dlpack_capsule(const Array& array, nb::handle max_version, nb::handle device,
                          nb::handle copy);

} // namespace kolam::python
