// Makes loops over lists.
#include "kolam/transform/derive/list_loop.h"

#include "kolam/language/lists.h"
#include "kolam/language/region.h"

namespace kolam::transform::derive {
namespace {

using Types = llvm::SmallVector<mlir::Type>;

/// A list without elements: what a state is before the first.
Value empty_list(Builder& b, ir::ListType type) {
  Shape shape = ir::shape_of(mlir::Type(type.leaf()));
  shape.insert(shape.begin(), 0);
  Value leaves = zeros(b, language::tensor_type(b, ir::dtype_of(mlir::Type(type.leaf())), shape));
  Values offsets(static_cast<size_t>(type.depth()) - 1,
                 zeros(b, language::tensor_type(b, DType::i64, {1})));
  return language::pack(b, leaves, offsets);
}

} // namespace

Value anything(Builder& b, mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    return empty_list(b, list);
  return zeros(b, type);
}

bool is_read(Value value) {
  return llvm::any_of(value.getUses(), [](mlir::OpOperand& use) {
    auto again = llvm::dyn_cast<ir::CompositeOp>(use.getOwner());
    return !again || again.getName() != "again" ||
           is_read(again.getBody().getArgument(use.getOperandNumber()));
  });
}

ListResults run_over_lists(Builder& b, const Values& inits, const Values& lists,
                           const language::ListScan& options,
                           const std::function<Values(const Values&)>& body) {
  Types types(mlir::ValueRange(inits).getTypes());
  for (Value list : lists)
    types.push_back(language::element_type(list));
  auto region = language::make_region(b, types, body);
  mlir::Block& block = region->front();
  ListResults given;
  Values all = inits;
  if (!inits.empty()) // other values are states that no step reads
    for (Value other : block.getTerminator()->getOperands().drop_front(inits.size())) {
      block.insertArgument(static_cast<unsigned>(all.size()), other.getType(), other.getLoc());
      all.push_back(anything(b, other.getType()));
    }
  Values captures = language::isolate(*region);
  if (inits.empty()) {
    given.stepwise = language::list_map(b, lists, {std::move(region), std::move(captures)});
    return given;
  }
  Values results =
      language::list_scan(b, all, lists, options, {std::move(region), std::move(captures)});
  return {Values(results.begin(), results.begin() + static_cast<int64_t>(inits.size())),
          Values(results.begin() + static_cast<int64_t>(all.size()), results.end())};
}

} // namespace kolam::transform::derive
