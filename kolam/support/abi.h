/// The fixed interface between generated code and the runtime: plain C, one function per nest.
#pragma once

#include <cstdint>

namespace kolam::abi {

/// Where and why a nest stopped. `op` is the op's number in its program; the trace's own table maps
/// it to the user's line. Of several errors of one nest the lowest flat index wins.
struct ErrorRecord {
  int32_t code; ///< an ErrorCode; 0 means none
  int32_t op;
  int64_t index; ///< the flat index over the nest's dims at which the check failed
};

enum ErrorCode : int32_t {
  ok = 0,
  check_failed = 1,
  cancelled = 2,
  out_of_memory = 3,
  faulty = 4 ///< a schedule that was run as it stands computed other elements than the nest has
};

/// What generated code may ask of the call it runs in.
struct Context {
  const volatile int32_t* cancel; ///< non-zero: stop soon (Ctrl-C); long loops poll it
  /// Working memory of the calling thread, until it asks again; null where memory is short.
  void* (*scratch)(int64_t bytes);
  /// NestCode::data of the nest that is called.
  const void* nest;
};

/// Runs the nest over the flat range [begin, end) of its parallel dims. `buffers` holds one pointer
/// per buffer of the nest (outputs first), `extents` the values of the nest's extent expressions,
/// in the nest's order. Returns an ErrorCode; never throws.
using NestFunction = int32_t (*)(Context*, void* const* buffers, const int64_t* extents,
                                 int64_t begin, int64_t end, ErrorRecord* error);

/// A nest that can be called. Backends whose nests share a function tell them apart by `data`.
struct NestCode {
  NestCode(NestFunction called = nullptr, const void* own = nullptr)
      : function(called), data(own) {}
  NestFunction function;
  const void* data;
};

} // namespace kolam::abi
