// Makes errors of a program's checks.
#include "kolam/transform/checkify.h"

#include "kolam/language/user_check.h"
#include "kolam/transform/checkify/walk.h"
#include "kolam/transform/checks.h"
#include "kolam/transform/line_marks.h"

namespace kolam::transform {

bool Caught::has(std::string_view slug) const {
  const bool of_user = slug == language::kCheckFailed || slug == "debug-check";
  const bool of_bounds =
      slug == "index-out-of-range" || slug == "indices-not-unique" || slug == "block-outside";
  return (user && of_user) || (checks.bounds && of_bounds) ||
         (checks.nan && slug == "nan-created") || (checks.overflow && slug == "integer-overflow");
}

Checkified checkify(language::Builder& b, mlir::Region& body, mlir::ValueRange arguments,
                    const Caught& caught, const NewSymbol& new_symbol) {
  errors::Walk walk(b, caught, new_symbol);
  walk.put_kernels_on_arrays(body);
  llvm::SmallVector<mlir::Operation*> ops;
  for (mlir::Operation& op : body.front().without_terminator())
    ops.push_back(&op);
  insert_checks(ops, caught.checks);
  walk.number(body);
  mlir::Block* block = b.getInsertionBlock();
  mlir::Operation* last =
      b.getInsertionPoint() == block->begin() ? nullptr : &*std::prev(b.getInsertionPoint());
  errors::Walk::Given given = walk.region(body, arguments);
  const auto first = last ? std::next(last->getIterator()) : block->begin();
  for (mlir::Operation& op : llvm::make_range(first, b.getInsertionPoint()))
    mark_caught(&op, caught.checks); // for checks around
  Checkified made{std::move(given.results), walk.or_none(given.error), {}, walk.places()};
  made.checks = walk.take_checks();
  return made;
}

} // namespace kolam::transform
