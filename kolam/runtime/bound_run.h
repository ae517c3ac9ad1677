/// A program bound to its memory once, and run again and again.
#pragma once

#include "kolam/runtime/walk.h"

#include <vector>

namespace kolam::runtime {

/// Runs of one program on memory that stays. A run on one thread allocates no memory, takes no lock
/// and calls the system never, where every step is a nest, a copy, or a loop of these.
///
/// Not for several threads at once. `steps` and `nests` outlive it.
class BoundRun {
public:
  /// Result i is written to `outputs[i]`, of its dtype and shape, which may be the memory of its
  /// donor among the arguments (BufferPlan). Sizes are numbers. Throws `[out-of-memory]`.
  BoundRun(const LinkedSteps& steps, std::span<const abi::NestCode> nests,
           std::span<const Array> constants, std::span<const Array> prepared,
           std::span<const Array> arguments, std::span<const Array> outputs);

  /// Whether a program can be bound: its sizes are numbers, its results have memory of their own.
  static bool fits(const LinkedSteps& steps);

  /// From now on argument `number` is read from `memory`, of as many bytes.
  void read_from(int number, const void* memory) {
    put(arguments_, number, const_cast<void*>(memory));
  }
  /// From now on result `number` is written to `memory`, of as many bytes.
  void write_to(int number, void* memory) { put(results_, number, memory); }

  /// What stopped it, or a record of code `ok`.
  abi::ErrorRecord run() { return walk_.run_on(memory_); }

private:
  /// Where a buffer that lies in an argument or result starts.
  struct Part {
    int buffer;
    int64_t offset;
  };
  using Parts = std::vector<std::vector<Part>>; ///< by number

  void put(const Parts& parts, int number, void* memory) {
    for (const Part& part : parts[static_cast<size_t>(number)])
      memory_[static_cast<size_t>(part.buffer)] = static_cast<std::byte*>(memory) + part.offset;
  }

  Walk walk_;
  std::vector<void*> memory_; ///< by buffer
  std::vector<Array> held_;
  Parts arguments_, results_;
};

} // namespace kolam::runtime
