/// Memory that generated code asks for while it runs.
#pragma once

#include <cstdint>

namespace kolam::runtime {

/// At least `bytes` of this thread's memory, aligned to kBufferAlignment, with unspecified content:
/// the same block at every call, grown where it must be. Null where memory is short. Valid until
/// the thread's next call. This is abi::Context's `scratch`.
void* nest_scratch(int64_t bytes);

} // namespace kolam::runtime
