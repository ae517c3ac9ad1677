// Prices loops of some of the adjoints beside a loop of all, from the outermost axis inwards.
#include "kolam/transform/derive/adjoint_groups.h"

#include "kolam/analysis/cost.h"
#include "kolam/analysis/data_dim/turns.h"
#include "kolam/analysis/own_windows.h"
#include "kolam/ir/facts.h"
#include "kolam/ir/independent.h"
#include "kolam/language/control.h"
#include "kolam/language/region.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/in_any_order.h"
#include "kolam/transform/derive/points_again.h"
#include "kolam/transform/kernels.h"
#include "kolam/transform/kernels/grid_loop.h"
#include "kolam/transform/unread.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kolam::transform {
namespace {

using language::Builder;
using language::Value;
using language::Values;
using Numbers = llvm::SmallVector<unsigned>; // of a loop's results

/// Operations of a loop on one thread, and those that one of two threads has.
struct Times {
  double one = 0, two = 0;
  Times& operator+=(const Times& more) {
    one += more.one;
    two += more.two;
    return *this;
  }
  Times operator*(double count) const { return {count * one, count * two}; }
  double both() const { return one + two; }
};

/// Of what a loop gives, what its steps do to windows of their own, and what is summed along it.
struct Parts {
  Numbers own, summed;
};

struct Choice {
  Parts parts;
  bool may_part = false; ///< there are two, and nothing runs that nobody reads
  Times whole, apart;    ///< as one loop, and as one for each part
  bool is_apart() const { return may_part && apart.both() < whole.both(); }
  Times times() const { return is_apart() ? apart : whole; }
};

bool is_reversed_axis(mlir::Operation* op) { return kernels::reversed_axis(op).has_value(); }

/// The extent of an axis; 0 where it is no number.
int64_t steps_of(ir::ScanOp scan) {
  return std::max<int64_t>(0, scan.getLength().shape()[0].constant().value_or(0));
}

/// Which states have windows of each step's own. Rows that are stacked do.
std::vector<bool> own_states(ir::ScanOp scan) {
  const int64_t steps = steps_of(scan);
  const size_t states = scan.getInits().size();
  std::vector<bool> own(states, steps == 1);
  mlir::Block& body = scan.getBody().front();
  std::optional<analysis::StepNumber> number;
  for (auto [row, x] : llvm::enumerate(scan.getXs()))
    if (auto first = derive::first_counted(x))
      number = {body.getArgument(static_cast<unsigned>(states + row)), *first, *first + steps - 1};
  for (unsigned state = 0; state < states && number && steps > 1; ++state)
    own[state] = analysis::has_own_windows(body.getArgument(state),
                                           body.getTerminator()->getOperand(state), *number);
  return own;
}

Parts parts_of(ir::ScanOp scan, llvm::ArrayRef<unsigned> wanted) {
  const std::vector<bool> own = own_states(scan);
  Parts parts;
  for (unsigned number : wanted) {
    const NeededValues needed(scan, {number});
    bool is_own = steps_of(scan) > 0;
    for (unsigned state = 0; state < own.size(); ++state)
      is_own &= own[state] || !needed.contains(scan.getResult(state));
    (is_own ? parts.own : parts.summed).push_back(number);
  }
  return parts;
}

/// A window is read or written; else what the op computes.
double operations_of(mlir::Operation* op) {
  const Machine machine; // the same choice on all
  auto moved = [&](Value value) {
    const double bytes = analysis::bytes_of(value);
    return bytes * analysis::price_of_byte(bytes, machine) / 2;
  };
  if (auto slice = llvm::dyn_cast<ir::DynamicSliceOp>(op))
    return moved(slice.getResult());
  if (auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op))
    return moved(update.getUpdate());
  return derive::operations_of(op);
}

Values values_of(mlir::ValueRange values) { return {values.begin(), values.end()}; }

/// What the last arguments of a loop's body are outside of it.
mlir::IRMapping mapped_captures(ir::ScanOp scan) {
  mlir::IRMapping map;
  map.map(scan.getBody().front().getArguments().take_back(scan.getCaptures().size()),
          scan.getCaptures());
  return map;
}

