// Inserts checks behind ops, in loops, branches and functions on lists too.
#include "kolam/transform/checks.h"

#include "kolam/language/scatter.h"
#include "kolam/transform/bounds_checks.h"
#include "kolam/transform/line_marks.h"
#include "kolam/transform/nan_checks.h"
#include "kolam/transform/overflow_checks.h"

namespace kolam::transform {
namespace {

using language::Builder;

void collect(mlir::Operation& op, std::vector<mlir::Operation*>& ops) {
  ops.push_back(&op);
  if (ir::facts_of(&op).bodies == ir::Bodies::of_elements)
    return;
  for (mlir::Region& region : op.getRegions())
    for (mlir::Operation& inner : region.front())
      collect(inner, ops);
}

/// Ops on lists compute nothing themselves, and always check places and lengths.
bool is_on_lists(mlir::Operation* op) {
  auto is_list = [](mlir::Type type) { return llvm::isa<ir::ListType>(type); };
  return llvm::any_of(op->getOperandTypes(), is_list) ||
         llvm::any_of(op->getResultTypes(), is_list);
}

void check(Builder& b, mlir::Operation* op, const Checks& all) {
  if (is_on_lists(op))
    return;
  const Checks checks = uncaught(op->getLoc(), all);
  std::string note = language::note_of(op);
  if (note == language::kOfCheck)
    return;
  b.setInsertionPointAfter(op);
  b.setLoc(op->getLoc());
  language::LocationNote of_check(b, std::string(language::kOfCheck));
  if (checks.bounds && note != language::kLeavesOut)
    check_bounds(b, op);
  if (checks.nan)
    check_nan(b, op);
  if (checks.overflow && note != language::kWrapsOnPurpose)
    check_overflow(b, op);
}

} // namespace

void insert_checks(llvm::ArrayRef<mlir::Operation*> ops, const Checks& checks) {
  std::vector<mlir::Operation*> all;
  for (mlir::Operation* op : ops)
    collect(*op, all);
  if (all.empty())
    return;
  Builder b(all.front()->getLoc(), all.front()->getContext());
  for (mlir::Operation* op : all)
    check(b, op, checks);
}

void insert_checks(mlir::ModuleOp module, const Checks& checks) {
  llvm::SmallVector<mlir::Operation*> functions;
  for (mlir::Operation& op : *module.getBody())
    functions.push_back(&op);
  insert_checks(functions, checks);
}

} // namespace kolam::transform
