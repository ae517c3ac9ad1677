// Blocks as dims of arrays, and the batch over each axis of the grid.
#include "kolam/transform/kernels/whole_grid.h"

#include "kolam/ir/block_spec.h"
#include "kolam/ir/facts.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/gather.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/batch.h"
#include "kolam/transform/kernels/affine.h"
#include "kolam/transform/kernels/at_once.h"
#include "kolam/transform/kernels/ordered_axes.h"
#include "kolam/transform/kernels/summed_axis.h"
#include "kolam/transform/kernels/summed_loops.h"
#include "kolam/transform/kernels/unwritten.h"
#include "kolam/transform/kernels/widen.h"

namespace kolam::transform::kernels {
namespace {

using language::Builder;
using language::Value;
using language::Values;

/// A dim of an array, and which of its elements a block has: `size` from start + step * coordinate
/// of the axis on.
struct Dim {
  std::optional<size_t> axis;
  int64_t start, step, size, extent;
  bool is_squeezed;

  bool operator==(const Dim&) const = default;
};

class WholeGrid {
public:
  /// With `sums` the last axis is one along which products are summed, else the last axes whose
  /// points share elements are loops.
  WholeGrid(Builder& b, ir::KernelCallOp call, const Axes& axes, bool sums)
      : b(b), call_(call), axes_(axes), specs_(ir::block_specs(call)),
        prefetched_(call.getPrefetch()), inputs_(call.getInputs().size() - prefetched_),
        has_sums_(sums) {}

  Values run(const MakePoint& make_point) {
    require_call();
    for (size_t block = 0; block < specs_.size(); ++block)
      add_block(block);
    for (size_t block = inputs_; block < specs_.size(); ++block) {
      require_own_blocks(blocks_[block]);
      require_not_read_outside(block);
      require_own_memory(block);
    }
    if (call_.getChecks())
      require_no_findings();
    std::unique_ptr<mlir::Region> point = point_of([&](const PointForm& form) {
      std::unique_ptr<mlir::Region> own = make_point(form);
      if (!computes_values(*own))
        throw Refusal{"it does more than compute values"};
      return own;
    });
    sum_loops(b, *point);
    for (size_t axis : std::vector<size_t>(batched_axes_))
      if (auto wide = without_axis(*point, axis))
        point = std::move(wide);
    require_worth(*point);
    for (size_t axis : llvm::reverse(batched_axes_))
      if (axis != batched_axes_[0])
        point = batched(*point, axis);
    Values results = batched_here(*point);
    for (auto [number, result] : llvm::enumerate(results))
      result = as_array(result, blocks_[inputs_ + number]);
    return results;
  }

private:
  void require_call() {
    for (const Extent& extent : call_.getGrid().shape()) {
      if (extent.constant().value_or(0) < 1)
        throw Refusal{"its grid has points that only the run knows, or none"};
      grid_.push_back(*extent.constant());
    }
    ordered_ = 0;
    for (; ordered_ < grid_.size() && (axes_.is_parallel[ordered_] || grid_[ordered_] == 1);
         ++ordered_)
      if (grid_[ordered_] > 1)
        batched_axes_.push_back(ordered_);
    if (has_sums_ && ordered_ + 1 != grid_.size())
      throw Refusal{"its products are not summed along the last axis"};
    if (ordered_ == 0)
      throw Refusal{"it has no axis whose points may run in any order"};
  }

  std::unique_ptr<mlir::Region> point_of(const MakePoint& make_point) {
    if (has_sums_) {
      if (llvm::is_contained(are_chosen_, true) || prefetched_ > 0)
        throw Refusal{"data choose blocks of products"};
      LastAxis last_axis;
      for (const std::vector<Dim>& dims : blocks_) {
        last_axis.emplace_back();
        int64_t place = 0;
        for (const Dim& dim : dims) {
          if (dim.axis == grid_.size() - 1)
            last_axis.back() = dim.step == dim.size && !dim.is_squeezed ? place : -1;
          place += dim.is_squeezed ? 0 : 1;
        }
      }
      return sum_last_axis(b, call_, last_axis, make_point);
    }
    if (ordered_ < grid_.size())
      return loop_last_axes(b, call_, ordered_, along_last_axes(), are_chosen_, make_point);
    std::vector<Range> coordinates;
    for (int64_t extent : grid_)
      coordinates.push_back({0, extent - 1});
    return make_point({coordinates, are_chosen_, false});
  }