/// Whether a value of a loop's body is the same at each step.
bool may_leave(ir::ScanOp scan, Value value, const mlir::IRMapping& captures) {
  if (captures.contains(value) || value.getParentBlock() != &scan.getBody().front())
    return captures.contains(value);
  mlir::Operation* op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return may_leave(scan, operand, captures); });
}
Value brought_out(Builder& b, ir::ScanOp scan, Value value, mlir::IRMapping& map) {
  if (!map.contains(value)) {
    for (Value operand : value.getDefiningOp()->getOperands())
      brought_out(b, scan, operand, map);
    b.clone(*value.getDefiningOp(), map);
  }
  return map.lookup(value);
}

/// The one loop in a loop's body, which it hands its states to.
struct Inside {
  ir::ScanOp loop;
  std::vector<unsigned> states; ///< of the outer loop's, which states of the inner one they are
};

Choice choice_of(ir::ScanOp scan, llvm::ArrayRef<unsigned> wanted, bool is_shared);

/// Such a loop of any order that may stand outside of the other, of whose body it is all but what
/// costs little; of results that are needed.
std::optional<Inside> loop_inside(ir::ScanOp scan, const NeededValues& needed) {
  mlir::Block& body = scan.getBody().front();
  Inside inside;
  double beside = 0;
  for (mlir::Operation& op : body.without_terminator()) {
    if (op.getNumResults() > 0 && !needed.contains(&op))
      continue;
    if (is_reversed_axis(&op) && !inside.loop)
      inside.loop = llvm::cast<ir::ScanOp>(op);
    else if (op.getNumRegions() > 0 || !mlir::isMemoryEffectFree(&op))
      return std::nullopt;
    else
      beside += derive::operations_of(&op);
  }
  ir::ScanOp inner = inside.loop;
  if (!inner || scan->getNumResults() != scan.getInits().size())
    return std::nullopt;
  Numbers wanted;
  for (auto [state, next] : llvm::enumerate(body.getTerminator()->getOperands())) {
    if (!needed.contains(scan->getResult(static_cast<unsigned>(state))))
      continue;
    auto result = llvm::dyn_cast<mlir::OpResult>(next);
    if (!result || result.getOwner() != inner ||
        result.getResultNumber() >= inner.getInits().size() ||
        inner.getInits()[result.getResultNumber()] !=
            body.getArgument(static_cast<unsigned>(state)))
      return std::nullopt;
    wanted.push_back(result.getResultNumber());
  }
  inside.states.assign(wanted.begin(), wanted.end());
  const mlir::IRMapping captures = mapped_captures(scan);
  for (mlir::OpResult result : inner->getResults())
    if (needed.contains(result) && !llvm::is_contained(wanted, result.getResultNumber()))
      return std::nullopt;
  if (!llvm::all_of(inner.getXs(), [&](Value x) { return may_leave(scan, x, captures); }) ||
      !parts_of(inner, wanted).summed.empty() ||
      16 * beside > choice_of(inner, wanted, true).whole.one)
    return std::nullopt;
  return inside;
}

/// Of the ops that are needed; `is_shared`: threads share a loop around.
Times times_of(mlir::Block& block, const NeededValues& needed, bool is_shared) {
  Times times;
  for (mlir::Operation& op : block.without_terminator()) {
    if (op.getNumResults() > 0 && !needed.contains(&op))
      continue;
    if (is_reversed_axis(&op)) {
      Numbers wanted;
      for (mlir::OpResult result : op.getResults())
        if (needed.contains(result))
          wanted.push_back(result.getResultNumber());
      times += choice_of(llvm::cast<ir::ScanOp>(op), wanted, is_shared).times();
      continue;
    }
    if (op.getNumRegions() == 0) {
      const double operations = operations_of(&op);
      times += {operations, operations};
      continue;
    }
    const bool is_one_of_several = ir::facts_of(&op).bodies == ir::Bodies::once;
    const double count = is_one_of_several ? 1.0 / op.getNumRegions() : analysis::turns_of(&op);
    for (mlir::Region& region : op.getRegions())
      if (!region.empty())
        times += times_of(region.front(), needed, is_shared) * count;
  }
  return times;
}

