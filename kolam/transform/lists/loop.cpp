// Makes loops.
#include "kolam/transform/lists/loop.h"

#include "kolam/ir/independent.h"
#include "kolam/ir/late.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/region.h"

namespace kolam::transform::lists {

Values loop(Integers& integers, Value lower, Value upper, const Values& inits,
            const std::function<Values(Value, const Values&)>& body) {
  Builder& b = integers.b;
  llvm::SmallVector<mlir::Type> types{lower.getType()};
  llvm::append_range(types, mlir::ValueRange(inits).getTypes());
  language::Body made = language::make_body(b, types, [&](const Values& arguments) {
    auto inside = integers.inside();
    return body(arguments[0], Values(arguments.begin() + 1, arguments.end()));
  });
  return language::for_loop(b, lower, upper, inits, std::move(made));
}

Values independent_loop(Integers& integers, Value lower, Value upper, const Values& inits,
                        const std::function<Values(Value, const Values&)>& body) {
  Values results = loop(integers, lower, upper, inits, body);
  if (!results.empty())
    ir::set_independent(results[0].getDefiningOp<ir::ForOp>());
  return results;
}

static mlir::RankedTensorType with_rows(Builder& b, mlir::Type type, const Extent& rows) {
  Shape shape = ir::shape_of(type);
  shape[0] = rows;
  return language::tensor_type(b, ir::dtype_of(type), shape);
}

namespace {

/// What a loop carries or a branch gives, some of it under extents of its own.
struct Resized {
  llvm::SmallVector<mlir::Type> types;
  std::vector<std::string> symbols; ///< empty where the shape stays

  Resized(Integers& integers, mlir::TypeRange given, const std::vector<Carry>& carries)
      : types(given), symbols(given.size()) {
    for (auto [number, type] : llvm::enumerate(types))
      if (carries[number] != Carry::fixed) {
        Extent rows = integers.new_symbol();
        symbols[number] = *rows.as_symbol();
        type = with_rows(integers.b, type, rows);
      }
  }

  /// What a body yields, under extents that it binds or that stay.
  Values bound(Integers& integers, Values yields) const {
    for (auto [number, yield] : llvm::enumerate(yields)) {
      mlir::Type type = types[number];
      if (!symbols[number].empty())
        type = with_rows(integers.b, yield.getType(),
                         integers.bind(integers.extent(ir::shape_of(yield)[0])));
      yield = language::with_shape(integers.b, yield, ir::shape_of(type));
    }
    return yields;
  }
};

} // namespace

Values resizing_loop(Integers& integers, Value lower, Value upper, const Values& inits,
                     const std::vector<Carry>& carries,
                     const std::function<Values(Value, const Values&)>& body) {
  if (llvm::all_of(carries, [](Carry carry) { return carry == Carry::fixed; }))
    return loop(integers, lower, upper, inits, body);
  Builder& b = integers.b;
  Resized states(integers, mlir::ValueRange(inits).getTypes(), carries);
  llvm::SmallVector<mlir::Type> arguments{lower.getType()};
  arguments.append(states.types);
  language::Body made = language::make_body(b, arguments, [&](const Values& given) {
    auto inside = integers.inside();
    return states.bound(integers, body(given[0], Values(given.begin() + 1, given.end())));
  });
  auto op = ir::ForOp::create(b, states.types, lower, upper, inits, made.captures);
  op.getBody().takeBody(*made.region);
  ir::set_late_symbols(op, states.symbols);
  llvm::SmallVector<int64_t> appended;
  for (auto [number, carry] : llvm::enumerate(carries))
    if (carry == Carry::appended)
      appended.push_back(static_cast<int64_t>(number));
  op.set_appended(appended);
  return Values(op.result_begin(), op.result_end());
}

Values resizing_while(Integers& integers, const Values& inits, const std::vector<Carry>& carries,
                      const std::function<Value(const Values&)>& condition,
                      const std::function<Values(const Values&)>& body) {
  Builder& b = integers.b;
  Resized states(integers, mlir::ValueRange(inits).getTypes(), carries);
  auto make = [&](const std::function<Values(const Values&)>& made) {
    return language::make_body(b, states.types, [&](const Values& given) {
      auto inside = integers.inside();
      return made(given);
    });
  };
  language::Body bodies[] = {
      make([&](const Values& given) { return Values{condition(given)}; }),
      make([&](const Values& given) { return states.bound(integers, body(given)); })};
  Values captures = language::share_captures(bodies);
  auto op = ir::WhileOp::create(b, states.types, inits, captures);
  op.getCondition().takeBody(*bodies[0].region);
  op.getBody().takeBody(*bodies[1].region);
  ir::set_late_symbols(op, states.symbols);
  return Values(op.result_begin(), op.result_end());
}

Values resizing_branch(Integers& integers, Value selector, const std::vector<Carry>& carries,
                       std::vector<language::Body> branches) {
  Builder& b = integers.b;
  Resized results(integers, branches[0].region->front().getTerminator()->getOperandTypes(),
                  carries);
  for (language::Body& branch : branches) {
    mlir::Operation* yield = branch.region->front().getTerminator();
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(yield);
    for (auto [number, type] : llvm::enumerate(results.types)) {
      auto place = static_cast<unsigned>(number);
      if (results.symbols[number].empty())
        yield->setOperand(place,
                          language::with_shape(b, yield->getOperand(place), ir::shape_of(type)));
    }
  }
  Values captures = language::share_captures(branches);
  auto op = ir::CondOp::create(b, results.types, selector, captures,
                               static_cast<unsigned>(branches.size()));
  for (auto [region, branch] : llvm::zip(op.getBranches(), branches))
    region.takeBody(*branch.region);
  ir::set_late_symbols(op, results.symbols);
  return Values(op.result_begin(), op.result_end());
}

Value empty(Builder& b, DType dtype, const Shape& shape) {
  return ir::EmptyOp::create(b, language::tensor_type(b, dtype, shape));
}

} // namespace kolam::transform::lists