  /// Blocks with all elements along the last axes, from here on.
  std::vector<std::vector<OrderedDim>> along_last_axes() {
    std::vector<std::vector<OrderedDim>> ordered;
    for (std::vector<Dim>& dims : blocks_) {
      ordered.emplace_back();
      for (Dim& dim : dims) {
        if (dim.axis && *dim.axis >= ordered_) {
          const int64_t all = (grid_[*dim.axis] - 1) * dim.step + dim.size;
          ordered.back().push_back({dim.axis, dim.step, dim.size, all, dim.is_squeezed});
          dim = {{}, dim.start, 0, all, dim.extent, false};
        } else if (!dim.is_squeezed) {
          ordered.back().push_back({{}, 0, dim.size, dim.size, false});
        }
      }
    }
    return ordered;
  }

  void require_worth(mlir::Region& point) const {
    std::vector<bool> differs(point.getNumArguments());
    int64_t points = 1;
    for (size_t axis : batched_axes_) {
      points *= grid_[axis];
      if (grid_[axis] == 1)
        continue;
      differs[axis] = true;
      for (size_t block = 0; block < blocks_.size(); ++block)
        if (depends(block, axis))
          differs[argument_of(block)] = true;
    }
    if (std::string why = why_one_by_one(point, differs, points); !why.empty())
      throw Refusal{why};
  }

  /// The number of a block's argument in the function of a point.
  size_t argument_of(size_t block) const { return grid_.size() + prefetched_ + block; }
  bool is_block(size_t argument) const {
    return argument >= argument_of(0) && argument < argument_of(specs_.size());
  }

  /// Of inputs whose map is no number of blocks along an axis, points are given the array.
  void add_block(size_t block) {
    are_chosen_.push_back(false);
    try {
      blocks_.push_back(dims_of(block));
    } catch (const Refusal&) {
      auto is_known = [](const Extent& extent) { return extent.is_constant(); };
      if (block >= inputs_ ||
          !llvm::all_of(ir::shape_of(ir::blocked_array(call_, block)), is_known))
        throw;
      blocks_.emplace_back();
      are_chosen_.back() = true;
    }
  }

  std::vector<Dim> dims_of(size_t block) {
    std::vector<Dim> dims;
    const Shape shape = ir::shape_of(ir::blocked_array(call_, block));
    std::vector<bool> seen(grid_.size());
    mlir::Operation* yields = call_.getMaps()[block].front().getTerminator();
    for (auto [number, value] : llvm::enumerate(yields->getOperands())) {
      const ir::BlockDim& spec = specs_[block].dims[number];
      auto place = affine_of(value, grid_.size());
      auto extent = shape[number].constant(), size = spec.size.constant();
      if (!place || !extent || !size || *extent == 0 || may_wrap(*place, grid_))
        throw Refusal{"its blocks lie where only the run knows"};
      const bool is_element = spec.kind == ir::BlockKind::element;
      const int64_t unit = is_element ? 1 : *size;
      Dim dim{{},      place->offset * unit - (is_element ? spec.low : 0),
              0,       *size,
              *extent, spec.kind == ir::BlockKind::squeezed};
      for (size_t axis = 0; axis < grid_.size(); ++axis) {
        if (place->factors[axis] == 0 || grid_[axis] == 1)
          continue;
        if (dim.axis || seen[axis] || place->factors[axis] < 0)
          throw Refusal{"its blocks lie askew"};
        seen[axis] = true;
        dim.axis = axis;
        dim.step = place->factors[axis] * unit;
      }
      dims.push_back(dim);
    }
    return dims;
  }