/// Threads share a loop that is worth waking them.
Times shared_by_two(Times times, bool is_shared) {
  if (!is_shared && times.one >= 2 * kThreads.least_flops)
    times.two = times.one / 2;
  return times;
}

Choice choice_of(ir::ScanOp scan, llvm::ArrayRef<unsigned> wanted, bool is_shared) {
  Choice choice;
  choice.parts = parts_of(scan, wanted);
  const double steps = std::max(1.0, analysis::turns_of(scan));
  auto times = [&](llvm::ArrayRef<unsigned> results, bool in_any_order) {
    in_any_order &= steps > 1; // threads share nothing of one step
    const NeededValues needed(scan, results);
    Times found = times_of(scan.getBody().front(), needed, is_shared || in_any_order) * steps;
    const bool is_shared_here = in_any_order || (!is_shared && loop_inside(scan, needed));
    return is_shared_here ? shared_by_two({found.one, found.one}, is_shared) : found;
  };
  const auto& [own, summed] = choice.parts;
  choice.whole = times(wanted, summed.empty());
  choice.may_part = !own.empty() && !summed.empty() && mlir::isMemoryEffectFree(scan);
  if (!choice.may_part)
    return choice;
  choice.apart = times(own, true);
  choice.apart += times(summed, false);
  return choice;
}

std::string number(double value) { return std::to_string(static_cast<int64_t>(value)); }

class Settling {
public:
  explicit Settling(mlir::ModuleOp module) : module_(module) {}

  std::vector<std::string> run() {
    while (ir::ScanOp scan = next([](ir::ScanOp scan) { return has_read_state(scan).has_value(); }))
      capture_state(scan, *has_read_state(scan));
    while (ir::ScanOp scan = next([](ir::ScanOp) { return true; }))
      settle(scan);
    return std::move(notes_);
  }

private:
  /// The first such loop, outer ones first.
  template <class Holds> ir::ScanOp next(const Holds& holds) {
    ir::ScanOp found;
    module_.walk<mlir::WalkOrder::PreOrder>([&](ir::ScanOp scan) {
      if (!is_reversed_axis(scan) || !holds(scan))
        return mlir::WalkResult::advance();
      found = scan;
      return mlir::WalkResult::interrupt();
    });
    return found;
  }

  /// A state of which nobody reads the end, and each step what was there at first: what steps write
  /// there is read by no other.
  static std::optional<unsigned> has_read_state(ir::ScanOp scan) {
    if (llvm::none_of(scan.getResults().take_front(scan.getInits().size()),
                      [](Value result) { return result.use_empty(); }))
      return std::nullopt;
    const std::vector<bool> own = own_states(scan);
    for (unsigned state = 0; state < own.size(); ++state)
      if (own[state] && scan.getResult(state).use_empty())
        return state;
    return std::nullopt;
  }
  static void capture_state(ir::ScanOp scan, unsigned state) {
    mlir::Block& body = scan.getBody().front();
    mlir::BlockArgument own = body.getArgument(state);
    own.replaceAllUsesWith(body.addArgument(own.getType(), own.getLoc()));
    body.eraseArgument(state);
    body.getTerminator()->eraseOperand(state);
    Values inits = values_of(scan.getInits()), captures = values_of(scan.getCaptures());
    captures.push_back(inits[state]);
    inits.erase(inits.begin() + state);
    Numbers kept;
    llvm::SmallVector<mlir::Type> types;
    for (unsigned result = 0; result < scan->getNumResults(); ++result)
      if (result != state) {
        kept.push_back(result);
        types.push_back(scan.getResult(result).getType());
      }
    mlir::OpBuilder b(scan);
    auto made = ir::ScanOp::create(b, scan.getLoc(), types, inits, scan.getXs(), captures,
                                   scan.getLength(), scan.getReverse());
    made->setDiscardableAttrs(scan->getDiscardableAttrDictionary());
    keep_ref_names(scan, made, kept);
    made.getBody().takeBody(scan.getBody());
    for (auto [place, result] : llvm::zip_equal(kept, made.getResults()))
      scan.getResult(place).replaceAllUsesWith(result);
    scan->erase();
  }

