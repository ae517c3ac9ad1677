/// Values of a loop over elements and small arrays (ir/element_loop.h): numbers in registers, and
/// arrays in memory.
#pragma once

#include "kolam/lower/cpu/emission.h"
#include "kolam/lower/scalar_builder.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace kolam::lower::cpu {

/// Where the value of a loop lies: in the memory of a result of the root or in working memory; in
/// neither it is numbers.
struct Place {
  std::optional<int> result;
  Value memory;
  bool is_anew = false; ///< made anew by each step, or given by a branch: nothing changes it
  bool is_numbers() const { return !result && !memory; }
};
using Places = llvm::SmallVector<Place>;

class SmallArrays {
public:
  /// Of the loop `root`, which is a nest of its own.
  SmallArrays(mlir::Operation* root, Emission& e) : root_(root), e_(e), s_(e.b) {}

  // Values of few elements are known by each of their places, in order.

  /// Calls `body` with the index of each element.
  void each_place(mlir::Value value, llvm::function_ref<void(const Index&)> body);
  /// Elements of those values that are numbers.
  Values cells_of(mlir::ValueRange values, const Places& places);
  /// The first of `cells`, which are those of a value, are taken away from it.
  static ValueSpan take(ValueSpan& cells, mlir::Value like);
  void bind_few(mlir::Value value, ValueSpan cells);
  /// Stores elements of a result behind a place along its first dims.
  void store_few(mlir::Value result, IndexSpan outer, ValueSpan cells);

  // Arrays in memory.

  /// Of a version of an array that changes in memory; numbers of others.
  Place place_of(mlir::Value value) const { return place_of_.lookup(value); }
  bool changes_in_memory(mlir::Value value) const { return place_of_.contains(value); }
  void bind_memory(mlir::Value value, const Place& place);
  /// Of a value that nothing changes: what is read of a state that steps make anew is as it was in
  /// front of the step.
  void bind_kept(mlir::Value value, const Place& place);
  /// An argument that is a value outside of the body.
  void bind_same(mlir::Value argument, mlir::Value value);
  Value load(const Place& place, mlir::Value like, IndexSpan index);
  void store(const Place& place, mlir::Value like, IndexSpan index, Value cell);
  /// Working memory for a value.
  Place place_for(mlir::Value value);
  /// Writes the elements of a value to a place.
  void write(const Place& place, mlir::Value value);
  /// Writes what an op computes out, from where it is read from now on.
  void write(mlir::Operation* op);
  /// Results that a step stacks, at its place `t`.
  void stack(mlir::Value whole, Value t, mlir::Value value);
  /// The elements that a state starts from, in the memory of a result of the root.
  void copy(int result, mlir::Value from);
  /// From one place to another.
  void copy(const Place& from, const Place& to, mlir::Value like);
  /// Calls `body` for vectors of an array of elements as wide as those of `like`, with their index.
  void each_vector(const Shape& shape, mlir::ValueRange like,
                   llvm::function_ref<void(const Index& index)> body);

private:
  static int64_t few(mlir::Value value);
  Index place_of_number(const Shape& shape, int64_t number, IndexSpan outer = {});
  Coordinate number_in(int result, IndexSpan index);
  int64_t lanes_of(mlir::ValueRange values) const;
  void each_vector(const Shape& shape, int64_t most,
                   llvm::function_ref<void(const Index& index)> body);

  mlir::Operation* root_;
  Emission& e_;
  ScalarBuilder s_;
  llvm::DenseMap<mlir::Value, Place> place_of_; ///< of versions of arrays that change
};

} // namespace kolam::lower::cpu
