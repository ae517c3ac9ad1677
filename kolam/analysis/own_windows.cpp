// Follows a state through the ops that change it, and compares where their windows begin.
#include "kolam/analysis/own_windows.h"

#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/facts.h"
#include "kolam/ir/ops.h"
#include "kolam/support/elementwise.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <vector>

namespace kolam::analysis {
namespace {

using mlir::Value;

/// factor * number + offset.
struct Start {
  int64_t factor = 0, offset = 0;
};

class Finder {
public:
  explicit Finder(const StepNumber& number) : number_(number) {}

  bool run(Value state, Value yielded) {
    body_ = state.getParentBlock();
    yielded_ = yielded;
    enter_all(body_);
    follow(state);
    while (is_known_ && next_ < versions_.size()) {
      Value version = versions_[next_++];
      for (mlir::OpOperand& use : version.getUses())
        visit(use);
    }
    is_known_ &= is_version(yielded);
    for (Value value : must_be_versions_)
      is_known_ &= is_version(value);
    return is_known_ && are_apart();
  }

private:
  /// One more value that is the state but for what steps write to their windows.
  void follow(Value version) {
    if (seen_.insert(version).second)
      versions_.push_back(version);
  }
  bool is_version(Value value) const { return seen_.contains(value); }

  void visit(mlir::OpOperand& use) {
    mlir::Operation* op = use.getOwner();
    const unsigned number = use.getOperandNumber();
    if (auto slice = llvm::dyn_cast<ir::DynamicSliceOp>(op)) {
      is_known_ &= number == 0;
      return add_window(slice.getStarts(), slice.getOperand(), slice.getResult());
    }
    if (auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op)) {
      is_known_ &= number == 0;
      add_window(update.getStarts(), update.getOperand(), update.getUpdate());
      return follow(update.getResult());
    }
    if (auto reshape = llvm::dyn_cast<ir::ReshapeOp>(op);
        reshape && reshape.getResult().getType() == reshape.getOperand().getType())
      return follow(reshape.getResult());
    if (auto loop = llvm::dyn_cast<ir::ForOp>(op))
      return visit_loop(loop, number, 2, loop.getInits().size(), 1);
    if (auto loop = llvm::dyn_cast<ir::ScanOp>(op))
      return visit_loop(loop, number, 0, loop.getInits().size(), 0);
    if (auto branches = llvm::dyn_cast<ir::CondOp>(op))
      return visit_branches(branches, number);
    visit_yield(op, number);
  }

  /// A version is to be the next one of the same state: what loops and branches inside yield is
  /// compared when all versions are known.
  void visit_yield(mlir::Operation* op, unsigned number) {
    if (!op->hasTrait<mlir::OpTrait::IsTerminator>())
      is_known_ = false;
    else if (op->getBlock() == body_)
      is_known_ &= op->getOperand(number) == yielded_ && ++yields_ == 1;
    else
      must_be_versions_.push_back(op->getParentOp()->getResult(number));
  }

  /// States begin at operand `first`, and behind `more` arguments of the body.
  template <class Op>
  void visit_loop(Op loop, unsigned number, unsigned first, size_t states, unsigned more) {
    mlir::Block& body = loop.getBody().front();
    enter(body, loop.getCaptures());
    const unsigned captures = loop->getNumOperands() - loop.getCaptures().size();
    if (number >= captures)
      return follow(
          body.getArgument(body.getNumArguments() - loop.getCaptures().size() + number - captures));
    if (number < first || number >= first + states) {
      is_known_ = false;
      return;
    }
    const unsigned state = number - first;
    follow(body.getArgument(more + state));
    must_be_versions_.push_back(body.getTerminator()->getOperand(state));
    follow(loop->getResult(state));
  }
  void visit_branches(ir::CondOp op, unsigned number) {
    if (number == 0) {
      is_known_ = false;
      return;
    }
    for (mlir::Region& branch : op.getBranches()) {
      enter(branch.front(), op.getCaptures());
      follow(branch.front().getArgument(number - 1));
    }
    for (unsigned result = 0; result < op->getNumResults(); ++result) {
      const bool is_one = llvm::any_of(op.getBranches(), [&](mlir::Region& branch) {
        return reaches(branch.front().getTerminator()->getOperand(result),
                       branch.front().getArgument(number - 1));
      });
      if (!is_one)
        continue;
      for (mlir::Region& branch : op.getBranches())
        must_be_versions_.push_back(branch.front().getTerminator()->getOperand(result));
      follow(op->getResult(result));
    }
  }
  /// Whether a value is one that ops which give versions make of another one.
  static bool reaches(Value value, Value version) {
    while (value != version) {
      mlir::Operation* op = value.getDefiningOp();
      if (llvm::isa_and_present<ir::DynamicUpdateSliceOp, ir::ReshapeOp>(op)) {
        value = op->getOperand(0);
        continue;
      }
      if (llvm::isa_and_present<ir::ForOp, ir::ScanOp>(op)) {
        const unsigned first = llvm::isa<ir::ForOp>(op) ? 2 : 0;
        const unsigned operand = first + llvm::cast<mlir::OpResult>(value).getResultNumber();
        if (operand >= op->getNumOperands())
          return false;
        value = op->getOperand(operand);
        continue;
      }
      return false;
    }
    return true;
  }
  /// What the body and those around it capture.
  void enter_all(mlir::Block* body) {
    for (mlir::Operation* op = body->getParentOp(); op && op->getBlock();
         op = body->getParentOp()) {
      if (auto loop = llvm::dyn_cast<ir::ForOp>(op))
        enter(*body, loop.getCaptures());
      else if (auto loop = llvm::dyn_cast<ir::ScanOp>(op))
        enter(*body, loop.getCaptures());
      else if (auto branches = llvm::dyn_cast<ir::CondOp>(op))
        enter(*body, branches.getCaptures());
      body = op->getBlock();
    }
  }
  void enter(mlir::Block& body, mlir::ValueRange captures) {
    for (auto [argument, capture] :
         llvm::zip_equal(body.getArguments().take_back(captures.size()), captures))
      outside_[argument] = capture;
  }

