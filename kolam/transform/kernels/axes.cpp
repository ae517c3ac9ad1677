// Finds what axes share, from the maps of blocks and from what a kernel does to its scratch arrays.
#include "kolam/transform/kernels/axes.h"

#include "kolam/analysis/ranges.h"
#include "kolam/ir/block_spec.h"
#include "kolam/support/checked.h"
#include "kolam/transform/kernels/affine.h"

#include "mlir/IR/OperationSupport.h"

#include <tuple>

namespace kolam::transform::kernels {
namespace {

using analysis::Range;
using analysis::Ranges;

using mlir::Value;

class Finder {
public:
  explicit Finder(ir::KernelCallOp call)
      : call_(call), grid_(call.getGrid().shape()), body_(call.getBody().front()),
        specs_(ir::block_specs(call)) {}

  Axes find() {
    Axes axes;
    const auto first = static_cast<unsigned>(body_.getNumArguments() - call_.getCaptures().size() -
                                             call_.getScratch().size());
    size_t least = grid_.size();
    for (unsigned number = 0; number < call_.getScratch().size(); ++number) {
      axes.axes_around_scratch.push_back(axes_around(body_.getArgument(first + number)));
      least = std::min(least, axes.axes_around_scratch.back());
    }
    for (size_t axis = 0; axis < grid_.size(); ++axis) {
      axes.is_parallel.push_back(axis < least && has_own_blocks(axis));
      axes.interior.push_back(interior(axis));
    }
    for (size_t block = specs_.size() - call_.getResults().size(); block < specs_.size(); ++block)
      axes.is_written_first.push_back(covers(block) && is_written_first(block));
    return axes;
  }

private:
  /// What a kernel does first to an array.
  enum class First : uint8_t { nothing, writes_all, other };

  First first_in(mlir::Block& block, Value ref, const Ranges& ranges) {
    for (mlir::Operation& op : block.without_terminator()) {
      if (auto write = llvm::dyn_cast<ir::RefWriteOp>(op);
          write && write.getRef() == ref && !write.getMask())
        return First::writes_all;
      const bool is_view = op.getNumResults() == 1 && ir::is_ref(op.getResult(0));
      bool touches = false;
      for (Value operand : op.getOperands())
        touches |= ir::is_ref(operand) && llvm::is_contained(ir::roots_of(operand), root_of(ref));
      if (!touches || is_view)
        continue;
      auto branches = llvm::dyn_cast<ir::CondOp>(op);
      if (!branches)
        return First::other;
      First first = first_of_branches(branches, ref, ranges);
      if (first != First::nothing)
        return first;
    }
    return First::nothing;
  }

  First first_of_branches(ir::CondOp op, Value ref, const Ranges& ranges) {
    auto selected = ranges.of(op.getSelector());
    std::optional<First> first;
    for (auto [number, branch] : llvm::enumerate(op.getBranches())) {
      if (selected && (selected->most < static_cast<int64_t>(number) ||
                       selected->least > static_cast<int64_t>(number)))
        continue;
      Ranges inside = ranges;
      Value own; // the array, in the branch
      for (auto [argument, capture] : llvm::zip(branch.front().getArguments(), op.getCaptures())) {
        if (capture == ref)
          own = argument;
        else if (ir::is_ref(capture) && llvm::is_contained(ir::roots_of(capture), root_of(ref)))
          return First::other; // through a view
        else if (auto range = ir::is_ref(capture) ? std::nullopt : ranges.of(capture))
          inside.note(argument, *range);
      }
      First taken = own ? first_in(branch.front(), own, inside) : First::nothing;
      if (first && *first != taken)
        return First::other;
      first = taken;
    }
    return first.value_or(First::nothing);
  }

  static Value root_of(Value ref) { return ir::roots_of(ref)[0]; }

  /// The innermost axis at whose every step the array is written whole before it is read, and all
  /// around it.
  size_t axes_around(Value ref) {
    for (size_t axis = grid_.size(); axis-- > 0;) {
      Ranges ranges;
      for (size_t other = 0; other < grid_.size(); ++other)
        if (other > axis)
          ranges.note(body_.getArgument(static_cast<unsigned>(other)), {0, 0});
        else if (auto extent = grid_[other].constant(); extent && *extent > 0)
          ranges.note(body_.getArgument(static_cast<unsigned>(other)), {0, *extent - 1});
      if (first_in(body_, ref, ranges) == First::writes_all)
        return axis + 1;
    }
    return 0;
  }

  bool is_written_first(size_t block) {
    Ranges ranges;
    for (size_t axis = 0; axis < grid_.size(); ++axis)
      ranges.note(body_.getArgument(static_cast<unsigned>(axis)), {0, *grid_[axis].constant() - 1});
    const size_t argument = grid_.size() + call_.getPrefetch() + block;
    return first_in(body_, body_.getArgument(static_cast<unsigned>(argument)), ranges) ==
           First::writes_all;
  }

