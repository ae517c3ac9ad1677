/// The walk that threads an error through a program: rules by op, found by overload.
#pragma once

#include "kolam/language/control.h"
#include "kolam/support/elementwise.h"
#include "kolam/transform/checkify.h"
#include "kolam/transform/interpret.h"

namespace kolam::transform::errors {

using language::Axes;
using language::Builder;
using language::Value;
using language::Values;

/// Throws `[not-checkified]` at the op's line.
[[noreturn]] void refuse(mlir::Operation* op, const std::string& why);

/// A walk over a body that gives its error beside what it yields. An error is null where nothing
/// can fail.
class Walk {
public:
  Walk(Builder& builder, const Caught& caught, const NewSymbol& new_symbol)
      : b(builder), caught_(caught), new_symbol_(new_symbol) {}

  /// Kernels whose Refs are to be checked become ops on arrays.
  void put_kernels_on_arrays(mlir::Region& body);
  /// Numbers the checks of a body in program order.
  void number(mlir::Region& body) { number_block(body.front(), 0, 0); }
  std::vector<CaughtCheck> take_checks() { return std::move(checks_); }
  size_t places() const { return places_; }

  struct Given {
    Values results;
    Value error;
  };
  /// The ops of a region on `arguments`.
  Given region(mlir::Region& region, mlir::ValueRange arguments);
  /// No error, as a value.
  Value none();
  Value or_none(Value error) { return error ? error : none(); }

  /// The rules: each makes the op and gives its error.
  Value rule(ir::CheckOp op) { return of_check(op, of(op.getCondition()), {}); }
  Value rule(ir::CompositeOp op);
  Value rule(ir::CondOp op);
  Value rule(ir::ForOp op);
  Value rule(ir::ScanOp op);
  Value rule(ir::WhileOp op);
  Value rule(ir::KernelCallOp op);
  Value rule(ir::ListMapOp op);
  Value rule(ir::ListReduceOp op);
  Value rule(ir::ListScanOp op);

private:
  int64_t width() const { return static_cast<int64_t>(1 + places_ + most_values_); }

  bool is_caught(mlir::Operation* op) const;
  bool holds_checks(mlir::Operation* op) const;
  bool holds_checks(mlir::Region& region) const;

  void number_block(mlir::Block& block, size_t path, size_t grid);
  void add(mlir::Operation* op, CaughtCheck check, const Values& values);

  Value make(mlir::Operation* op);
  Value of_check(mlir::Operation* op, Value condition, const Values& values);

  Value of(Value value) const { return values_.has(value) ? values_.at(value) : value; }
  Values of(mlir::ValueRange values) const;
  void set(mlir::ValueRange results, mlir::ValueRange made) { values_.set(results, made); }

  Value scalar(int64_t value);
  Value apply(Fn fn, const Values& values);
  Value code_of(Value error);
  Value has_failed(Value error);
  /// The earlier error; the later one where there is none.
  Value first(Value earlier, Value later);
  /// Of errors [n, width] the first and its number: where they come at once the first in program
  /// order, of the lowest number; else the first or the last that there is.
  enum class Order : uint8_t { at_once, forward, reverse };
  struct Picked {
    Value error, number;
  };
  Picked pick(Value all, Order order);
  /// An error with a number in its place.
  Value with_place(Value error, size_t place, Value number);
  /// The error of all elements of a list, its place with the element's number at `depth`.
  Value of_elements(Value errors, size_t depth, Order order, int64_t first_number = 0);
  language::Body combining_body(mlir::Region& body, const Values& inits, const Values& lists,
                                mlir::ValueRange captures);
  /// A list of no errors, one for each element.
  Value none_of_elements(Value list);

  Builder& b;
  const Caught& caught_;
  const NewSymbol& new_symbol_;
  Environment<Value> values_;
  llvm::DenseMap<mlir::Operation*, int64_t> codes_;
  std::vector<CaughtCheck> checks_;
  size_t places_ = 0, most_values_ = 0;
  size_t depth_ = 0; ///< of lists around the op that is being made
};

} // namespace kolam::transform::errors
