// Makes counted loops of scans.
#include "kolam/transform/derive/in_any_order.h"

#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/independent.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/transform/derive.h"

namespace kolam::transform::derive {
using language::Value;

/// What a value that bodies around capture is outside of them.
static Value captured(Value value) {
  while (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    mlir::Operation* op = argument.getOwner()->getParentOp();
    mlir::ValueRange captures;
    if (auto loop = llvm::dyn_cast_or_null<ir::ForOp>(op))
      captures = loop.getCaptures();
    else if (auto loop = llvm::dyn_cast_or_null<ir::ScanOp>(op))
      captures = loop.getCaptures();
    else if (auto branches = llvm::dyn_cast_or_null<ir::CondOp>(op))
      captures = branches.getCaptures();
    const size_t own = argument.getOwner()->getNumArguments() - captures.size();
    if (argument.getArgNumber() < own)
      return value;
    value = captures[argument.getArgNumber() - own];
  }
  return value;
}

std::optional<int64_t> first_counted(Value row) {
  row = captured(row);
  while (auto same = row.getDefiningOp<ir::ReshapeOp>()) {
    if (same.getOperand().getType() != same.getResult().getType())
      return std::nullopt;
    row = captured(same.getOperand());
  }
  if (row.getDefiningOp<ir::IotaOp>())
    return ir::rank_of(row) == 1 ? std::optional<int64_t>(0) : std::nullopt;
  auto sum = row.getDefiningOp<ir::ElementwiseOp>();
  if (!sum || sum.getFunction() != "add" || sum.getOperands().size() != 2)
    return std::nullopt;
  Value first = captured(sum.getOperands()[1]);
  if (auto broadcast = first.getDefiningOp<ir::BroadcastOp>())
    first = captured(broadcast.getOperand());
  auto number = analysis::number_of(first), from = first_counted(sum.getOperands()[0]);
  return number && from ? std::optional(*number + *from) : std::nullopt;
}

Values counted_loop(Builder& b, mlir::Region& body, const Values& inits, const Values& xs,
                    const Values& captures, int64_t steps) {
  auto constant = [&](int64_t value) { return language::integer_constant(b, value, DType::i32); };
  auto starts_of = [&](const Shape& shape, Value step) {
    Values starts(shape.size(), constant(0));
    starts[0] = step;
    return starts;
  };
  Values states = inits;
  mlir::ValueRange stacked = body.front().getTerminator()->getOperands().drop_front(inits.size());
  for (Value row : stacked) {
    Shape shape = ir::shape_of(row);
    shape.insert(shape.begin(), Extent(steps));
    states.push_back(zeros(b, language::tensor_type(b, ir::dtype_of(row), shape)));
  }
  llvm::SmallVector<mlir::Type> types{constant(0).getType()};
  llvm::append_range(types, mlir::ValueRange(states).getTypes());
  language::Body made = language::make_body(b, types, [&](const Values& arguments) {
    Value step = arguments[0];
    Values given(arguments.begin() + 1, arguments.begin() + 1 + static_cast<int64_t>(inits.size()));
    for (Value x : xs) {
      if (auto first = first_counted(x)) {
        Value at = language::elementwise(b, Fn::add, {step, constant(*first)});
        given.push_back(language::cast(b, at, ir::dtype_of(x)));
        continue;
      }
      Shape row = ir::shape_of(x);
      row[0] = 1;
      Value window = language::dynamic_slice(b, x, starts_of(row, step), row);
      row.erase(row.begin());
      given.push_back(language::reshape(b, window, row));
    }
    llvm::append_range(given, captures);
    Values results = language::inlined(b, body, given);
    for (size_t number = inits.size(); number < results.size(); ++number) {
      Shape row = ir::shape_of(results[number]);
      row.insert(row.begin(), Extent(1));
      results[number] = language::dynamic_update_slice(b, arguments[1 + number],
                                                       language::reshape(b, results[number], row),
                                                       starts_of(row, step));
    }
    return results;
  });
  Values results = language::for_loop(b, constant(0), constant(steps), states, std::move(made));
  if (!results.empty())
    ir::set_independent(results[0].getDefiningOp<ir::ForOp>());
  return results;
}

} // namespace kolam::transform::derive