  void settle(ir::ScanOp scan) {
    Numbers wanted;
    for (mlir::OpResult result : scan->getResults())
      if (!result.use_empty())
        wanted.push_back(result.getResultNumber());
    const bool is_shared = is_in_shared_loop(scan);
    const Choice choice = choice_of(scan, wanted, is_shared);
    if (choice.parts.summed.empty() && !wanted.empty())
      return in_any_order(scan);
    if (!choice.parts.own.empty() && !is_shared)
      notes_.push_back(describe(scan, choice));
    if (choice.is_apart())
      return apart(scan, choice.parts.own);
    if (!is_shared && turn(scan, wanted))
      return;
    add_note("adjoints of " + *kernels::reversed_axis(scan) + " are summed along an axis of " +
             scan.getLength().shape()[0].to_string() + " points, which run one after the other");
    kernels::drop_reversed_axis(scan);
  }

  static bool is_in_shared_loop(mlir::Operation* op) {
    while ((op = op->getParentOp()))
      if (auto loop = llvm::dyn_cast<ir::ForOp>(op);
          loop && ir::is_independent(loop) && analysis::turns_of(loop) > 1)
        return true;
    return false;
  }

  void in_any_order(ir::ScanOp scan) {
    Builder b(scan.getLoc(), scan);
    Values made =
        derive::counted_loop(b, scan.getBody(), values_of(scan.getInits()), values_of(scan.getXs()),
                             values_of(scan.getCaptures()), steps_of(scan));
    replace(scan, made);
  }
  static void replace(ir::ScanOp scan, const Values& made) {
    std::vector<std::string> names;
    for (mlir::OpResult result : scan->getResults())
      names.push_back(ref_name(result));
    set_ref_names(made[0].getDefiningOp(), names);
    scan->replaceAllUsesWith(made);
    scan->erase();
  }

  /// The loop inside, of any order, in place of the one around it.
  bool turn(ir::ScanOp scan, llvm::ArrayRef<unsigned> wanted) {
    const NeededValues needed(scan, wanted);
    const auto inside = loop_inside(scan, needed);
    if (!inside || wanted.size() != scan.getInits().size())
      return false;
    ir::ScanOp inner = inside->loop;
    if (inner.getInits().size() != scan.getInits().size())
      return false;
    Builder b(scan.getLoc(), scan);
    Values xs;
    mlir::IRMapping before = mapped_captures(scan);
    for (Value x : inner.getXs())
      xs.push_back(brought_out(b, scan, x, before));
    const size_t states = scan.getInits().size();
    auto types = [&](ir::ScanOp loop) {
      llvm::SmallVector<mlir::Type> types(scan.getInits().getTypes());
      for (Value row : loop.getBody().front().getArguments().slice(states, loop.getXs().size()))
        types.push_back(row.getType());
      return types;
    };
    Values made = language::scan(
        b, values_of(scan.getInits()), xs, inner.getLength().shape()[0],
        derive::direction_of(inner), language::make_body(b, types(inner), [&](const Values& given) {
          Values results = language::scan(
              b, first_of(given, states), values_of(scan.getXs()), scan.getLength().shape()[0],
              derive::direction_of(scan),
              language::make_body(b, types(scan), [&](const Values& own) {
                return point(b, scan, *inside, needed, own,
                             Values(given.begin() + static_cast<int64_t>(states), given.end()));
              }));
          kernels::set_reversed_axis(results[0].getDefiningOp(), *kernels::reversed_axis(scan));
          return results;
        }));
    auto turned = llvm::cast<ir::ScanOp>(made[0].getDefiningOp());
    if (!parts_of(turned, wanted).summed.empty()) {
      turned->erase();
      return false;
    }
    kernels::set_reversed_axis(turned, *kernels::reversed_axis(scan));
    notes_.push_back("adjoints of " + *kernels::reversed_axis(scan) + ": the axis of " +
                     number(static_cast<double>(steps_of(inner))) +
                     " points stands outside of that of " +
                     number(static_cast<double>(steps_of(scan))) + ", along which those of " +
                     names_of(scan, wanted) + " are summed");
    replace(scan, made);
    return true;
  }
  static Values first_of(const Values& values, size_t count) {
    return {values.begin(), values.begin() + static_cast<int64_t>(count)};
  }
  /// A step of both loops: `own` are the states and rows of the loop that was around, `rows` those
  /// of the other.
  static Values point(Builder& b, ir::ScanOp scan, const Inside& inside, const NeededValues& needed,
                      const Values& own, const Values& rows) {
    mlir::Block& body = scan.getBody().front();
    ir::ScanOp inner = inside.loop;
    const size_t states = scan.getInits().size();
    mlir::IRMapping map = mapped_captures(scan);
    for (auto [argument, value] : llvm::zip_first(own, body.getArguments()))
      map.map(value, argument);
    for (mlir::Operation& op : body.without_terminator())
      if (&op != inner && needed.contains(&op))
        b.clone(op, map);
    Values given(states);
    for (size_t state = 0; state < states; ++state)
      given[inside.states[state]] = own[state];
    llvm::append_range(given, rows);
    for (Value capture : inner.getCaptures())
      given.push_back(map.lookupOrDefault(capture));
    Values made = language::inlined(b, inner.getBody(), given), results;
    for (unsigned state : inside.states)
      results.push_back(made[state]);
    return results;
  }