  /// Whether each element of an array is in the block of some point. There are points.
  bool covers(size_t block) {
    std::vector<int64_t> counts;
    for (const Extent& extent : grid_)
      counts.push_back(extent.constant().value_or(0));
    if (llvm::any_of(counts, [](int64_t count) { return count < 1; }))
      return false;
    const Shape shape = ir::shape_of(ir::blocked_array(call_, block));
    std::vector<bool> used(counts.size()); // an axis moves blocks along one dim
    mlir::Operation* yields = call_.getMaps()[block].front().getTerminator();
    for (auto [dim, number] : llvm::enumerate(yields->getOperands())) {
      const ir::BlockDim& spec = specs_[block].dims[dim];
      auto place = affine_of(number, counts.size());
      auto size = spec.size.constant(), extent = shape[dim].constant();
      if (!place || !size || !extent || may_wrap(*place, counts) || *size > INT32_MAX)
        return false;
      const bool is_element = spec.kind == ir::BlockKind::element;
      const int64_t unit = is_element ? 1 : *size;
      int64_t first = place->offset * unit - (is_element ? spec.low : 0), last = first;
      for (size_t axis = 0; axis < counts.size(); ++axis) {
        const int64_t step = place->factors[axis] * unit;
        if (step == 0 || counts[axis] == 1)
          continue;
        if (used[axis] || first != last || std::abs(step) > *size)
          return false;
        used[axis] = true;
        (step < 0 ? first : last) += step * (counts[axis] - 1);
      }
      if (first > 0 || last + *size < *extent)
        return false;
    }
    return true;
  }

  bool has_own_blocks(size_t axis) {
    const size_t prefetched = call_.getPrefetch(), inputs = call_.getInputs().size() - prefetched;
    for (size_t result = 0; result < call_.getResults().size(); ++result) {
      const size_t block = inputs + result;
      if (!parts_blocks(block, axis))
        return false;
      const int64_t alias = call_.getAliases()[result];
      if (alias < 0)
        continue;
      if (llvm::count(call_.getAliases(), alias) > 1 || alias < static_cast<int64_t>(prefetched) ||
          !is_same_block(static_cast<size_t>(alias) - prefetched, block))
        return false;
    }
    return true;
  }

  std::optional<Axes::Interior> interior(size_t axis) {
    auto count = grid_[axis].constant();
    if (!count)
      return std::nullopt;
    Axes::Interior range{0, *count};
    for (size_t block = 0; block < specs_.size(); ++block)
      for (auto [dim, number] :
           llvm::enumerate(call_.getMaps()[block].front().getTerminator()->getOperands()))
        if (auto place = affine_of(number, grid_.size()))
          narrow(range, axis, *place, specs_[block].dims[dim],
                 ir::shape_of(ir::blocked_array(call_, block))[dim].constant());
    return range.first < range.last ? range : Axes::Interior{0, *count};
  }

  /// Leaves of a range of an axis the points at which a dim of a block lies inside.
  static void narrow(Axes::Interior& range, size_t axis, const Affine& place,
                     const ir::BlockDim& dim, std::optional<int64_t> extent) {
    const int64_t factor = place.factors[axis];
    auto size = dim.size.constant();
    const bool depends_on_others =
        llvm::count_if(place.factors, [](int64_t f) { return f != 0; }) > 1;
    if (factor == 0 || depends_on_others || !size || *size == 0 || !extent)
      return;
    // 0 <= step i + start <= extent - size
    const bool is_element = dim.kind == ir::BlockKind::element;
    int64_t step = factor * (is_element ? 1 : *size);
    int64_t start = is_element ? place.offset - dim.low : place.offset * *size;
    int64_t most = *extent - *size - start, least = -start;
    if (step < 0) {
      step = -step;
      std::tie(least, most) = std::pair(-most, -least);
    }
    range.first = std::max(range.first, ceil_divide(least, step));
    range.last = std::min(range.last, floor_divide(most, step) + 1);
  }

  bool is_same_block(size_t x, size_t y) {
    return call_.getBlocks()[x] == call_.getBlocks()[y] &&
           mlir::OperationEquivalence::isRegionEquivalentTo(
               &call_.getMaps()[x], &call_.getMaps()[y],
               mlir::OperationEquivalence::IgnoreLocations);
  }

  /// Whether blocks for two numbers of the axis share no element, whatever the axes inside say.
  bool parts_blocks(size_t block, size_t axis) {
    mlir::Region& map = call_.getMaps()[block];
    for (auto [number, dim] :
         llvm::zip(map.front().getTerminator()->getOperands(), specs_[block].dims)) {
      auto place = affine_of(number, grid_.size());
      auto extent = grid_[axis].constant();
      if (!place || place->factors[axis] == 0)
        continue;
      const int64_t factor = std::abs(place->factors[axis]);
      const bool wraps = factor != 1 && (!extent || *extent > (int64_t{1} << 30) / factor);
      const bool is_inside = llvm::all_of(llvm::ArrayRef(place->factors).drop_front(axis + 1),
                                          [](int64_t other) { return other == 0; });
      const bool overlaps =
          dim.kind == ir::BlockKind::element && factor < dim.size.constant().value_or(INT64_MAX);
      if (is_inside && !overlaps && !wraps)
        return true;
    }
    return false;
  }

  ir::KernelCallOp call_;
  Shape grid_;
  mlir::Block& body_;
  std::vector<ir::BlockSpec> specs_;
};

} // namespace

Axes axes_of(ir::KernelCallOp call) { return Finder(call).find(); }

} // namespace kolam::transform::kernels