  /// Under checks: all blocks lie inside. A body with something to be found is not run so, as it
  /// does more than compute values.
  void require_no_findings() {
    for (size_t block = 0; block < specs_.size(); ++block)
      if (are_chosen_[block] || llvm::any_of(blocks_[block], [&](const Dim& dim) {
            const int64_t count = dim.axis ? grid_[*dim.axis] : 1;
            return dim.start < 0 || dim.start + (count - 1) * dim.step + dim.size > dim.extent;
          }))
        throw Refusal{"it runs under checks, and a block may reach out of its array"};
  }

  /// Each element of a result is written at one point.
  void require_own_blocks(const std::vector<Dim>& dims) {
    std::vector<bool> used(grid_.size());
    for (const Dim& dim : dims) {
      const int64_t count = dim.axis ? grid_[*dim.axis] : 1;
      if (dim.start != 0 || (dim.axis && dim.step != dim.size) || count * dim.size < dim.extent)
        throw Refusal{"its blocks leave elements of a result out"};
      if (dim.axis)
        used[*dim.axis] = true;
    }
    for (size_t axis : batched_axes_)
      if (!used[axis] && grid_[axis] > 1)
        throw Refusal{"points along axis " + std::to_string(axis) + " share elements"};
  }

  bool has_tail(size_t block) const {
    return llvm::any_of(blocks_[block], [&](const Dim& dim) {
      return (dim.axis ? grid_[*dim.axis] : 1) * dim.size > dim.extent;
    });
  }
  /// The Ref of a block in the body.
  Value root_of(size_t block) {
    return call_.getBody().front().getArgument(static_cast<unsigned>(argument_of(block)));
  }

  /// Elements of a result's block outside of the array keep nothing that is written to them.
  void require_not_read_outside(size_t block) {
    if (!has_tail(block))
      return;
    Value root = root_of(block);
    call_.getBody().walk([&](mlir::Operation* op) {
      if (!llvm::isa<ir::RefReadOp, ir::RefUpdateOp>(op))
        return;
      for (Value operand : op->getOperands())
        if (ir::is_ref(operand) && llvm::is_contained(ir::roots_of(operand), root))
          throw Refusal{"it reads a result whose blocks reach out of the array"};
    });
  }

  /// A result that is the memory of an input begins with the input's elements, in the same blocks.
  void require_own_memory(size_t block) {
    const int64_t alias = call_.getAliases()[block - inputs_];
    if (alias < 0)
      return;
    const size_t input = static_cast<size_t>(alias) - prefetched_;
    if (alias < static_cast<int64_t>(prefetched_) || llvm::count(call_.getAliases(), alias) > 1 ||
        are_chosen_[input] || blocks_[input] != blocks_[block])
      throw Refusal{"a result is the memory of an input whose blocks are others"};
    if (has_sums_)
      throw Refusal{"products are summed in the memory of an input"};
    if (has_tail(block) && (ordered_ < grid_.size() || reads_what_it_wrote(input, block)))
      throw Refusal{"it reads the memory of a result whose blocks reach out of the array"};
  }

  /// Whether an element of the input's block may be read behind a write to it, through the result.
  bool reads_what_it_wrote(size_t input, size_t result) {
    enum class Access : uint8_t { read, write };
    auto has = [&](mlir::Operation* op, Access access) {
      auto is_one = [&](mlir::Operation* inner, Value ref) {
        if (!ir::is_ref(ref) || ir::facts_of(inner).effect != ir::Effect::memory ||
            (access == Access::write ? ir::written_ref(inner) != ref
                                     : llvm::isa<ir::RefWriteOp>(inner)))
          return false;
        return llvm::any_of(ir::roots_of(ref), [&](Value root) {
          return root == root_of(input) || root == root_of(result);
        });
      };
      return op
          ->walk([&](mlir::Operation* inner) {
            return llvm::any_of(inner->getOperands(), [&](Value x) { return is_one(inner, x); })
                       ? mlir::WalkResult::interrupt()
                       : mlir::WalkResult::advance();
          })
          .wasInterrupted();
    };
    bool is_written = false;
    for (mlir::Operation& op : call_.getBody().front()) {
      const bool writes = has(&op, Access::write);
      if (has(&op, Access::read) && (is_written || (writes && op.getNumRegions() > 0)))
        return true;
      is_written |= writes;
    }
    return false;
  }

