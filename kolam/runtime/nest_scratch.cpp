// Keeps one growing block of memory a thread.
#include "kolam/runtime/nest_scratch.h"

#include "kolam/runtime/memory.h"

#include <cstddef>

namespace kolam::runtime {
namespace {

/// Frees its memory when the thread ends.
struct Block {
  std::byte* data = nullptr;
  int64_t bytes = 0;
  ~Block() { free_aligned(data, bytes); }
};

thread_local Block block;

} // namespace

void* nest_scratch(int64_t bytes) {
  if (bytes <= block.bytes)
    return block.data;
  free_aligned(block.data, block.bytes);
  block.data = try_allocate_aligned(bytes);
  block.bytes = block.data ? bytes : 0;
  return block.data;
}

} // namespace kolam::runtime
