// Finds loops that count, and the scans that they count for.
#include "kolam/rewrite/counted_scans.h"

#include "kolam/analysis/cost.h"
#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/facts.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"
#include "kolam/language/broadcast.h"
#include "kolam/transform/derive/notes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace kolam::rewrite {
namespace {

using language::Builder;
using language::Values;
using mlir::Value;

// Assumed: binding an extent, growing memory and copying a row of a state, at 10 GFLOP/s, 0.5 us;
// and for each byte of a row, which is written twice.
constexpr double kFlopsOfAppending = 5000, kFlopsOfByte = 1;

mlir::Operation* yield_of(mlir::Region& region) { return region.front().getTerminator(); }

bool is_one(Value value) { return analysis::number_of(value) == 1; }

/// Whether state `number` of a loop is how many turns it takes, which nothing in it asks.
bool counts_turns(ir::WhileOp loop, unsigned number) {
  mlir::Region& body = loop.getBody();
  Value counter = body.getArgument(number);
  auto next = yield_of(body)->getOperand(number).getDefiningOp<ir::ElementwiseOp>();
  if (!next || next.getFunction() != "add" || analysis::number_of(loop.getInits()[number]) != 0)
    return false;
  const unsigned own = next->getOperand(0) == counter ? 0 : 1;
  Value step = next->getOperand(1 - own);
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(step);
      argument && argument.getArgNumber() >= loop.getInits().size())
    step = loop.getCaptures()[argument.getArgNumber() - loop.getInits().size()];
  return next->getOperand(own) == counter && is_one(step);
}

/// The loop whose turns a symbol is bound to, and which of its results that is.
mlir::OpResult counter_of(ir::BindExtentOp bind) {
  Value size = bind.getSize();
  while (auto cast = size.getDefiningOp<ir::CastOp>())
    size = cast.getOperand();
  auto result = llvm::dyn_cast<mlir::OpResult>(size);
  auto loop = result ? llvm::dyn_cast<ir::WhileOp>(result.getOwner()) : ir::WhileOp();
  if (!loop || loop->getBlock() != bind->getBlock() || loop->hasAttr("late") ||
      !counts_turns(loop, result.getResultNumber()))
    return {};
  return result;
}

/// Which values of two bodies are equal, given that the scan's states are those of the loop.
class Equal {
public:
  Equal(ir::WhileOp loop, ir::ScanOp scan) : loop_(loop), scan_(scan) {}

  /// Of each state of the scan that of the loop; none where one has no other.
  std::optional<std::vector<unsigned>> states() {
    const auto own = static_cast<unsigned>(scan_.getInits().size());
    state_.assign(own, 0);
    std::vector<llvm::SmallVector<unsigned>> candidates(own);
    for (unsigned state = 0; state < own; ++state)
      for (unsigned other = 0; other < loop_.getInits().size(); ++other)
        if (loop_.getInits()[other] == scan_.getInits()[state])
          candidates[state].push_back(other);
    // States that begin alike are told apart by what follows: in order, each other but once.
    llvm::DenseSet<unsigned> taken;
    for (unsigned state = 0; state < own; ++state) {
      auto found =
          llvm::find_if(candidates[state], [&](unsigned other) { return !taken.contains(other); });
      if (found == candidates[state].end())
        return std::nullopt;
      taken.insert(state_[state] = *found);
    }
    for (unsigned state = 0; state < own; ++state)
      if (!are(yield_of(loop_.getBody())->getOperand(state_[state]),
               yield_of(scan_.getBody())->getOperand(state)))
        return std::nullopt;
    return state_;
  }

private:
  bool are(Value of_loop, Value of_scan) {
    auto [known, is_new] = known_.try_emplace({of_loop, of_scan}, true);
    if (!is_new)
      return known->second;
    const bool equal = compare(of_loop, of_scan);
    known_[{of_loop, of_scan}] = equal;
    return equal;
  }

