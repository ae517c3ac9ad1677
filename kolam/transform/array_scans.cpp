// Makes scans over arrays of those over lists.
#include "kolam/transform/array_scans.h"

#include "kolam/ir/facts.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/lists.h"
#include "kolam/language/region.h"
#include "kolam/transform/at_line.h"
#include "kolam/transform/derive/rules.h"

namespace kolam::transform {

using derive::unpacked;
using language::Value;
using language::Values;

namespace {

bool is_tensor(Value value) { return llvm::isa<mlir::RankedTensorType>(value.getType()); }

/// How many elements a list has: as many as one whose leaves are known, where it comes of that.
Extent length_of(language::Builder& b, Value list, const NewSymbol& new_symbol) {
  const Values parts = unpacked(b, language::counted(list), new_symbol);
  return parts.size() == 1 ? ir::shape_of(parts[0])[0] : ir::shape_of(parts[1])[0] - Extent(1);
}

} // namespace

bool is_array_scan(ir::ListScanOp op) {
  auto is_over_elements = [](mlir::Operation* inner) {
    return ir::facts_of(inner).bodies == ir::Bodies::of_lists;
  };
  for (mlir::Operation* around = op->getParentOp(); around; around = around->getParentOp())
    if (is_over_elements(around))
      return false;
  const auto holds = op.getBody().walk([&](mlir::Operation* inner) {
    return is_over_elements(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return !op.getAssociative() && !holds.wasInterrupted() &&
         llvm::all_of(op.getInits(), is_tensor) && llvm::all_of(op.getLists(), [](Value list) {
           return llvm::cast<ir::ListType>(list.getType()).depth() == 1;
         });
}

ir::ScanOp as_array_scan(language::Builder& b, ir::ListScanOp op, const NewSymbol& new_symbol) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  AtLine line(b, op.getLoc());
  const size_t states = op.getInits().size();
  const Values inits(op.getInits().begin(), op.getInits().end());
  Values xs;
  for (Value list : op.getLists()) {
    language::require_one_length(b, op.getLists()[0], list);
    xs.push_back(unpacked(b, list, new_symbol)[0]);
  }
  const Extent length = length_of(b, op.getLists()[0], new_symbol);
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
  for (Value& x : xs) {
    Shape shape = ir::shape_of(x);
    shape[0] = length;
    x = language::with_shape(b, x, shape);
    types.push_back(language::slice_type(b, x));
  }
  std::vector<size_t> kept; // of which states the list of all is read
  for (size_t number = 0; number < states; ++number)
    if (!op.getResult(static_cast<unsigned>(states + number)).use_empty())
      kept.push_back(number);
  std::vector<Values> captured;
  for (Value capture : op.getCaptures())
    captured.push_back(derive::captured_parts(b, capture, new_symbol));
  language::Body body = language::make_body(b, types, [&](const Values& own) {
    Values arguments = own;
    for (auto [capture, parts] : llvm::zip(op.getCaptures(), captured))
      arguments.push_back(derive::from_parts(b, capture.getType(), parts));
    Values yielded = language::inlined(b, op.getBody(), arguments);
    for (size_t number : kept)
      yielded.push_back(yielded[number]);
    return yielded;
  });
  Values made =
      language::scan(b, inits, xs, length,
                     op.getReverse() ? language::Direction::reverse : language::Direction::forward,
                     std::move(body));
  auto scan = made[0].getDefiningOp<ir::ScanOp>();
  for (size_t number = 0; number < states; ++number)
    op.getResult(static_cast<unsigned>(number)).replaceAllUsesWith(made[number]);
  for (auto [place, number] : llvm::enumerate(kept))
    op.getResult(static_cast<unsigned>(states + number))
        .replaceAllUsesWith(language::pack(b, made[states + place], {}));
  op.erase();
  return scan;
}

} // namespace kolam::transform