  /// The function of blocks that are whole along an axis, where points along it are independent
  /// rows, as it were; null where they are not.
  std::unique_ptr<mlir::Region> without_axis(mlir::Region& point, size_t axis) {
    if (!point.front().getArgument(static_cast<unsigned>(axis)).use_empty() ||
        !is_worth_widening(point, grid_[axis]))
      return nullptr;
    std::optional<int64_t> step, extent; // of the results
    for (const std::vector<Dim>& block : llvm::ArrayRef(blocks_).drop_front(inputs_))
      for (const Dim& dim : block)
        if (dim.axis == axis) {
          if (step.value_or(dim.step) != dim.step || extent.value_or(dim.extent) != dim.extent)
            return nullptr;
          step = dim.step;
          extent = dim.extent;
        }
    if (!step)
      return nullptr;
    WideDims dims{std::vector<std::optional<int64_t>>(point.front().getNumArguments()),
                  {},
                  Extent(*extent - *step)};
    for (size_t block = 0; block < blocks_.size(); ++block) {
      std::optional<int64_t> found;
      int64_t place = has_sums_ && depends(block, grid_.size() - 1) ? 1 : 0;
      for (const Dim& dim : blocks_[block]) {
        if (dim.axis == axis) {
          if (dim.is_squeezed || dim.step != *step)
            return nullptr;
          found = place;
        }
        place += dim.is_squeezed ? 0 : 1;
      }
      dims.arguments[argument_of(block)] = found;
      if (block >= inputs_)
        dims.yields.push_back(found);
    }
    auto wide = widened(b, point, dims);
    if (!wide)
      return nullptr;
    for (std::vector<Dim>& block : blocks_)
      for (Dim& dim : block)
        if (dim.axis == axis) {
          dim.axis.reset();
          dim.step = 0;
          dim.size += *extent - *step;
        }
    llvm::erase(batched_axes_, axis);
    return wide;
  }

  bool depends(size_t block, size_t axis) const {
    return llvm::any_of(blocks_[block], [&](const Dim& dim) { return dim.axis == axis; });
  }

  /// An array as [numbers of its axes, in the grid's order..., the block's dims].
  Value in_blocks(Value array, size_t block) {
    const std::vector<Dim>& dims = blocks_[block];
    std::vector<PadWidth> widths;
    bool is_inside = true;
    for (const Dim& dim : dims) {
      const int64_t count = dim.axis ? grid_[*dim.axis] : 1;
      int64_t end = dim.start + (count - 1) * dim.step + dim.size;
      widths.push_back({std::max<int64_t>(-dim.start, 0), std::max<int64_t>(end - dim.extent, 0)});
      is_inside &= dim.start >= 0 && end <= dim.extent;
    }
    if (!is_inside)
      array = language::pad(b, array, widths, "constant",
                            language::make_constant(b, specs_[block].pad));
    language::Axes order, inner;
    std::vector<std::pair<size_t, int64_t>> outer; // by axis the dim of its numbers
    Shape shape;
    int64_t next = 0; // the dim of the array as it is now
    for (const Dim& dim : dims) {
      const int64_t start = std::max<int64_t>(dim.start, 0);
      if (!dim.axis) {
        array = language::slice_dim(b, array, next, Extent(start), Extent(dim.size));
      } else {
        const int64_t count = grid_[*dim.axis];
        array = dim.step == dim.size ? tiles(array, next, start, count, dim.size)
                                     : windows(array, next, start, dim.step, count, dim.size);
        outer.emplace_back(*dim.axis, next++);
      }
      if (!dim.is_squeezed)
        shape.emplace_back(dim.size);
      inner.push_back(next++);
    }
    llvm::sort(outer);
    Shape all;
    for (auto [axis, place] : outer) {
      order.push_back(place);
      all.emplace_back(grid_[axis]);
    }
    order.insert(order.end(), inner.begin(), inner.end());
    all.insert(all.end(), shape.begin(), shape.end());
    return language::reshape(b, language::permute_dims(b, array, order), all);
  }