  bool compare(Value of_loop, Value of_scan) {
    if (of_loop.getType() != of_scan.getType())
      return false;
    auto x = llvm::dyn_cast<mlir::BlockArgument>(of_loop),
         y = llvm::dyn_cast<mlir::BlockArgument>(of_scan);
    if (x || y)
      return x && y && are_arguments(x, y);
    auto from = llvm::cast<mlir::OpResult>(of_loop), to = llvm::cast<mlir::OpResult>(of_scan);
    return from.getResultNumber() == to.getResultNumber() &&
           mlir::OperationEquivalence::isEquivalentTo(
               from.getOwner(), to.getOwner(),
               [&](Value a, Value b) { return mlir::success(are(a, b)); },
               [&](Value a, Value b) { known_[{a, b}] = true; },
               mlir::OperationEquivalence::IgnoreLocations);
  }

  /// Those of bodies inside are known by what surrounds them.
  bool are_arguments(mlir::BlockArgument x, mlir::BlockArgument y) {
    if (x.getOwner() != &loop_.getBody().front() || y.getOwner() != &scan_.getBody().front())
      return false;
    const unsigned of_loop = x.getArgNumber(), of_scan = y.getArgNumber();
    const size_t states = loop_.getInits().size(), own = scan_.getInits().size();
    if (of_scan < own)
      return state_[of_scan] == of_loop;
    return of_loop >= states &&
           loop_.getCaptures()[of_loop - states] == scan_.getCaptures()[of_scan - own];
  }

  ir::WhileOp loop_;
  ir::ScanOp scan_;
  std::vector<unsigned> state_;
  llvm::DenseMap<std::pair<Value, Value>, bool> known_;
};

/// Whether ops of the region do no more than compute, so that they may run beside others.
bool computes_alone(mlir::Region& region) {
  return !region
              .walk([](mlir::Operation* op) {
                const ir::Effect effect = ir::facts_of(op).effect;
                return effect == ir::Effect::none || op->hasTrait<mlir::OpTrait::IsTerminator>()
                           ? mlir::WalkResult::advance()
                           : mlir::WalkResult::interrupt();
              })
              .wasInterrupted();
}

double flops_of(mlir::Region& body) {
  double flops = 0;
  for (mlir::Operation& op : body.front().without_terminator()) {
    if (!analysis::has_programs(&op)) {
      flops += analysis::flops_of(&op);
      continue;
    }
    for (mlir::Region& inner : op.getRegions())
      flops += analysis::turns_of(&op) * flops_of(inner);
  }
  return flops;
}

/// Whether every element is computed of single ones: such loops carry their states in registers.
bool is_by_elements(mlir::Region& body) {
  return llvm::all_of(body.front().without_terminator(), [](mlir::Operation& op) {
    const ir::Again again = ir::facts_of(&op).again;
    return op.getNumRegions() == 0 && (again == ir::Again::free || again == ir::Again::cheap);
  });
}

/// What each step of the scan stacks, in bytes.
double bytes_of_step(ir::ScanOp scan) {
  double bytes = 0;
  for (Value y : yield_of(scan.getBody())->getOperands().drop_front(scan.getInits().size()))
    bytes += analysis::bytes_of(y);
  return bytes;
}

/// Whether computing the loop's body once more costs more than appending what the scan stacks, step
/// by step.
bool is_worth_it(ir::WhileOp loop, ir::ScanOp scan) {
  const auto stacked = static_cast<double>(scan->getNumResults() - scan.getInits().size());
  return flops_of(loop.getBody()) >
         kFlopsOfAppending * stacked + kFlopsOfByte * bytes_of_step(scan);
}

/// Moves what `value` is made of in front of `op`; says whether that can be.
bool stands_before(Value value, mlir::Operation* op) {
  mlir::Operation* from = value.getDefiningOp();
  if (!from || from->getBlock() != op->getBlock() || from->isBeforeInBlock(op))
    return true;
  if (from == op || !mlir::isPure(from) || from->getNumRegions() > 0 ||
      !llvm::all_of(from->getOperands(), [&](Value operand) { return stands_before(operand, op); }))
    return false;
  from->moveBefore(op);
  return true;
}

