// Linearises bodies.
#include "kolam/transform/derive/bodies.h"

#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/facts.h"
#include "kolam/ir/location.h"
#include "kolam/ir/op_name.h"
#include "kolam/ir/ops.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/region.h"
#include "kolam/transform/batch.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/points_again.h"
#include "kolam/transform/derive/residuals.h"
#include "kolam/transform/lists/rename.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::derive {

namespace {

Apart linearise_once(Builder& b, mlir::Region& body, const Flags& active,
                     const NewSymbol& new_symbol) {
  Apart made;
  llvm::SmallVector<mlir::Type> types(body.getArgumentTypes());
  made.primal = language::make_region(b, types, [&](const Values& arguments) {
    Linearised linearised = transform::linearise(b, body, arguments, active, new_symbol);
    made.linear = std::move(linearised.linear);
    Values results = linearised.results;
    for (Value residual : linearised.residuals) {
      auto argument = llvm::dyn_cast<mlir::BlockArgument>(residual);
      made.arguments.push_back(argument ? static_cast<int64_t>(argument.getArgNumber()) : -1);
      if (!argument) {
        results.push_back(residual);
        made.residuals.push_back(residual);
      }
    }
    return results;
  });
  return made;
}

/// Whether the linear program has extents that are known inside the primal body alone.
bool has_own_extents(const Apart& apart) {
  return llvm::any_of(lists::free_symbols(*apart.linear.region), [&](const std::string& symbol) {
    return lists::binds(*apart.primal, symbol);
  });
}

/// Whether symbols have their meaning inside the body alone.
bool binds_extents(mlir::Region& region) {
  return region
      .walk([](mlir::Operation* op) {
        return llvm::isa<ir::BindExtentOp, ir::UnpackOp>(op) ? mlir::WalkResult::interrupt()
                                                             : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Copies what gives a value of a body to the builder's place; false where it is more than ops on
/// what the body is given, whose extents are known there.
bool copy_before(Builder& b, Value value, mlir::IRMapping& map) {
  if (map.contains(value))
    return true;
  mlir::Operation* op = value.getDefiningOp();
  if (!op || op->getNumRegions() > 0 || ir::facts_of(op).effect != ir::Effect::none)
    return false;
  Shape extents = ir::shape_of(value);
  if (auto extent = llvm::dyn_cast<ir::ExtentOp>(op))
    extents.push_back(*Extent::parse(extent.getExpression()));
  for (const Extent& extent : extents)
    for (const std::string& symbol : extent.symbols())
      if (lists::binds(*op->getParentRegion(), symbol))
        return false;
  if (!llvm::all_of(op->getOperands(), [&](Value operand) { return copy_before(b, operand, map); }))
    return false;
  b.clone(*op, map);
  return true;
}

/// The body as one composite, of which derivatives keep the arguments alone. What it reads of its
/// first arguments, `states`, as it is given them are windows, which are read in front of it.
std::unique_ptr<mlir::Region> as_checkpoint(Builder& b, mlir::Region& body, size_t states) {
  llvm::SmallVector<mlir::Type> types(body.getArgumentTypes());
  return language::make_region(b, types, [&](const Values& arguments) {
    mlir::IRMapping before, inside;
    before.map(body.getArguments(), mlir::ValueRange(arguments));
    Values given = arguments, windows;
    for (auto slice : body.front().getOps<ir::DynamicSliceOp>())
      if (auto whole = llvm::dyn_cast<mlir::BlockArgument>(slice.getOperand());
          whole && whole.getArgNumber() < states && copy_before(b, slice.getResult(), before)) {
        windows.push_back(slice.getResult());
        given.push_back(before.lookup(windows.back()));
      }
    auto op = ir::CompositeOp::create(b, body.front().getTerminator()->getOperandTypes(),
                                      "checkpoint", given, 0);
    body.cloneInto(&op.getBody(), inside);
    for (Value window : windows) {
      Value own = inside.lookup(window);
      own.replaceAllUsesWith(op.getBody().addArgument(own.getType(), own.getLoc()));
      own.getDefiningOp()->erase();
    }
    return Values(op.result_begin(), op.result_end());
  });
}

/// A body and its linear part, of which the linear program computes the body again: it reads the
/// arguments alone. What was linearised once is not linearised anew, as bodies in bodies would
/// double the work with each.
Apart computed_again(Builder& b, mlir::Region& body, Apart once, const NewSymbol& new_symbol) {
  const size_t arguments = body.getNumArguments();
  const size_t results = body.front().getTerminator()->getNumOperands();
  llvm::SmallVector<mlir::Type> types(body.getArgumentTypes());
  for (size_t number : once.linear.arguments)
    types.push_back(types[number]);
  auto again = language::make_region(b, types, [&](const Values& all) {
    const auto tangents = all.begin() + static_cast<int64_t>(arguments);
    Values made = language::inlined(b, *once.primal, Values(all.begin(), tangents)), residuals;
    size_t next = results;
    for (int64_t argument : once.arguments)
      residuals.push_back(argument < 0 ? made[next++] : all[static_cast<size_t>(argument)]);
    return apply_linear(b, once.linear, residuals, Values(tangents, all.end()), new_symbol);
  });
  lists::rename_bound(*again, new_symbol); // the body binds them too
  drop_unused(again->front());

  Apart made;
  made.primal = as_checkpoint(b, body, 0);
  made.linear.arguments = once.linear.arguments;
  made.linear.results = once.linear.results;
  mlir::Block& block = again->front();
  for (size_t number = arguments; number-- > 0;)
    if (block.getArgument(static_cast<unsigned>(number)).use_empty())
      block.eraseArgument(static_cast<unsigned>(number));
    else
      made.arguments.insert(made.arguments.begin(), static_cast<int64_t>(number));
  made.linear.residuals = made.arguments.size();
  made.linear.region = language::make_region(b, block.getArgumentTypes(), [&](const Values& all) {
    auto op = ir::CompositeOp::create(b, block.getTerminator()->getOperandTypes(), "again", all, 0);
    op->setAttr("residuals", b.getI64IntegerAttr(static_cast<int64_t>(made.linear.residuals)));
    op.getBody().takeBody(*again);
    return Values(op.result_begin(), op.result_end());
  });
  return made;
}

Apart compute_again(Builder& b, mlir::Region& body, const Steps& steps, const Flags& active,
                    const NewSymbol& new_symbol) {
  auto region = as_checkpoint(b, body, steps.states);
  if (steps.grid) // what loops inside keep lives for one step of this one
    region->walk([&](mlir::Operation* op) {
      if (auto inner = kernels::grid_loop(op)) {
        inner->steps = std::max<int64_t>(1, inner->steps / std::max<int64_t>(1, steps.grid->steps));
        kernels::set_grid_loop(op, *inner);
      }
    });
  Apart made = linearise_once(b, *region, active, new_symbol);
  cut_residuals(made, steps);
  return made;
}

/// Whether a body reads windows of its first arguments, `states`, as it is given them.
bool reads_windows(mlir::Region& body, size_t states) {
  return llvm::any_of(body.front().getOps<ir::DynamicSliceOp>(), [&](ir::DynamicSliceOp slice) {
    auto whole = llvm::dyn_cast<mlir::BlockArgument>(slice.getOperand());
    return whole && whole.getArgNumber() < states;
  });
}

Apart keep_least(Builder& b, mlir::Region& body, const Steps& steps, const Flags& active,
                 const NewSymbol& new_symbol) {
  Apart made = linearise_once(b, body, active, new_symbol);
  if (has_own_extents(made))
    return reads_windows(body, steps.states) ? compute_again(b, body, steps, active, new_symbol)
                                             : computed_again(b, body, std::move(made), new_symbol);
  if (!binds_extents(*made.primal))
    cut_residuals(made, steps);
  return made;
}

} // namespace

Apart linearise_apart(Builder& b, mlir::Region& body, const Steps& steps, const Flags& active,
                      const NewSymbol& new_symbol) {
  auto keep = [&] { return keep_least(b, body, steps, active, new_symbol); };
  if (!steps.grid || !steps.grid->has_points)
    return keep();
  return points_apart(
      keep, [&] { return compute_again(b, body, steps, active, new_symbol); }, steps);
}

static bool is_list_scan(mlir::Operation* op) { return llvm::isa<ir::ListScanOp>(op); }

static bool has_unknown_length(mlir::Operation* op) {
  if (auto loop = llvm::dyn_cast<ir::ForOp>(op))
    return !analysis::number_of(loop.getLower()) || !analysis::number_of(loop.getUpper());
  return llvm::isa<ir::WhileOp>(op) || ir::facts_of(op).bodies == ir::Bodies::of_lists;
}

/// How many ops that are so stand in one another.
static int64_t depth_of(mlir::Operation* op, llvm::function_ref<bool(mlir::Operation*)> is_so) {
  int64_t most = 0;
  for (mlir::Region& region : op->getRegions())
    for (mlir::Operation& inner : region.getOps())
      most = std::max(most, depth_of(&inner, is_so));
  return most + (is_so(op) ? 1 : 0);
}

void require_shallow(mlir::Operation* loop) {
  constexpr int64_t kDeepest = 32;     // bound: what is made grows with the square of it
  constexpr int64_t kDeepestLists = 8; // bound: what they keep doubles with each level
  auto require = [&](int64_t most, int64_t depth, const std::string& loops) {
    if (depth > most)
      throw Error(ErrorKind::value, "too-deep",
                  ir::user_name(loop) + ": expected at most " + std::to_string(most) + " " + loops +
                      " in one another where they are differentiated in reverse, but got " +
                      std::to_string(depth),
                  ir::to_source_location(loop->getLoc()));
  };
  require(kDeepestLists, depth_of(loop, is_list_scan), "scans of lists");
  require(kDeepest, depth_of(loop, has_unknown_length), "loops of lengths that only the run knows");
}

bool is_elementwise(mlir::Region& body) {
  return llvm::all_of(body.front().without_terminator(), [](mlir::Operation& op) {
    if (auto composite = llvm::dyn_cast<ir::CompositeOp>(op))
      return !op.hasAttr("dims") && composite.getRules().empty() &&
             is_elementwise(composite.getBody());
    if (auto broadcast = llvm::dyn_cast<ir::BroadcastOp>(op))
      return ir::rank_of(broadcast.getOperand()) == 0;
    return op.getNumOperands() == 0 || llvm::isa<ir::ElementwiseOp, ir::CastOp>(op);
  });
}

/// What a region gives for each of `count` instances, which lie along the arguments' first dim.
static Values over_row(mlir::Operation* op, Builder& b, mlir::Region& region,
                       const Values& arguments, const Values& captures, const Extent& count,
                       const std::string& what) {
  std::vector<Batched> given;
  for (Value argument : arguments)
    given.push_back({argument, true});
  for (Value capture : captures)
    given.push_back({capture, false});
  std::string why;
  auto results = batch_body(b, region, given, count, &why);
  if (!results)
    refuse(op, "expected " + what + "; " + why);
  Values values;
  for (const Batched& result : *results) {
    Shape shape = ir::shape_of(result.value);
    if (!result.is_each)
      shape.insert(shape.begin(), count);
    values.push_back(language::broadcast_to(b, result.value, shape));
  }
  return values;
}

/// Ops of single elements are ops of the space as it is, which a reshape would hide from what
/// prices them; others may cost more along several dims than along one.
Values over_space(mlir::Operation* op, Builder& b, mlir::Region& region, const Values& arguments,
                  const Values& captures, const Shape& space, const std::string& what) {
  if (space.size() == 1)
    return over_row(op, b, region, arguments, captures, space[0], what);
  if (space.size() > 1 && is_elementwise(region)) {
    llvm::SmallVector<mlir::Type> types;
    for (Value argument : arguments)
      types.push_back(language::slice_type(b, argument));
    llvm::append_range(types, mlir::ValueRange(captures).getTypes());
    auto rows = language::make_region(b, types, [&](const Values& own) {
      auto first_capture = own.begin() + static_cast<int64_t>(arguments.size());
      return over_space(op, b, region, Values(own.begin(), first_capture),
                        Values(first_capture, own.end()), Shape(space.begin() + 1, space.end()),
                        what);
    });
    return over_row(op, b, *rows, arguments, captures, space[0], what);
  }
  const Extent count = element_count(space);
  Values flat;
  for (Value argument : arguments)
    flat.push_back(reshaped(b, argument, {count}));
  Values values;
  for (Value value : over_row(op, b, region, flat, captures, count, what))
    values.push_back(reshaped(b, value, space));
  return values;
}

language::Direction direction_of(ir::ScanOp op) {
  return op.getReverse() ? language::Direction::reverse : language::Direction::forward;
}

language::Direction opposite_of(ir::ScanOp op) {
  return op.getReverse() ? language::Direction::forward : language::Direction::reverse;
}

Value outside(mlir::Block& body, mlir::ValueRange captures, Value value) {
  const size_t own = body.getNumArguments() - captures.size();
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  return argument && argument.getOwner() == &body && argument.getArgNumber() >= own
             ? captures[argument.getArgNumber() - own]
             : value;
}

Value result_of(const LinearProgram& program, mlir::ValueRange yielded, size_t number) {
  auto found = llvm::find(program.results, number);
  return found == program.results.end() ? Value() : yielded[found - program.results.begin()];
}

} // namespace kolam::transform::derive
