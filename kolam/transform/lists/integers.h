/// Vectors of integers: the structure of lists.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/elementwise.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/SaveAndRestore.h"

#include <optional>
#include <set>

namespace kolam::transform::lists {

using language::Builder;
using language::Value;
using language::Values;

/// Makes i64 vectors and scalars at the builder's place.
class Integers {
public:
  /// `taken` are the symbols that the program has.
  Integers(Builder& b, std::set<std::string> taken) : b(b), taken_(std::move(taken)) {}

  Value constant(int64_t value);
  Value extent(const Extent& extent);
  /// 0, 1, ...
  Value iota(const Extent& count);
  /// begin, begin + 1, ...
  Value count_from(Value begin, const Extent& count);
  Value fill(const Extent& count, int64_t value);
  /// The scalar that all elements of a vector are; null where they may differ.
  Value same(Value vector);
  /// The number that a scalar is, where it is computed of numbers alone.
  static std::optional<int64_t> number(Value scalar);
  /// A scalar as a vector of one.
  Value as_vector(Value scalar);
  Value as_scalar(Value vector);
  /// Scalars broadcast.
  Value apply(Fn fn, Value x, Value y);
  Value add(Value x, Value y) { return apply(Fn::add, x, y); }
  Value subtract(Value x, Value y);
  /// The places in lists of these lengths when counted from their ends.
  Value from_end(Value lengths, Value places) {
    return subtract(subtract(lengths, constant(1)), places);
  }
  /// x[places]; the places are inside. Where they count on from a first one, it is a slice.
  Value take(Value x, Value places);
  /// Says that table[places] is `values`: takes at these places of what is computed of such tables
  /// are computed of the values, and the tables need not exist.
  void know(Value table, Value places, Value values) { known_[places][table] = values; }
  /// Whether each element of x is computed of its number and of rows at that of `owners` alone.
  static bool is_counted(Value x, Value owners);
  void forget() { known_.clear(); }
  /// A region: what is known in it, by its values, is known nowhere else.
  [[nodiscard]] auto inside() { return llvm::SaveAndRestore(known_); }
  /// One row of x, without its leading dim.
  Value row(Value x, Value place);
  /// The sum of all, and the largest, at least 0: scalars.
  Value sum(Value x);
  Value largest(Value x);
  /// The sum of each segment of x.
  Value segment_sums(Value x, Value offsets);
  /// [0, x0, x0 + x1, ...]: one more than x.
  Value running_sum(Value x);
  /// A symbol that the program does not have.
  Extent new_symbol();
  /// A symbol whose value is the scalar, at least 0.
  Extent bind(Value count);
  /// The same of a scalar that may be known: a small number above 0 is its own extent.
  struct Bound {
    Value value;
    Extent extent;
  };
  Bound bound(Value scalar);
  /// `extent`, or a symbol of its value where it is the number 0: no window fits into a dim that is
  /// known to be empty, though none is read where there are no instances.
  Extent if_empty_bound(const Extent& extent) {
    return extent == Extent(0) ? bind(constant(0)) : extent;
  }
  /// For each j < count the last i with offsets[i] <= j: whose element it is.
  Value owners(Value offsets, const Extent& count);
  /// The places where a mask is true, and how many.
  struct Places {
    Value places;
    Extent count;
  };
  Places where(Value mask, const Extent& count);
  /// The elements of x, a vector, where a mask is true, in order; there are `count` of them.
  Value kept(Value x, Value mask, const Extent& count);
  /// bool [count]: whether it is one of the places, which may lie outside.
  Value marks(Value places, const Extent& count);
  /// How often each number below `bound` occurs.
  Value count(Value numbers, const Extent& bound);
  /// `x` with rows[i] in place of row places[i], which are distinct.
  Value put(Value x, Value rows, Value places);
  void check(Value condition, std::string_view slug, const std::string& message);

  Builder& b;

private:
  using Known = llvm::DenseMap<Value, Value>; ///< by table
  Value computed_take(Value x, Value places, Known& known);

  std::set<std::string> taken_;
  llvm::DenseMap<Value, Known> known_; ///< by places
  int64_t symbols_ = 0;
};

} // namespace kolam::transform::lists
