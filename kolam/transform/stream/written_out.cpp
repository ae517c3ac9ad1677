// Writes the turns of loops and the branches of choices out.
#include "kolam/transform/stream/written_out.h"

#include "kolam/analysis/data_dim/turns.h"
#include "kolam/language/builder.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kolam::transform::stream {
namespace {

using analysis::number_of;
using language::Builder;
using language::Value;
using language::Values;

Values all_of(mlir::ValueRange values) { return {values.begin(), values.end()}; }

void append(Values& values, mlir::ValueRange more) {
  values.insert(values.end(), more.begin(), more.end());
}

Builder behind(mlir::Operation* op) {
  Builder b(op->getLoc(), op->getContext());
  b.setInsertionPointAfter(op);
  return b;
}

} // namespace

bool write_out(ir::ForOp op) {
  const std::optional<int64_t> lower = number_of(op.getLower()), upper = number_of(op.getUpper());
  if (!lower || !upper || *upper - *lower > kMostTurns)
    return false;
  Builder b = behind(op);
  Values states = all_of(op.getInits());
  for (int64_t i = *lower; i < *upper; ++i) {
    Values arguments{language::integer_constant(b, i, ir::dtype_of(op.getLower()))};
    append(arguments, states);
    append(arguments, op.getCaptures());
    states = language::inlined(b, op.getBody(), arguments);
  }
  op->replaceAllUsesWith(mlir::ValueRange(states));
  return true;
}

bool write_out(ir::ScanOp op) {
  const std::optional<int64_t> length = op.getLength().shape()[0].constant();
  if (!length || *length == 0 || *length > kMostTurns)
    return false;
  Builder b = behind(op);
  const size_t carried = op.getInits().size();
  Values states = all_of(op.getInits());
  std::vector<Values> stacked(op->getNumResults() - carried);
  for (int64_t turn = 0; turn < *length; ++turn) {
    const int64_t at = op.getReverse() ? *length - 1 - turn : turn;
    Values arguments = states;
    for (Value x : op.getXs())
      arguments.push_back(
          language::squeeze(b, language::slice_dim(b, x, 0, at, 1), language::Axes{0}));
    append(arguments, op.getCaptures());
    Values given = language::inlined(b, op.getBody(), arguments);
    states.assign(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(carried));
    for (size_t number = 0; number < stacked.size(); ++number)
      stacked[number].push_back(given[carried + number]);
  }
  Values results = states;
  for (Values& values : stacked) {
    if (op.getReverse())
      std::reverse(values.begin(), values.end());
    results.push_back(language::stack(b, values, 0));
  }
  op->replaceAllUsesWith(mlir::ValueRange(results));
  return true;
}

/// All branches are computed, and where `where` chooses no bit of the others shows.
bool write_out(ir::CondOp op) {
  if (!mlir::isMemoryEffectFree(op))
    return false;
  Builder b = behind(op);
  std::vector<Values> given;
  for (mlir::Region& branch : op.getBranches())
    given.push_back(language::inlined(b, branch, all_of(op.getCaptures())));
  const DType dtype = ir::dtype_of(op.getSelector());
  Values results = given.back();
  for (size_t number = given.size() - 1; number-- > 0;) {
    Value is_this = op.getSelector();
    if (dtype == DType::boolean)
      is_this = language::elementwise(b, Fn::logical_not, {is_this});
    else
      is_this = language::elementwise(
          b, Fn::less_equal,
          {is_this, language::integer_constant(b, static_cast<int64_t>(number), dtype)});
    for (size_t result = 0; result < results.size(); ++result)
      results[result] =
          language::elementwise(b, Fn::where, {is_this, given[number][result], results[result]});
  }
  op->replaceAllUsesWith(mlir::ValueRange(results));
  return true;
}

bool write_out(ir::WhileOp) { return false; }

} // namespace kolam::transform::stream