  /// Dim `dim` as [count, size].
  Value tiles(Value array, int64_t dim, int64_t start, int64_t count, int64_t size) {
    array = language::slice_dim(b, array, dim, Extent(start), Extent(count * size));
    Shape shape = ir::shape_of(array);
    shape[static_cast<size_t>(dim)] = Extent(count);
    shape.insert(shape.begin() + dim + 1, Extent(size));
    return language::reshape(b, array, shape);
  }

  /// The same where windows overlap, or leave elements out.
  Value windows(Value array, int64_t dim, int64_t start, int64_t step, int64_t count,
                int64_t size) {
    const int64_t rank = ir::rank_of(array);
    const Shape places{Extent(count), Extent(size)};
    auto scaled = [&](int64_t own, int64_t by) {
      return language::elementwise(b, Fn::multiply,
                                   {language::iota(b, places, own, DType::i64),
                                    language::integer_constant(b, by, DType::i64)});
    };
    Value at = language::elementwise(b, Fn::add, {scaled(0, step), scaled(1, 1)});
    at = language::elementwise(b, Fn::add, {at, language::integer_constant(b, start, DType::i64)});
    at = language::reshape(b, at, {Extent(count), Extent(size), Extent(1)});
    // [count, size, other dims]
    Value taken = language::gather(b, array, at, {{dim}, {1}, 0, "promise"});
    Shape shape = places;
    for (int64_t other = 0; other < rank; ++other)
      if (other != dim)
        shape.push_back(ir::shape_of(array)[static_cast<size_t>(other)]);
    taken = language::reshape(b, taken, shape);
    language::Axes order;
    for (int64_t other = 0; other < dim; ++other)
      order.push_back(other + 2);
    order.push_back(0);
    order.push_back(1);
    for (int64_t other = dim + 1; other < rank; ++other)
      order.push_back(other + 1);
    return language::permute_dims(b, taken, order);
  }

  /// [grid..., the block's dims] as an array.
  Value as_array(Value blocks, const std::vector<Dim>& dims) {
    language::Axes order;
    auto place_of = [&](size_t axis) {
      return llvm::find(batched_axes_, axis) - batched_axes_.begin();
    };
    for (size_t axis : batched_axes_)
      if (llvm::none_of(dims, [&](const Dim& dim) { return dim.axis == axis; }))
        order.push_back(place_of(axis)); // one point
    auto next = static_cast<int64_t>(batched_axes_.size());
    Shape shape;
    for (const Dim& dim : dims) {
      if (dim.axis)
        order.push_back(place_of(*dim.axis));
      if (!dim.is_squeezed)
        order.push_back(next++);
      shape.emplace_back(dim.size * (dim.axis ? grid_[*dim.axis] : 1));
    }
    Value array = language::reshape(b, language::permute_dims(b, blocks, order), shape);
    for (auto [number, dim] : llvm::enumerate(dims))
      array = language::slice_dim(b, array, static_cast<int64_t>(number), Extent(0),
                                  Extent(dim.extent));
    return array;
  }

  /// What the body yields for all numbers of an axis, each with a leading dim for it.
  Values batch_over(mlir::Region& body, size_t axis, const Values& arguments) {
    const Extent count(grid_[axis]);
    std::vector<Batched> operands;
    for (auto [number, argument] : llvm::enumerate(arguments)) {
      operands.push_back({argument, is_block(number) && depends(number - argument_of(0), axis)});
    }
    operands[axis] = {language::iota(b, {count}, 0, DType::i32), true};
    std::string why;
    auto batched = batch_body(b, body, operands, count, &why);
    if (!batched)
      throw Refusal{why};
    Values results;
    for (const Batched& result : *batched) {
      Shape shape{count};
      const Shape own = ir::shape_of(result.value);
      shape.insert(shape.end(), own.begin(), own.end());
      if (result.is_each)
        results.push_back(result.value);
      else
        results.push_back(grid_[axis] == 1 ? language::reshape(b, result.value, shape)
                                           : language::broadcast_to(b, result.value, shape));
    }
    return results;
  }

