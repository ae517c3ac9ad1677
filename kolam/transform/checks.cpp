// Inserts checks behind ops, in loops and branches too.
#include "kolam/transform/checks.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/bounds_checks.h"
#include "kolam/transform/nan_checks.h"

#include <limits>

namespace kolam::transform {
namespace {

using language::Builder;
using language::elementwise;
using mlir::Value;

Value constant_like(Builder& b, Value x, int64_t value) {
  return language::weak_constant(b, value, ir::dtype_of(x));
}

Value is_negative(Builder& b, Value x) {
  return elementwise(b, Fn::less, {x, constant_like(b, x, 0)});
}

/// Where x + y or x - y = r has not wrapped: the sign of the wrapped result tells.
Value sum_fits(Builder& b, Fn fn, Value x, Value y, Value r) {
  if (is_unsigned_integer(ir::dtype_of(x)))
    return fn == Fn::add ? elementwise(b, Fn::greater_equal, {r, x})
                         : elementwise(b, Fn::less_equal, {y, x});
  // x + y moves down exactly where y < 0, x - y exactly where y > 0.
  Value moves_down =
      fn == Fn::add ? is_negative(b, y) : elementwise(b, Fn::greater, {y, constant_like(b, y, 0)});
  return elementwise(b, Fn::equal, {moves_down, elementwise(b, Fn::less, {r, x})});
}

/// Where x y = r has not wrapped: dividing gives y back. -1 times the lowest integer does so
/// although it wraps.
Value product_fits(Builder& b, Value x, Value y, Value r) {
  Value back = elementwise(b, Fn::equal, {elementwise(b, Fn::floor_divide, {r, x}), y});
  Value fits = elementwise(b, Fn::logical_or,
                           {back, elementwise(b, Fn::equal, {x, constant_like(b, x, 0)})});
  DType dtype = ir::dtype_of(x);
  if (is_unsigned_integer(dtype))
    return fits;
  int64_t lowest = std::numeric_limits<int64_t>::min() >> (64 - 8 * byte_width(dtype));
  Value both = elementwise(b, Fn::logical_and,
                           {elementwise(b, Fn::equal, {x, constant_like(b, x, -1)}),
                            elementwise(b, Fn::equal, {y, constant_like(b, y, lowest)})});
  return elementwise(b, Fn::logical_and, {fits, elementwise(b, Fn::logical_not, {both})});
}

void check_overflow(Builder& b, ir::ElementwiseOp op) {
  Fn fn = *parse_fn(op.getFunction());
  if (!is_integer(ir::dtype_of(op.getResult())) ||
      (fn != Fn::add && fn != Fn::subtract && fn != Fn::multiply))
    return;
  Value x = op.getOperands()[0], y = op.getOperands()[1], r = op.getResult();
  Value fits = fn == Fn::multiply ? product_fits(b, x, y, r) : sum_fits(b, fn, x, y, r);
  language::check(b, fits, "integer-overflow",
                  op.getFunction().str() + ": expected a result in the range of " +
                      std::string(name(ir::dtype_of(r))) + ", but got one outside");
}

/// The ops of a block and of the bodies of its loops and branches, but not of bodies over scalars.
void collect(mlir::Block& block, std::vector<mlir::Operation*>& ops) {
  for (mlir::Operation& op : block) {
    ops.push_back(&op);
    if (llvm::isa<ir::ForOp, ir::WhileOp, ir::CondOp, ir::ScanOp, mlir::func::FuncOp>(op))
      for (mlir::Region& region : op.getRegions())
        collect(region.front(), ops);
  }
}

} // namespace

void insert_checks(mlir::ModuleOp module, const Checks& checks) {
  std::vector<mlir::Operation*> ops;
  collect(*module.getBody(), ops);
  Builder b(module.getLoc(), module.getContext());
  for (mlir::Operation* op : ops) {
    b.setInsertionPointAfter(op);
    b.setLoc(op->getLoc());
    if (checks.bounds)
      check_bounds(b, op);
    if (checks.nan)
      check_nan(b, op);
    if (auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op); checks.overflow && elementwise)
      check_overflow(b, elementwise);
  }
}

} // namespace kolam::transform
