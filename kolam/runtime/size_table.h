/// The sizes that the steps of a program ask for, by number: each distinct one computed once for a
/// call, or once for each time that a step binds a symbol of it.
#pragma once

#include "kolam/support/steps.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace kolam::runtime {

/// A program whose sizes have numbers.
class LinkedSteps {
public:
  LinkedSteps() = default;
  /// Numbers every Size of `program`.
  LinkedSteps(StepProgram program);

  const StepProgram& program() const { return program_; }
  /// The numbers of the extents of a buffer.
  std::span<const int> shape(int buffer) const { return shapes_[static_cast<size_t>(buffer)]; }
  size_t symbol_count() const { return symbols_.size(); }

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
  std::vector<std::string> symbols_;
  std::vector<Entry> entries_;
  std::vector<int64_t> values_;          ///< by entry: of those that are numbers
  std::vector<uint8_t> is_known_;        ///< by entry: whether it is a number
  std::vector<std::vector<int>> shapes_; ///< by buffer
};

/// What the sizes of one run are. A symbol that is not bound yet is 0.
class SizeValues {
public:
  /// What runs need and may leave to the next.
  struct Memory {
    std::vector<int64_t> values, stack;
    std::vector<uint8_t> is_known;
  };

  SizeValues(const LinkedSteps& steps, const std::map<std::string, int64_t>& bound,
             Memory memory = {});
  /// Those of another, bound apart from now on.
  SizeValues(const SizeValues& other, Memory memory);

  /// Throws `[extent-overflow]` where a number does not fit in 64 bits.
  int64_t operator[](int number) {
    const auto place = static_cast<size_t>(number);
    return memory_.is_known[place] ? memory_.values[place] : compute(number);
  }
  void bind(int symbol, int64_t value);
  /// How often a symbol was bound to another value than it had: where this is as it was, sizes are.
  int64_t changes() const { return changes_; }
  Memory take_memory() { return std::move(memory_); }

private:
  int64_t compute(int number);

  const LinkedSteps& steps_;
  Memory memory_;
  int64_t changes_ = 0;
};

} // namespace kolam::runtime