  std::optional<Start> start_of(Value value) const {
    if (value == number_.value)
      return Start{1, 0};
    if (auto found = outside_.find(value); found != outside_.end())
      return start_of(found->second);
    mlir::Operation* op = value.getDefiningOp();
    if (!op || ir::rank_of(value) != 0)
      return std::nullopt;
    if (auto number = number_of(value))
      return Start{0, *number};
    std::optional<Start> start = start_of(op);
    // Arithmetic does not wrap.
    const int64_t most = ir::dtype_of(value) == DType::i32 ? INT32_MAX : int64_t{1} << 60;
    if (start && fits(*start, most))
      return start;
    return std::nullopt;
  }
  std::optional<Start> start_of(mlir::Operation* op) const {
    if (auto cast = llvm::dyn_cast<ir::CastOp>(op)) {
      const DType from = ir::dtype_of(cast.getOperand()), to = ir::dtype_of(cast.getResult());
      auto is_wide = [](DType dtype) { return dtype == DType::i32 || dtype == DType::i64; };
      return is_wide(from) && is_wide(to) ? start_of(cast.getOperand()) : std::nullopt;
    }
    if (auto reshape = llvm::dyn_cast<ir::ReshapeOp>(op))
      return ir::rank_of(reshape.getOperand()) == 0 ? start_of(reshape.getOperand()) : std::nullopt;
    auto function = llvm::dyn_cast<ir::ElementwiseOp>(op);
    auto fn = function ? parse_fn(function.getFunction()) : std::nullopt;
    if (!fn || function.getOperands().size() != 2)
      return std::nullopt;
    auto x = start_of(function.getOperands()[0]), y = start_of(function.getOperands()[1]);
    if (!x || !y)
      return std::nullopt;
    switch (*fn) {
    case Fn::add:
      return Start{x->factor + y->factor, x->offset + y->offset};
    case Fn::subtract:
      return Start{x->factor - y->factor, x->offset - y->offset};
    case Fn::multiply:
      if (x->factor != 0)
        std::swap(x, y);
      return x->factor == 0 && fits(*x, INT32_MAX) && fits(*y, INT32_MAX)
                 ? std::optional(Start{x->offset * y->factor, x->offset * y->offset})
                 : std::nullopt;
    case Fn::floor_divide:
      return y->factor == 0 && y->offset == 1 ? x : std::nullopt;
    default:
      return std::nullopt;
    }
  }
  bool fits(const Start& start, int64_t most) const {
    for (int64_t number : {number_.first, number_.last}) {
      int64_t at = 0;
      if (__builtin_mul_overflow(start.factor, number, &at) ||
          __builtin_add_overflow(at, start.offset, &at) || at > most || at < -most)
        return false;
    }
    return true;
  }

  struct Window {
    std::vector<std::optional<Start>> starts;
    Shape shape, whole;
  };
  void add_window(mlir::ValueRange starts, Value whole, Value part) {
    Window window{{}, ir::shape_of(part), ir::shape_of(whole)};
    for (Value start : starts)
      window.starts.push_back(start_of(start));
    windows_.push_back(std::move(window));
  }

  /// Along some dim the windows of a step lie between two that are multiples of its number.
  bool are_apart() const {
    const size_t rank = windows_.empty() ? 0 : windows_[0].starts.size();
    for (size_t dim = 0; dim < rank; ++dim)
      if (are_apart_along(dim))
        return true;
    return windows_.empty();
  }
  bool are_apart_along(size_t dim) const {
    std::optional<int64_t> factor, least, most;
    for (const Window& window : windows_) {
      const std::optional<Start>& start = window.starts[dim];
      const auto size = window.shape[dim].constant(), extent = window.whole[dim].constant();
      if (!start || !size || !extent || start->factor == 0 ||
          factor.value_or(start->factor) != start->factor)
        return false;
      for (int64_t number : {number_.first, number_.last}) {
        const int64_t at = start->factor * number + start->offset;
        if (at < 0 || at > *extent - *size)
          return false;
      }
      factor = start->factor;
      least = std::min(least.value_or(start->offset), start->offset);
      most = std::max(most.value_or(start->offset + *size), start->offset + *size);
    }
    return factor && *most - *least <= std::abs(*factor);
  }

  const StepNumber& number_;
  mlir::Block* body_ = nullptr;
  Value yielded_;
  bool is_known_ = true;
  int yields_ = 0; ///< at which the body gives a version
  std::vector<Value> versions_;
  size_t next_ = 0;
  llvm::DenseSet<Value> seen_;
  std::vector<Value> must_be_versions_;
  llvm::DenseMap<Value, Value> outside_;
  std::vector<Window> windows_;
};

} // namespace

bool has_own_windows(Value state, Value yielded, const StepNumber& number) {
  return Finder(number).run(state, yielded);
}

} // namespace kolam::analysis