  /// A loop for some of what a loop gives, and one for the rest.
  void apart(ir::ScanOp scan, llvm::ArrayRef<unsigned> own) {
    mlir::OpBuilder b(scan);
    mlir::Operation* other = b.clone(*scan);
    for (unsigned result : own)
      scan->getResult(result).replaceAllUsesWith(other->getResult(result));
    drop_unread(*scan->getBlock());
    while (ir::ScanOp read = next([](ir::ScanOp scan) { return has_read_state(scan).has_value(); }))
      capture_state(read, *has_read_state(read));
  }

  void add_note(const std::string& note) {
    if (!llvm::is_contained(notes_, note))
      notes_.push_back(note);
  }
  static std::string names_of(ir::ScanOp scan, llvm::ArrayRef<unsigned> results) {
    std::string names;
    for (unsigned result : results) {
      const std::string name = ref_name(scan->getOpResult(result));
      names += (names.empty() ? "" : ", ") +
               (name.empty() ? language::describe(scan->getResult(result)) : name);
    }
    return names;
  }
  static std::string describe(ir::ScanOp scan, const Choice& choice) {
    const std::string kernel = *kernels::reversed_axis(scan),
                      axis =
                          "an axis of " + number(static_cast<double>(steps_of(scan))) + " points",
                      own = names_of(scan, choice.parts.own),
                      summed = names_of(scan, choice.parts.summed);
    const double twice = choice.apart.one - choice.whole.one,
                 saved = choice.whole.two - choice.apart.two;
    if (choice.is_apart())
      return "adjoints of " + kernel + " have two loops over " + axis + ", along which those of " +
             summed + " are summed, those of " + own + " are not: " + number(twice) +
             " operations are computed twice, " + number(saved) +
             " are saved where two threads run";
    const std::string one_loop = "adjoints of " + kernel + " have one loop over " + axis +
                                 ", along which those of " + summed + " are summed: ";
    if (!choice.may_part)
      return one_loop + "its steps check something or bind sizes that only the run knows";
    return one_loop + "one for those of " + own + " would compute " + number(twice) +
           " operations twice and save " + number(saved) + " where two threads run";
  }

  mlir::ModuleOp module_;
  std::vector<std::string> notes_;
};

} // namespace

bool has_reversed_axes(mlir::ModuleOp module) {
  return module
      .walk([](mlir::Operation* op) {
        return is_reversed_axis(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

std::vector<std::string> group_adjoints(mlir::ModuleOp module) { return Settling(module).run(); }

} // namespace kolam::transform
