// Takes conditions of a body's only branch apart.
#include "kolam/transform/kernels/own_ends.h"

#include "kolam/ir/facts.h"
#include "kolam/support/elementwise.h"

namespace kolam::transform::kernels {
namespace {

using mlir::Value;

class Search {
public:
  explicit Search(ir::KernelCallOp call)
      : call_(call), rank_(call.getGrid().shape().size()), prefetch_(call.getPrefetch()),
        inputs_(call.getInputs().size()) {}

  OwnEnds run() {
    OwnEnds found;
    for (mlir::Operation& op : call_.getBody().front().without_terminator()) {
      auto branch = llvm::dyn_cast<ir::CondOp>(op);
      if (branch && !found.branch)
        found.branch = branch;
      else if (!only_reads(&op))
        return {};
    }
    if (!found.branch || found.branch.getBranches().size() != 2 ||
        found.branch->getNumResults() > 0 ||
        !llvm::hasSingleElement(found.branch.getBranches()[0].front()))
      return {};
    if (!add_ends(found.branch.getSelector(), found))
      found.branch = {};
    return found;
  }

private:
  static bool only_reads(mlir::Operation* op) {
    return op->getNumRegions() == 0 && !ir::written_ref(op) &&
           (ir::facts_of(op).effect == ir::Effect::none || llvm::isa<ir::RefReadOp>(op));
  }

  static Value without_casts(Value value) {
    while (auto cast = value.getDefiningOp<ir::CastOp>())
      value = cast.getOperand();
    return value;
  }

  /// Whether a condition asks for ends alone.
  bool add_ends(Value condition, OwnEnds& found) {
    condition = without_casts(condition);
    auto function = condition.getDefiningOp<ir::ElementwiseOp>();
    auto fn = function ? parse_fn(function.getFunction()) : std::nullopt;
    if (!fn || function.getOperands().size() != 2)
      return false;
    Value x = function.getOperands()[0], y = function.getOperands()[1];
    if (*fn == Fn::logical_and) {
      const bool first = add_ends(x, found);
      return add_ends(y, found) && first;
    }
    if (*fn == Fn::greater)
      std::swap(x, y);
    else if (*fn != Fn::less)
      return false;
    auto coordinate = llvm::dyn_cast<mlir::BlockArgument>(without_casts(x));
    if (!coordinate || coordinate.getOwner() != &call_.getBody().front() ||
        coordinate.getArgNumber() >= rank_)
      return false;
    AxisEnd end{coordinate.getArgNumber(), y, {}};
    if (!is_of_axes_before(y, end))
      return false;
    found.ends.push_back(std::move(end));
    return true;
  }

  /// Whether a value of the body or of a map is the same at all points along the axis, and when the
  /// call begins.
  bool is_of_axes_before(Value value, AxisEnd& end) {
    if (mlir::Operation* op = value.getDefiningOp())
      return only_reads(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
               return is_of_axes_before(operand, end);
             });
    auto argument = llvm::cast<mlir::BlockArgument>(value);
    const size_t number = argument.getArgNumber(), blocks = rank_ + prefetch_;
    if (number < rank_)
      return number < end.axis;
    if (number < blocks)
      return !is_changed(number - rank_);
    if (number >= argument.getOwner()->getNumArguments() - call_.getCaptures().size())
      return true;
    const size_t block = number - blocks;
    if (block >= inputs_ - prefetch_ || is_changed(prefetch_ + block))
      return false;
    end.blocks.push_back(block);
    mlir::Operation* yield = call_.getMaps()[block].front().getTerminator();
    return llvm::all_of(yield->getOperands(),
                        [&](Value place) { return is_of_axes_before(place, end); });
  }
  bool is_changed(size_t input) {
    return llvm::is_contained(call_.getAliases(), static_cast<int64_t>(input));
  }

  ir::KernelCallOp call_;
  size_t rank_, prefetch_, inputs_;
};

} // namespace

OwnEnds own_ends(ir::KernelCallOp call) { return Search(call).run(); }

} // namespace kolam::transform::kernels
