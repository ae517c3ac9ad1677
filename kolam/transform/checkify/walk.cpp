// Numbers checks, makes their errors, and says which came first.
#include "kolam/transform/checkify/walk.h"

#include "kolam/ir/location.h"
#include "kolam/ir/op_name.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/user_check.h"
#include "kolam/transform/kernels.h"

#include <limits>
#include <numeric>

namespace kolam::transform::errors {

void refuse(mlir::Operation* op, const std::string& why) {
  throw Error(ErrorKind::value, "not-checkified",
              "expected checks in array functions, loops, branches, functions of lists and "
              "kernels, but got one " +
                  why,
              ir::to_source_location(op->getLoc()));
}

void Walk::add(mlir::Operation* op, CaughtCheck check, const Values& values) {
  for (Value value : values)
    check.values.push_back(ir::dtype_of(value));
  places_ = std::max(places_, check.path + check.grid + check.rank);
  most_values_ = std::max(most_values_, check.values.size());
  check.where = ir::to_source_location(op->getLoc());
  checks_.push_back(std::move(check));
  codes_[op] = static_cast<int64_t>(checks_.size());
}

void Walk::put_kernels_on_arrays(mlir::Region& body) {
  llvm::SmallVector<ir::KernelCallOp> calls;
  body.walk([&](ir::KernelCallOp call) {
    if (caught_.checks.bounds) // its own checks of Refs are made then
      calls.push_back(call);
  });
  for (ir::KernelCallOp call : calls) {
    Builder at(call.getLoc(), call);
    call.setChecks(true);
    Values operands(call->operand_begin(), call->operand_end());
    call->replaceAllUsesWith(kernel_on_arrays(at, call, operands));
    call->erase();
  }
}

void Walk::number_block(mlir::Block& block, size_t path, size_t grid) {
  for (mlir::Operation& op : block) {
    if (auto check = language::user_check_of(&op)) {
      if (is_caught(&op))
        add(&op,
            {std::string(language::kCheckFailed),
             check->message,
             {},
             path,
             grid,
             static_cast<size_t>(ir::rank_of(check->condition)),
             {}},
            check->values);
      continue;
    }
    if (auto check = llvm::dyn_cast<ir::CheckOp>(op); check && is_caught(&op))
      add(&op,
          {check.getSlug().str(),
           check.getMessage().str(),
           {},
           path,
           grid,
           static_cast<size_t>(ir::rank_of(check.getCondition())),
           {}},
          {});
    auto scan = llvm::dyn_cast<ir::ListScanOp>(op);
    const bool combines = llvm::isa<ir::ListReduceOp>(op) || (scan && scan.getAssociative());
    const bool is_of_lists = ir::facts_of(&op).bodies == ir::Bodies::of_lists && !combines;
    auto kernel = llvm::dyn_cast<ir::KernelCallOp>(op);
    const size_t axes = kernel ? kernel.getGrid().shape().size() : 0;
    for (mlir::Region& region : op.getRegions())
      if (!region.empty())
        number_block(region.front(), path + is_of_lists, grid + axes);
  }
}

bool Walk::is_caught(mlir::Operation* op) const {
  if (auto check = llvm::dyn_cast<ir::CheckOp>(op))
    return caught_.has(check.getSlug());
  return caught_.user && language::user_check_of(op);
}

bool Walk::holds_checks(mlir::Operation* op) const {
  return op
      ->walk([&](mlir::Operation* inner) {
        return is_caught(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

bool Walk::holds_checks(mlir::Region& region) const {
  return llvm::any_of(region.front(), [&](mlir::Operation& op) { return holds_checks(&op); });
}

Values Walk::of(mlir::ValueRange values) const {
  Values found;
  for (Value value : values)
    found.push_back(of(value));
  return found;
}

Walk::Given Walk::region(mlir::Region& region, mlir::ValueRange arguments) {
  mlir::Block& block = region.front();
  KOLAM_CHECK(block.getNumArguments() == arguments.size());
  values_.set(block.getArguments(), arguments);
  Value error;
  for_each_op(b, block, [&](mlir::Operation* op) { error = first(error, make(op)); });
  return {of(block.getTerminator()->getOperands()), error};
}

Value Walk::make(mlir::Operation* op) {
  if (!holds_checks(op)) {
    mlir::Operation* copied = b.insert(op->clone());
    copied->setOperands(of(op->getOperands()));
    set(op->getResults(), copied->getResults());
    return {};
  }
  return by_rule<Value>(
      op, [&](auto typed) -> decltype(rule(typed)) { return rule(typed); },
      [](mlir::Operation* other) -> Value { refuse(other, "in " + ir::user_name(other)); });
}

Value Walk::scalar(int64_t value) { return language::weak_constant(b, value, DType::i64); }

Value Walk::apply(Fn fn, const Values& values) { return language::elementwise(b, fn, values); }

Value Walk::none() { return language::full(b, {Extent(width())}, scalar(0)); }

Value Walk::code_of(Value error) {
  return language::squeeze(b, language::slice_dim(b, error, 0, Extent(0), Extent(1)), Axes{0});
}

Value Walk::has_failed(Value error) { return apply(Fn::not_equal, {code_of(error), scalar(0)}); }

Value Walk::first(Value earlier, Value later) {
  if (!earlier || !later)
    return earlier ? earlier : later;
  return apply(Fn::where, {has_failed(earlier), earlier, later});
}

/// An element as it lies in an error.
Value as_bits(Builder& b, Value value) {
  if (!is_float(ir::dtype_of(value)))
    return language::cast(b, value, DType::i64);
  return language::bitcast(b, language::cast(b, value, DType::f64), DType::i64);
}

Value Walk::of_check(mlir::Operation* op, Value condition, const Values& values) {
  language::LocationNote of_check(b, std::string(language::kOfCheck));
  const Shape shape = ir::shape_of(condition);
  Axes dims(shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max(); // meaning: holds everywhere
  // The row-major number of each element, of those that fail.
  Value number = scalar(0);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    Value index = language::iota(b, shape, static_cast<int64_t>(dim), DType::i64);
    number = apply(Fn::add,
                   {apply(Fn::multiply, {number, language::extent_value(b, shape[dim])}), index});
  }
  Value lowest = apply(Fn::where, {condition, scalar(kNone), number});
  if (!dims.empty())
    lowest = language::combine(b, lowest, Fn::minimum, dims);
  Value fails = apply(Fn::not_equal, {lowest, scalar(kNone)});
  Values slots{scalar(codes_.lookup(op))};
  const CaughtCheck& check = checks_[static_cast<size_t>(codes_.lookup(op)) - 1];
  for (size_t level = 0; level < check.path + check.grid; ++level)
    slots.push_back(scalar(0)); // where elements and points are known
  Values index(shape.size());
  Value rest = lowest;
  for (size_t dim = shape.size(); dim-- > 0;) {
    Value extent = language::extent_value(b, shape[dim]);
    index[dim] = apply(Fn::remainder, {rest, extent});
    rest = apply(Fn::floor_divide, {rest, extent});
  }
  llvm::append_range(slots, index);
  slots.resize(1 + places_, scalar(0));
  for (Value value : values) {
    Value bits = as_bits(b, value);
    if (!dims.empty())
      bits = language::combine(
          b, apply(Fn::where, {apply(Fn::equal, {number, lowest}), bits, scalar(0)}), Fn::add,
          dims);
    slots.push_back(bits);
  }
  slots.resize(static_cast<size_t>(width()), scalar(0));
  return apply(Fn::where, {fails, language::stack(b, slots, 0), scalar(0)});
}

Walk::Picked Walk::pick(Value all, Order order) {
  const Shape shape = ir::shape_of(all);
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max(); // meaning: no error
  Value codes = language::squeeze(b, language::slice_dim(b, all, 1, Extent(0), Extent(1)), Axes{1});
  Value candidate = apply(Fn::not_equal, {codes, scalar(0)});
  if (order == Order::at_once) {
    Value lowest = language::combine(b, apply(Fn::where, {candidate, codes, scalar(kNone)}),
                                     Fn::minimum, Axes{0});
    candidate = apply(Fn::equal, {codes, lowest});
  }
  Value number = language::iota(b, {shape[0]}, 0, DType::i64);
  const bool is_last = order == Order::reverse;
  Value at =
      language::combine(b, apply(Fn::where, {candidate, number, scalar(is_last ? -1 : kNone)}),
                        is_last ? Fn::maximum : Fn::minimum, Axes{0});
  Value is_it = language::expand_dims(b, apply(Fn::equal, {number, at}), {1});
  return {language::combine(b, apply(Fn::where, {is_it, all, scalar(0)}), Fn::add, Axes{0}), at};
}

Value Walk::with_place(Value error, size_t place, Value number) {
  Value slot = language::iota(b, {Extent(width())}, 0, DType::i64);
  Value is_slot =
      apply(Fn::logical_and,
            {apply(Fn::equal, {slot, scalar(static_cast<int64_t>(1 + place))}), has_failed(error)});
  return apply(Fn::where, {is_slot, number, error});
}

} // namespace kolam::transform::errors
