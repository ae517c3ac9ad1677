// Makes loops.
#include "kolam/transform/lists/loop.h"

#include "kolam/ir/independent.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/region.h"

namespace kolam::transform::lists {

Values loop(Integers& integers, Value lower, Value upper, const Values& inits,
            const std::function<Values(Value, const Values&)>& body) {
  Builder& b = integers.b;
  llvm::SmallVector<mlir::Type> types{lower.getType()};
  llvm::append_range(types, mlir::ValueRange(inits).getTypes());
  auto region = language::make_region(b, types, [&](const Values& arguments) {
    auto inside = integers.inside();
    return body(arguments[0], Values(arguments.begin() + 1, arguments.end()));
  });
  Values captures = language::isolate(*region);
  return language::for_loop(b, lower, upper, inits, {std::move(region), std::move(captures)});
}

Values independent_loop(Integers& integers, Value lower, Value upper, const Values& inits,
                        const std::function<Values(Value, const Values&)>& body) {
  Values results = loop(integers, lower, upper, inits, body);
  if (!results.empty())
    ir::set_independent(results[0].getDefiningOp<ir::ForOp>());
  return results;
}

Values resizing_loop(Integers& integers, Value lower, Value upper, const Values& inits,
                     const std::vector<Carry>& carries,
                     const std::function<Values(Value, const Values&)>& body) {
  if (llvm::all_of(carries, [](Carry carry) { return carry == Carry::fixed; }))
    return loop(integers, lower, upper, inits, body);
  Builder& b = integers.b;
  auto with_rows = [&](Value value, const Extent& rows) {
    Shape shape = ir::shape_of(value);
    shape[0] = rows;
    return language::tensor_type(b, ir::dtype_of(value), shape);
  };
  llvm::SmallVector<mlir::Type> types;
  std::vector<std::string> symbols(inits.size());
  for (auto [number, init] : llvm::enumerate(inits)) {
    mlir::Type type = init.getType();
    if (carries[number] != Carry::fixed) {
      Extent rows = integers.new_symbol();
      symbols[number] = *rows.as_symbol();
      type = with_rows(init, rows);
    }
    types.push_back(type);
  }
  llvm::SmallVector<mlir::Type> arguments{lower.getType()};
  arguments.append(types);
  auto region = language::make_region(b, arguments, [&](const Values& given) {
    auto inside = integers.inside();
    Values yields = body(given[0], Values(given.begin() + 1, given.end()));
    for (auto [number, yield] : llvm::enumerate(yields))
      if (carries[number] != Carry::fixed) {
        Extent rows = integers.bind(integers.extent(ir::shape_of(yield)[0]));
        yield = language::with_shape(b, yield, ir::shape_of(with_rows(yield, rows)));
      }
    return yields;
  });
  Values captures = language::isolate(*region);
  auto op = ir::ForOp::create(b, types, lower, upper, inits, captures);
  op.getBody().takeBody(*region);
  op.set_late_symbols(symbols);
  llvm::SmallVector<int64_t> appended;
  for (auto [number, carry] : llvm::enumerate(carries))
    if (carry == Carry::appended)
      appended.push_back(static_cast<int64_t>(number));
  op.set_appended(appended);
  return Values(op.result_begin(), op.result_end());
}

Value empty(Builder& b, DType dtype, const Shape& shape) {
  return ir::EmptyOp::create(b, language::tensor_type(b, dtype, shape));
}

} // namespace kolam::transform::lists
