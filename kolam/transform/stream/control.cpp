// Loops and branches over whole sequences: bodies that take one element, or their turns written
// out.
#include "kolam/ir/late.h"
#include "kolam/transform/stream/rules.h"
#include "kolam/transform/stream/written_out.h"

namespace kolam::transform::stream {
namespace {

/// What the bodies of a loop or branch are called on, behind `counters` arguments of their own.
struct Taken {
  unsigned counters = 0;
  mlir::ValueRange inits, xs, captures;
};

Taken taken_by(ir::ForOp op) { return {1, op.getInits(), {}, op.getCaptures()}; }
Taken taken_by(ir::WhileOp op) { return {0, op.getInits(), {}, op.getCaptures()}; }
Taken taken_by(ir::CondOp op) { return {0, {}, {}, op.getCaptures()}; }
Taken taken_by(ir::ScanOp op) { return {0, op.getInits(), op.getXs(), op.getCaptures()}; }

/// A loop or branch whose bodies take one element of each sequence: no op in them waits for others,
/// or keeps any.
///
///     for i: x [T, d] = body(i, x)   becomes   for i: x [1, d] = body(i, x)
class OneElement {
public:
  OneElement(mlir::Operation* op, const Taken& taken, Steps& steps)
      : op_(op), taken_(taken), steps_(steps), given_(op->getNumResults(), -1) {
    for (auto [values, moved] : {std::pair(taken.inits, 0), {taken.xs, -1}, {taken.captures, 0}})
      for (mlir::Value value : values) {
        const Sequence* found = steps.find(value);
        operands_.push_back(found ? found->dim : -1);
        arguments_.push_back(found ? found->dim + moved : -1);
        if (found && found->offset > offset_) {
          offset_ = found->offset;
          latest_ = found->latest;
        }
      }
    for (size_t state = 0; state < taken.inits.size(); ++state)
      given_[state] = arguments_[state];
  }

  /// Throws `[not-streamable]`, as said by the op that does; the op itself is as it was.
  void run() {
    for (size_t number = 0; number < taken_.xs.size(); ++number)
      if (operands_[taken_.inits.size() + number] == 0)
        refuse(op_, op_and_line(op_) + " scans along the axis while it carries or reads sequences");
    std::vector<std::unique_ptr<mlir::Region>> bodies;
    const Steps::Known known = steps_.known();
    do {
      steps_.forget_all_but(known);
      bodies.clear();
      has_changed_ = false;
      for (mlir::Region& body : op_->getRegions())
        bodies.push_back(one_element(body));
    } while (has_changed_);
    steps_.at(op_);
    make(bodies);
  }

private:
  bool is_condition(mlir::Region& body) const {
    return llvm::isa<ir::WhileOp>(op_) && body.getRegionNumber() == 0;
  }

  /// Stacked results have a dim more than what a turn gives of them.
  int64_t moved(size_t result) const {
    return llvm::isa<ir::ScanOp>(op_) && result >= taken_.inits.size() ? 1 : 0;
  }

  int64_t length(mlir::Value value, int64_t dim) const {
    return number(op_, ir::shape_of(value)[static_cast<size_t>(dim)]);
  }

  std::unique_ptr<mlir::Region> one_element(mlir::Region& body) {
    auto made = std::make_unique<mlir::Region>();
    auto* block = new mlir::Block;
    made->push_back(block);
    for (mlir::BlockArgument argument : body.getArguments()) {
      const auto at = static_cast<int64_t>(argument.getArgNumber()) - taken_.counters;
      const int64_t dim = at < 0 ? -1 : arguments_[static_cast<size_t>(at)];
      mlir::Type type = dim < 0 ? argument.getType() : one_along(argument, dim);
      mlir::Value now = block->addArgument(type, argument.getLoc());
      if (dim < 0)
        steps_.set_fixed(argument, now);
      else
        steps_.set(argument, {.now = now,
                              .before = {},
                              .dim = dim,
                              .offset = offset_,
                              .length = length(argument, dim),
                              .latest = latest_});
    }
    InBody in_body(steps_, block);
    go_through(body.front(), steps_);
    Values yielded;
    for (auto [number, value] : llvm::enumerate(body.front().getTerminator()->getOperands()))
      yielded.push_back(is_condition(body) ? condition(value) : element(number, value));
    ir::YieldOp::create(steps_.in(Part::step), yielded);
    return made;
  }

  mlir::Value condition(mlir::Value value) {
    if (steps_.find(value))
      refuse(op_, op_and_line(op_) + " goes on as elements of a sequence say");
    return steps_.fixed(Part::step, value);
  }