bool uses(mlir::Region& region, llvm::StringRef symbol) {
  auto is_used = [&](mlir::Type type) {
    return llvm::isa<mlir::RankedTensorType>(type) &&
           llvm::any_of(ir::shape_of(type), [&](const Extent& extent) {
             return extent.symbols().contains(symbol.str());
           });
  };
  return region
      .walk([&](mlir::Operation* op) {
        return llvm::any_of(op->getOperandTypes(), is_used) ||
                       llvm::any_of(op->getResultTypes(), is_used) || llvm::isa<ir::ExtentOp>(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a scan has as many steps as a loop takes, which `symbol` is bound to.
bool is_counted(ir::ScanOp scan, llvm::StringRef symbol) {
  return !scan.getReverse() && scan.getXs().empty() &&
         scan.getLength().shape()[0].as_symbol() == symbol.str();
}

/// Why such a scan does not run with the loop, whose states it has; empty where it does.
std::string why_apart(ir::ScanOp scan, ir::WhileOp loop, llvm::StringRef symbol) {
  if (is_by_elements(scan.getBody()))
    return "its states stay in registers, and what steps keep would not";
  if (!is_worth_it(loop, scan))
    return "a step costs less than appending what it keeps";
  if (!computes_alone(scan.getBody()) || !computes_alone(loop.getBody()))
    return "its steps do more than compute, which must not happen twice";
  if (uses(scan.getBody(), symbol) || !llvm::all_of(scan->getOperands(), [&](Value operand) {
        return stands_before(operand, loop);
      }))
    return "its steps read what is known when it has ended";
  return "";
}

/// The loop with what the scan stacks; the values of its results, then of the scan's.
void put_into(ir::ScanOp scan, ir::WhileOp loop, llvm::ArrayRef<unsigned> same_state,
              llvm::StringRef symbol) {
  const auto states = static_cast<unsigned>(loop.getInits().size()),
             own = static_cast<unsigned>(scan.getInits().size());
  Builder b(loop.getLoc(), loop.getContext());
  b.setInsertionPoint(loop);
  Values inits(loop.getInits().begin(), loop.getInits().end());
  llvm::SmallVector<mlir::Type> types(loop->getResultTypes());
  std::vector<std::string> late(states);
  llvm::SmallVector<int64_t> appended;
  for (mlir::Value y : scan->getResults().drop_front(own)) {
    Shape rows = ir::shape_of(y);
    late.push_back(symbol.str() + "_" + std::to_string(appended.size()));
    appended.push_back(static_cast<int64_t>(types.size()));
    rows[0] = Extent::symbol(late.back());
    types.push_back(language::tensor_type(b, ir::dtype_of(y), rows));
    rows[0] = 0;
    inits.push_back(ir::EmptyOp::create(b, language::tensor_type(b, ir::dtype_of(y), rows)));
  }
  llvm::SetVector<Value> captures(loop.getCaptures().begin(), loop.getCaptures().end());
  captures.insert(scan.getCaptures().begin(), scan.getCaptures().end());
  auto made = ir::WhileOp::create(b, types, inits, captures.getArrayRef());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  ir::set_late_symbols(made, late);
  ir::set_appended(made, appended);

  auto fill = [&](mlir::Region& region, mlir::Region& from, mlir::IRMapping& map) {
    mlir::Block* block = b.createBlock(&region);
    for (mlir::Type type : types)
      block->addArgument(type, loop.getLoc());
    for (Value capture : captures)
      block->addArgument(capture.getType(), loop.getLoc());
    auto argument_of = [&](Value capture) {
      const auto place = llvm::find(captures, capture) - captures.begin();
      return block->getArgument(static_cast<unsigned>(types.size()) + static_cast<unsigned>(place));
    };
    for (auto [number, argument] : llvm::enumerate(from.getArguments()))
      map.map(argument, number < states ? block->getArgument(static_cast<unsigned>(number))
                                        : argument_of(loop.getCaptures()[number - states]));
    for (auto [number, argument] : llvm::enumerate(scan.getBody().getArguments()))
      map.map(argument, number < own ? block->getArgument(same_state[number])
                                     : argument_of(scan.getCaptures()[number - own]));
    for (mlir::Operation& op : from.front().without_terminator())
      b.clone(op, map);
  };
  mlir::IRMapping of_condition, of_body;
  fill(made.getCondition(), loop.getCondition(), of_condition);
  ir::YieldOp::create(
      b, mlir::ValueRange{of_condition.lookup(yield_of(loop.getCondition())->getOperand(0))});
  fill(made.getBody(), loop.getBody(), of_body);
  for (mlir::Operation& op : scan.getBody().front().without_terminator())
    b.clone(op, of_body);
  Values yields;
  for (Value value : yield_of(loop.getBody())->getOperands())
    yields.push_back(of_body.lookup(value));
  mlir::ValueRange given = yield_of(scan.getBody())->getOperands();
  for (unsigned state = 0; state < own; ++state) // the same, with what the scan stacks
    yields[same_state[state]] = of_body.lookup(given[state]);
  for (Value y : given.drop_front(own)) {
    Shape row = ir::shape_of(y);
    row.insert(row.begin(), 1);
    yields.push_back(language::with_shape(b, of_body.lookup(y), row));
  }
  ir::YieldOp::create(b, yields);
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(made.getBody().front())))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();

  loop->replaceAllUsesWith(made->getResults().take_front(states));
  b.setInsertionPoint(scan);
  for (auto [number, result] : llvm::enumerate(scan->getResults()))
    result.replaceAllUsesWith(
        number < own
            ? Value(made->getResult(same_state[number]))
            : language::with_shape(b, made->getResult(states + static_cast<unsigned>(number) - own),
                                   ir::shape_of(result)));
  scan.erase();
  loop.erase();
}

/// The sentence on the loop that counts; none where nothing has so many steps.
std::optional<std::string> append_one(ir::BindExtentOp bind) {
  mlir::OpResult counter = counter_of(bind);
  if (!counter)
    return std::nullopt;
  auto loop = llvm::cast<ir::WhileOp>(counter.getOwner());
  std::optional<std::string> apart;
  for (mlir::Operation* op = bind->getNextNode(); op; op = op->getNextNode()) {
    auto scan = llvm::dyn_cast<ir::ScanOp>(op);
    if (!scan || !is_counted(scan, bind.getSymbol()))
      continue;
    const std::string begin = "while" + transform::at_line(loop);
    const std::string again = begin + " is counted, then run again as a loop of so many steps: ";
    const auto same_state = Equal(loop, scan).states();
    std::string why = same_state ? why_apart(scan, loop, bind.getSymbol())
                                 : "counting takes no more than some of its states";
    if (why.empty()) {
      const auto bytes = static_cast<int64_t>(bytes_of_step(scan));
      put_into(scan, loop, *same_state, bind.getSymbol());
      return begin + " runs once: each step appends the " + std::to_string(bytes) +
             " bytes that its derivative reads, as running it again costs more";
    }
    apart = again + why;
  }
  return apart;
}

} // namespace

std::vector<std::string> append_counted_scans(mlir::ModuleOp module) {
  llvm::SmallVector<ir::BindExtentOp> binds;
  module.walk([&](ir::BindExtentOp bind) { binds.push_back(bind); });
  std::vector<std::string> sentences;
  for (ir::BindExtentOp bind : binds)
    if (auto sentence = append_one(bind))
      sentences.push_back(std::move(*sentence));
  return sentences;
}

} // namespace kolam::rewrite
