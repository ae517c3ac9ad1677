// Asks whose windows steps touch, and makes a counted loop.
#include "kolam/transform/derive/in_any_order.h"

#include "kolam/analysis/data_dim/turns.h"
#include "kolam/analysis/own_windows.h"
#include "kolam/ir/independent.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/transform/derive.h"
#include "kolam/transform/derive/notes.h"

namespace kolam::transform::derive {
namespace {

using language::Value;

/// The first of the numbers that a row counts; nullopt for other values.
std::optional<int64_t> first_counted(Value row) {
  while (auto same = row.getDefiningOp<ir::ReshapeOp>()) {
    if (same.getOperand().getType() != same.getResult().getType())
      return std::nullopt;
    row = same.getOperand();
  }
  if (row.getDefiningOp<ir::IotaOp>())
    return ir::rank_of(row) == 1 ? std::optional<int64_t>(0) : std::nullopt;
  auto sum = row.getDefiningOp<ir::ElementwiseOp>();
  if (!sum || sum.getFunction() != "add" || sum.getOperands().size() != 2)
    return std::nullopt;
  Value first = sum.getOperands()[1];
  if (auto broadcast = first.getDefiningOp<ir::BroadcastOp>())
    first = broadcast.getOperand();
  auto number = analysis::number_of(first), from = first_counted(sum.getOperands()[0]);
  return number && from ? std::optional(*number + *from) : std::nullopt;
}

} // namespace

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

std::optional<Values> in_any_order(Builder& b, mlir::Region& body, const Values& inits,
                                   const Values& xs, const Extent& length,
                                   const kernels::GridLoop& grid) {
  const auto steps = length.constant();
  if (!steps || *steps < 1 || inits.empty())
    return std::nullopt;
  mlir::Block& block = body.front();
  std::optional<analysis::StepNumber> number;
  for (auto [row, x] : llvm::enumerate(xs))
    if (auto first = first_counted(x))
      number = {block.getArgument(static_cast<unsigned>(inits.size() + row)), *first,
                *first + *steps - 1};
  mlir::ValueRange yielded = block.getTerminator()->getOperands();
  auto is_own = [&](size_t state) {
    return number && analysis::has_own_windows(block.getArgument(static_cast<unsigned>(state)),
                                               yielded[state], *number);
  };
  for (size_t state = 0; *steps > 1 && state < inits.size(); ++state)
    if (!is_own(state)) {
      DerivativeNotes::add("adjoints of " + grid.kernel + " are summed along an axis of " +
                           std::to_string(*steps) + " points, which run one after the other");
      return std::nullopt;
    }
  return counted_loop(b, body, inits, xs, {}, *steps);
}

} // namespace kolam::transform::derive