  mlir::Value element(size_t number, mlir::Value value) {
    const Sequence* found = steps_.find(value);
    int64_t& dim = given_[number];
    if (!found && dim < 0)
      return steps_.fixed(Part::step, value);
    if (!found)
      return steps_.rows(value, dim - moved(number), offset_).now;
    if (found->offset != offset_)
      refuse(op_, op_and_line(op_) + " moves elements along the axis");
    const int64_t gives = found->dim + moved(number);
    if (dim >= 0 && dim != gives)
      refuse(op_, op_and_line(op_) + " has the axis of the stream in two dims");
    has_changed_ |= dim < 0;
    dim = gives;
    if (number < taken_.inits.size())
      arguments_[number] = operands_[number] = gives;
    return found->now;
  }

  mlir::Type one_along(mlir::Value value, int64_t dim) const {
    Shape shape = ir::shape_of(value);
    shape[static_cast<size_t>(dim)] = 1;
    return ir::tensor_type(value.getContext(), ir::dtype_of(value), shape);
  }

  void make(std::vector<std::unique_ptr<mlir::Region>>& bodies) {
    Values operands;
    const size_t own = op_->getNumOperands() - operands_.size(); // bounds, a selector
    for (auto [number, value] : llvm::enumerate(op_->getOperands())) {
      const int64_t dim = number < own ? -1 : operands_[number - own];
      const Sequence* found = steps_.find(value);
      operands.push_back(dim < 0 ? steps_.fixed(Part::step, value)
                         : found ? steps_.at_offset(*found, offset_).now
                                 : steps_.rows(value, dim, offset_).now);
    }
    Builder& b = steps_.in(Part::step);
    mlir::Operation* made = b.insert(op_->cloneWithoutRegions());
    made->setOperands(operands);
    for (auto [region, body] : llvm::zip(made->getRegions(), bodies))
      region.takeBody(*body);
    for (auto [number, result] : llvm::enumerate(op_->getResults())) {
      mlir::Value now = made->getResult(static_cast<unsigned>(number));
      const int64_t dim = given_[number];
      if (dim < 0) {
        steps_.set_fixed(result, now);
        continue;
      }
      now.setType(llvm::cast<mlir::RankedTensorType>(one_along(result, dim)));
      steps_.set(result, {.now = now,
                          .before = {},
                          .dim = dim,
                          .offset = offset_,
                          .length = length(result, dim),
                          .latest = latest_});
    }
  }

  mlir::Operation* op_;
  Taken taken_;
  Steps& steps_;
  int64_t offset_ = 0;
  mlir::Operation* latest_ = nullptr;
  std::vector<int64_t> operands_;  ///< the axis' dim of inits, xs and captures; -1: none
  std::vector<int64_t> arguments_; ///< of the bodies' arguments for them
  std::vector<int64_t> given_;     ///< of results
  bool has_changed_ = false;       ///< a result turned out to be a sequence
};

void require_plain(mlir::Operation* op) {
  auto is_tensor = [](mlir::Type type) { return llvm::isa<mlir::RankedTensorType>(type); };
  if (!llvm::all_of(op->getOperandTypes(), is_tensor) ||
      !llvm::all_of(op->getResultTypes(), is_tensor) || !ir::late_symbols(op).empty())
    refuse(op, op_and_line(op) + " carries lists, or arrays whose lengths change");
}

template <class Op> void take_elements(Op op, Steps& steps) {
  require_plain(op);
  const Steps::Known known = steps.known();
  std::string why;
  try {
    OneElement(op, taken_by(op), steps).run();
    return;
  } catch (const Error& error) {
    if (error.slug() != "not-streamable")
      throw;
    why = error.message();
    steps.forget_all_but(known);
    steps.at(op);
  }
  if (write_out(op))
    return;
  refuse(op,
         op_and_line(op) + " runs over whole sequences, and " + why +
             "; expected a scan along the axis, bodies that take elements one by one, or at most " +
             std::to_string(kMostTurns) + " turns, of a number that the program knows");
}

} // namespace

void apply_rule(ir::ForOp op, Steps& steps) { take_elements(op, steps); }
void apply_rule(ir::WhileOp op, Steps& steps) { take_elements(op, steps); }
void apply_rule(ir::CondOp op, Steps& steps) { take_elements(op, steps); }
void scan_elements(ir::ScanOp op, Steps& steps) { take_elements(op, steps); }

} // namespace kolam::transform::stream
