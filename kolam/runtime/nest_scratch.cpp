// Keeps one growing block of memory a thread.
#include "kolam/runtime/nest_scratch.h"

#include "kolam/runtime/memory.h"
#include "kolam/support/error.h"

namespace kolam::runtime {
namespace {

/// Frees its memory when the thread ends.
struct Block {
  std::byte* data = nullptr;
  int64_t bytes = 0;
  ~Block() { free_aligned(data); }
};

thread_local Block block;

} // namespace

void* nest_scratch(int64_t bytes) {
  if (bytes <= block.bytes)
    return block.data;
  free_aligned(block.data);
  block.data = nullptr;
  block.bytes = 0;
  try {
    block.data = allocate_aligned(bytes, "the working memory of a loop nest");
    block.bytes = bytes;
  } catch (const Error&) { // generated code cannot be unwound
    return nullptr;
  }
  return block.data;
}

} // namespace kolam::runtime
