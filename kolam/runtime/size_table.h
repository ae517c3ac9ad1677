/// The sizes that the steps of a program ask for, by number: each distinct one computed once for a
/// call, or once for each time that a step binds a symbol of it.
#pragma once

#include "kolam/support/steps.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kolam::runtime {

/// A program whose sizes and steps with nests have numbers.
class LinkedSteps {
public:
  LinkedSteps() = default;
  /// Numbers every Size and NestStep of `program`, whose functions of the runtime may use registers
  /// of at most `vector_bytes`, as its nests do.
  LinkedSteps(StepProgram program, int vector_bytes = 64);

  const StepProgram& program() const { return program_; }
  int vector_bytes() const { return vector_bytes_; }
  /// The numbers of the extents of a buffer.
  std::span<const int> shape(int buffer) const { return shapes_[static_cast<size_t>(buffer)]; }
  size_t symbol_count() const { return symbols_.size(); }
  /// No other program's that was ever linked, and not 0.
  uint64_t number() const { return number_; }

  /// What the steps with nests ask for, by their numbers.
  struct NestPlace {
    int first_pointer, first_extent; ///< how many buffers and symbols those before it have
  };
  std::span<const NestPlace> nest_places() const { return nest_places_; }
  /// In all.
  int pointer_count() const { return pointers_; }
  int extent_count() const { return extents_; }

private:
  friend class SizeValues;
  friend class SizeNumbers;

  /// One operation in postfix order, as Extent::Step with the symbol's number as value.
  struct Op {
    char op;
    int64_t value;
  };
  /// Symbols come first and have no code: they are bound.
  struct Entry {
    std::vector<Op> code;
    std::vector<int> users; ///< of a symbol: the entries to compute anew
  };

  StepProgram program_;
  int vector_bytes_ = 64;
  uint64_t number_ = 0;
  std::vector<NestPlace> nest_places_;
  int pointers_ = 0, extents_ = 0;
  std::vector<std::string> symbols_;
  std::vector<Entry> entries_;
  std::vector<int64_t> values_;          ///< by entry: of those that are numbers
  std::vector<uint8_t> is_known_;        ///< by entry: whether it is a number
  std::vector<std::vector<int>> shapes_; ///< by buffer
};

/// What sizes need and a run may leave to the next.
struct SizeMemory {
  std::vector<int64_t> values, stack;
  std::vector<uint8_t> is_known;
  int64_t changes = 0;
};

/// What the sizes of a run are. A symbol that is not bound yet has any value.
class SizeValues {
public:
  /// `memory` is that of a run of the same program, or empty.
  explicit SizeValues(const LinkedSteps& steps, SizeMemory memory = {})
      : steps_(steps), memory_(std::move(memory)) {}
  /// Those of another, bound apart from now on.
  SizeValues(const SizeValues& other, SizeMemory memory);

  /// How a run starts: with the sizes of the one before, with others, or as the first.
  enum class Start : uint8_t { same, changed, fresh };
  /// Binds what is known before a run.
  Start start(const std::map<std::string, int64_t>& bound);

  /// Throws `[extent-overflow]` where a number does not fit in 64 bits.
  int64_t operator[](int number) {
    const auto place = static_cast<size_t>(number);
    return memory_.is_known[place] ? memory_.values[place] : compute(number);
  }
  void bind(int symbol, int64_t value);
  /// How often a symbol was bound to another value than it had: where this is as it was, sizes are.
  int64_t changes() const { return memory_.changes; }
  SizeMemory take_memory() { return std::move(memory_); }

private:
  int64_t compute(int number);

  const LinkedSteps& steps_;
  SizeMemory memory_;
};

} // namespace kolam::runtime