  std::unique_ptr<mlir::Region> batched(mlir::Region& body, size_t axis) {
    llvm::SmallVector<mlir::Type> types;
    for (auto [number, argument] : llvm::enumerate(body.front().getArguments())) {
      mlir::Type type = argument.getType();
      if (is_block(number) && depends(number - argument_of(0), axis)) {
        Shape shape = ir::shape_of(argument);
        shape.insert(shape.begin(), Extent(grid_[axis]));
        type = language::tensor_type(b, ir::dtype_of(argument), shape);
      }
      types.push_back(type);
    }
    return language::make_region(
        b, types, [&](const Values& arguments) { return batch_over(body, axis, arguments); });
  }

  /// The outermost batched axis, of the call's own operands.
  Values batched_here(mlir::Region& body) {
    Values arguments;
    for (size_t axis = 0; axis < grid_.size(); ++axis)
      arguments.push_back(language::integer_constant(b, 0, DType::i32));
    llvm::append_range(arguments, call_.getInputs().take_front(prefetched_));
    for (size_t block = 0; block < specs_.size(); ++block) {
      if (block < inputs_) {
        Value array = call_.getInputs()[prefetched_ + block];
        arguments.push_back(are_chosen_[block] ? array : in_blocks(array, block));
        continue;
      }
      if (const int64_t alias = call_.getAliases()[block - inputs_]; alias >= 0) {
        arguments.push_back(
            in_blocks(call_.getInputs()[alias], static_cast<size_t>(alias) - prefetched_));
        continue;
      }
      mlir::Value type = body.front().getArgument(static_cast<unsigned>(argument_of(block)));
      Shape shape = ir::shape_of(type);
      if (!batched_axes_.empty() && depends(block, batched_axes_[0]))
        shape.insert(shape.begin(), Extent(grid_[batched_axes_[0]]));
      arguments.push_back(
          unwritten(b, language::tensor_type(b, ir::dtype_of(type), shape), call_.getChecks()));
    }
    arguments.insert(arguments.end(), call_.getCaptures().begin(), call_.getCaptures().end());
    if (!batched_axes_.empty())
      return batch_over(body, batched_axes_[0], arguments);
    return language::inlined(b, body, arguments);
  }

  Builder& b;
  ir::KernelCallOp call_;
  const Axes& axes_;
  std::vector<ir::BlockSpec> specs_;
  size_t prefetched_, inputs_; ///< arrays, and blocks of others
  bool has_sums_;
  size_t ordered_ = 0; ///< the first axis whose points share elements
  std::vector<int64_t> grid_;
  std::vector<size_t> batched_axes_; ///< all but a last one that is summed
  std::vector<std::vector<Dim>> blocks_;
  std::vector<bool> are_chosen_; ///< by data, or by a map that is not affine
};

} // namespace

std::optional<Values> over_whole_grid(Builder& b, ir::KernelCallOp call, const Axes& axes,
                                      const MakePoint& make_point, std::string* how) {
  bool has_ordered = false;
  for (auto [extent, is_parallel] : llvm::zip_equal(call.getGrid().shape(), axes.is_parallel))
    has_ordered |= !is_parallel && !(extent == Extent(1));
  for (bool sums : {true, false}) {
    if (sums && !has_ordered)
      continue;
    try {
      Values results = WholeGrid(b, call, axes, sums).run(make_point);
      *how = sums || !has_ordered
                 ? "all points of its grid at once, over whole arrays"
                 : "points along its first axes at once, along the others one after the other";
      return results;
    } catch (const Refusal& refusal) {
      *how = "loops over its grid, as " + refusal.why;
    }
  }
  return std::nullopt;
}

} // namespace kolam::transform::kernels
