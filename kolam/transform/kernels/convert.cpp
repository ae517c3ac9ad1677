// Replaces the kernels of a program: by loops over the grid where nothing better is found.
#include "kolam/analysis/cost.h"
#include "kolam/ir/block_spec.h"
#include "kolam/ir/independent.h"
#include "kolam/ir/kernel_instances.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/kernels.h"
#include "kolam/transform/kernels/axes.h"
#include "kolam/transform/kernels/bodies.h"
#include "kolam/transform/kernels/grid_loop.h"
#include "kolam/transform/kernels/instances.h"
#include "kolam/transform/kernels/listed_blocks.h"
#include "kolam/transform/kernels/own_ends.h"
#include "kolam/transform/kernels/ref_names.h"
#include "kolam/transform/kernels/summed_loops.h"
#include "kolam/transform/kernels/unwritten.h"
#include "kolam/transform/kernels/views.h"
#include "kolam/transform/kernels/whole_grid.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <functional>

namespace kolam::transform {
namespace kernels {
namespace {

using language::elementwise;

class Conversion {
public:
  explicit Conversion(Builder& builder, KernelUse use = KernelUse::run)
      : b(builder), use_(use), in_(builder) {}

  /// The function of a point (whole_grid.h): blocks are arrays of their own. Between which numbers
  /// the coordinates lie decides branches.
  std::unique_ptr<mlir::Region> point_of(ir::KernelCallOp op, const PointForm& form) {
    in_.call = op;
    in_.names.set_call(op);
    specs_ = ir::block_specs(op);
    in_.arrays.set_margins(Margins::of_all_places);
    in_.is_point = true;
    mlir::Block& body = op.getBody().front();
    const size_t rank = op.getGrid().shape().size(), inputs = op.getInputs().size(),
                 blocks = rank + op.getPrefetch(), scratch = blocks + specs_.size(),
                 captures = scratch + op.getScratch().size();
    auto is_chosen = [&](size_t number) {
      return number >= blocks && number < scratch && form.are_chosen[number - blocks];
    };
    llvm::SmallVector<mlir::Type> types;
    for (auto [number, argument] : llvm::enumerate(body.getArguments()))
      if (is_chosen(number))
        types.push_back(ir::blocked_array(op, number - blocks).getType());
      else if (form.keeps_scratch || number < scratch || number >= captures)
        types.push_back(ir::is_ref(argument) ? mlir::Type(ir::value_type(argument))
                                             : argument.getType());
    return language::make_region(b, types, [&](const Values& given) {
      Environment at;
      std::vector<int> results;
      for (size_t axis = 0; axis < rank; ++axis)
        in_.ranges.note(given[axis], form.coordinates[axis]);
      bind_point(op, body, given, at);
      size_t next = blocks;
      for (size_t number = blocks; number < captures; ++number) {
        Value argument = body.getArgument(static_cast<unsigned>(number));
        const bool is_scratch = number >= scratch;
        View view = in_.whole(is_scratch && !form.keeps_scratch
                                  ? in_.add_unwritten(ir::value_type(argument))
                                  : in_.arrays.add(given[next++]));
        if (is_chosen(number))
          view = chosen_block(op, number - blocks, view.array, given, at);
        else if (!is_scratch)
          view.pad = specs_[number - blocks].pad;
        in_.set_root(argument, view, at);
        if (number - rank >= inputs && (!is_scratch || form.keeps_scratch))
          results.push_back(view.array);
        if (number - rank < inputs || is_scratch)
          continue;
        if (const int64_t alias = op.getAliases()[number - rank - inputs]; alias >= 0) {
          // The input is what the result holds.
          const size_t input = rank + static_cast<size_t>(alias);
          view.pad = specs_[input - blocks].pad;
          in_.set_root(body.getArgument(static_cast<unsigned>(input)), view, at);
        }
      }
      convert_ops(in_, body, at);
      return in_.values_of(results);
    });
  }

  void convert(ir::KernelCallOp op) {
    b.setLoc(op.getLoc());
    b.setInsertionPoint(op);
    const size_t inputs = op.getInputs().size();
    in_.call = op;
    in_.names.set_call(op);
    specs_ = ir::block_specs(op);
    std::vector<int> numbers; // of inputs, results and scratch arrays
    for (Value input : op.getInputs())
      numbers.push_back(in_.arrays.add(input));
    axes_ = axes_of(op);
    if (use_ == KernelUse::run) { // else the loops' extents are to be numbers
      ends_ = own_ends(op);
      in_.taken = ends_.branch;
    }
    // A body of a list has no memory of its own.
    const bool has_memory =
        llvm::isa_and_present<mlir::func::FuncOp>(op->getParentOp()) && !op.getChecks();
    for (auto [number, result] : llvm::enumerate(op.getResults())) {
      const int64_t alias = op.getAliases()[number];
      mlir::Type type = result.getType();
      numbers.push_back(alias >= 0 ? numbers[static_cast<size_t>(alias)]
                        : has_memory && axes_.is_written_first[number]
                            ? in_.arrays.add(ir::EmptyOp::create(b, type))
                            : in_.arrays.add(in_.unwritten(type)));
    }
    for (auto [number, alias] : llvm::enumerate(op.getAliases())) {
      const auto prefetched = static_cast<int64_t>(op.getPrefetch());
      const int64_t own = static_cast<int64_t>(inputs + number) - prefetched;
      in_.names.note(numbers[inputs + number], own, alias < prefetched ? -1 : alias - prefetched);
    }
    llvm::SetVector<int> changed(numbers.begin() + static_cast<int64_t>(inputs), numbers.end());
    numbers.resize(numbers.size() + op.getScratch().size());
    over_grid(op, numbers, {changed.begin(), changed.end()}, {});
    for (auto [number, result] : llvm::enumerate(op.getResults()))
      result.replaceAllUsesWith(in_.arrays.value(numbers[inputs + number]));
    op.erase();
  }

private:
  /// The loops over the axes of the grid that `point` does not say yet. `changed` are the arrays
  /// that they carry.
  void over_grid(ir::KernelCallOp op, std::vector<int> numbers, std::vector<int> changed,
                 const Values& point) {
    const Shape grid = op.getGrid().shape();
    const size_t axis = point.size(), scratch = numbers.size() - op.getScratch().size();
    for (auto [number, around] : llvm::enumerate(axes_.axes_around_scratch))
      if (around == axis) {
        numbers[scratch + number] =
            in_.add_unwritten(llvm::cast<mlir::TypeAttr>(op.getScratch()[number]).getValue());
        in_.names.note(numbers[scratch + number], static_cast<int64_t>(specs_.size() + number), -1);
        changed.push_back(numbers[scratch + number]);
      }
    if (axis == grid.size())
      return at_point(op, numbers, point);
    auto interior = axes_.interior[axis];
    if (!interior)
      return along(op, numbers, changed, point, Extent(0), grid[axis]);
    // Points at borders have loops of their own, so that the others need no masks.
    const int64_t count = *grid[axis].constant();
    const int64_t cuts[] = {0, interior->first, interior->last, count};
    for (int part = 0; part < 3; ++part)
      if (cuts[part] < cuts[part + 1] || (count == 0 && part == 0))
        along(op, numbers, changed, point, cuts[part], cuts[part + 1]);
  }

  /// One loop, over a range of the next axis.
  void along(ir::KernelCallOp op, const std::vector<int>& numbers, const std::vector<int>& changed,
             const Values& point, const Extent& first, const Extent& last) {
    const size_t axis = point.size();
    auto bound = [&](const Extent& extent) {
      if (auto number = extent.constant()) // so that whoever differentiates sees it
        return language::integer_constant(b, *number, DType::i32);
      return language::cast(b, language::extent_scalar(b, extent, DType::i64), DType::i32);
    };
    auto [lower, upper] =
        language::loop_bounds(b, bound(first), with_own_ends(op, numbers, point, bound(last)));
    Values states = in_.values_of(changed);
    llvm::SmallVector<mlir::Type> types{lower.getType()};
    llvm::append_range(types, mlir::ValueRange(states).getTypes());
    language::Body body = language::make_body(b, types, [&](const Values& arguments) {
      if (auto from = first.constant(), to = last.constant(); from && to && *from < *to)
        in_.ranges.note(arguments[0], {*from, *to - 1});
      in_.set_values(changed, llvm::ArrayRef(arguments).drop_front());
      Values inner = point;
      inner.push_back(arguments[0]);
      over_grid(op, numbers, changed, inner);
      return in_.values_of(changed);
    });
    Values results = language::for_loop(b, lower, upper, states, std::move(body));
    in_.names.put_on(results, 0, changed);
    if (axes_.is_parallel[axis] && !results.empty())
      ir::set_independent(results[0].getDefiningOp<ir::ForOp>());
    if (use_ == KernelUse::differentiated && !results.empty())
      set_grid_loop(results[0].getDefiningOp(), grid_loop_of(op, axis));
    in_.set_values(changed, results);
  }

  /// The end of a range of the next axis, or that which the body has.
  Value with_own_ends(ir::KernelCallOp op, const std::vector<int>& numbers, const Values& point,
                      Value upper) {
    for (const AxisEnd& own : ends_.ends) {
      if (own.axis != point.size())
        continue;
      Environment at;
      bind(op, op.getBody().front(), numbers, point, at);
      for (size_t block : own.blocks) {
        mlir::Block& map = op.getMaps()[block].front();
        bind(op, map, numbers, point, at);
        const View view = block_of(numbers[op.getPrefetch() + block], specs_[block],
                                   convert_ops(in_, map, at), -1);
        in_.set_root(block_argument(op, block), view, at);
      }
      Value end = language::cast(b, convert_value(in_, own.end, at), DType::i64);
      Value most = language::cast(b, upper, DType::i64);
      end = elementwise(b, Fn::minimum, {end, most});
      end = elementwise(b, Fn::maximum, {end, language::integer_constant(b, 0, DType::i64)});
      upper = language::cast(b, end, DType::i32);
    }
    return upper;
  }
  static Value block_argument(ir::KernelCallOp op, size_t block) {
    const size_t first = op.getGrid().shape().size() + op.getPrefetch();
    return op.getBody().getArgument(static_cast<unsigned>(first + block));
  }

  /// What a body or map sees of the axes that `point` says, and of what all points share.
  void bind(ir::KernelCallOp op, mlir::Block& block, const std::vector<int>& numbers,
            const Values& point, Environment& at) {
    const auto rank = static_cast<unsigned>(op.getGrid().shape().size());
    for (auto [coordinate, argument] : llvm::zip_first(point, block.getArguments()))
      at.values.map(argument, coordinate);
    for (unsigned number = 0; number < op.getPrefetch(); ++number)
      in_.set_root(block.getArgument(rank + number), in_.whole(numbers[number]), at);
    auto captures = block.getArguments().take_back(op.getCaptures().size());
    for (auto [argument, capture] : llvm::zip(captures, op.getCaptures()))
      at.values.map(argument, capture);
  }

  GridLoop grid_loop_of(ir::KernelCallOp op, size_t axis) const {
    const Shape grid = op.getGrid().shape();
    double steps = 1, bytes = 0;
    for (const Extent& extent : llvm::ArrayRef(grid).take_front(axis + 1))
      steps *= analysis::rough_value(extent);
    for (mlir::ValueRange arrays :
         {mlir::ValueRange(op->getOperands()), mlir::ValueRange(op->getResults())})
      for (Value array : arrays)
        bytes += analysis::bytes_of(array);
    bool has_points = axes_.is_parallel[axis] || axis + 1 == grid.size();
    for (size_t inside = axis + 1; inside < grid.size(); ++inside)
      has_points &= !axes_.is_parallel[inside];
    return {note_of(op), static_cast<int64_t>(steps), static_cast<int64_t>(bytes),
            axes_.is_parallel[axis], has_points};
  }

  void at_point(ir::KernelCallOp op, const std::vector<int>& numbers, const Values& point) {
    const size_t inputs = op.getInputs().size(), prefetched = op.getPrefetch();
    const auto rank = static_cast<unsigned>(point.size());
    Environment at;
    mlir::Block& body = op.getBody().front();
    const auto instances = static_cast<int64_t>(ir::kernel_instances(op).axes);
    in_.instance.assign(point.begin(), point.begin() + instances);
    bind(op, body, numbers, point, at);
    std::vector<Values> places;
    for (mlir::Region& map : op.getMaps()) {
      bind(op, map.front(), numbers, point, at);
      places.push_back(convert_ops(in_, map.front(), at));
    }
    auto run = [&](bool branches) {
      Environment own = at;
      auto next = rank + static_cast<unsigned>(prefetched);
      int name = 0;
      for (auto [block, spec] : llvm::enumerate(specs_)) {
        View view = block_of(numbers[prefetched + block], spec, places[block], name);
        view.name = name++;
        if (!branches)
          view.is_inside = {};
        in_.set_root(body.getArgument(next++), view, own);
      }
      for (size_t number = inputs + op.getResults().size(); number < numbers.size(); ++number) {
        View view = in_.whole(numbers[number]);
        view.name = name++;
        in_.set_root(body.getArgument(next++), view, own);
      }
      convert_ops(in_, body, own);
    };
    Chosen chosen = chosen_inside(op, places);
    if (!chosen.holds || in_.call.getChecks())
      return run(true);
    llvm::SetVector<int> changed(numbers.begin() + static_cast<int64_t>(inputs), numbers.end());
    run_twice(chosen, {changed.begin(), changed.end()}, run);
  }

  /// Blocks that data choose: where they all lie inside, and then their numbers do.
  struct Chosen {
    Value holds; ///< null where there are none
    std::vector<std::pair<Value, Range>> numbers;
  };
  Chosen chosen_inside(ir::KernelCallOp op, const std::vector<Values>& places) {
    Chosen chosen;
    for (auto [block, spec] : llvm::enumerate(specs_)) {
      const Shape shape = ir::shape_of(ir::blocked_array(op, block));
      for (auto [dim, number] : llvm::enumerate(places[block])) {
        auto extent = shape[dim].constant(), size = spec.dims[dim].size.constant();
        if (in_.ranges.of(number) || !extent || !size || *size > *extent || *size == 0 ||
            spec.dims[dim].kind == ir::BlockKind::element)
          continue;
        const Range inside{0, *extent / *size - 1};
        Value own = language::cast(b, number, DType::i64);
        Value least = language::integer_constant(b, 0, DType::i64),
              most = language::integer_constant(b, inside.most, DType::i64);
        chosen.holds =
            in_.arrays.both(chosen.holds, elementwise(b, Fn::greater_equal, {own, least}));
        chosen.holds = in_.arrays.both(chosen.holds, elementwise(b, Fn::less_equal, {own, most}));
        chosen.numbers.push_back({number, inside});
      }
    }
    return chosen;
  }

  /// A branch without masks for a point whose blocks lie inside, and one with them.
  void run_twice(const Chosen& chosen, const std::vector<int>& changed,
                 const std::function<void(bool)>& run) {
    const Values before = in_.values_of(changed);
    const Ranges known = in_.ranges;
    std::vector<language::Body> branches(2);
    for (const bool is_inside : {false, true}) {
      language::Body& branch = branches[is_inside ? 1 : 0];
      for (const auto& [number, range] : chosen.numbers)
        if (is_inside)
          in_.ranges.note(number, range);
      branch = language::make_body(b, {}, [&](const Values&) {
        run(is_inside);
        return in_.values_of(changed);
      });
      in_.set_values(changed, before);
      in_.ranges = known;
    }
    Values results = language::cond(b, chosen.holds, std::move(branches));
    in_.names.put_on(results, 0, changed);
    in_.set_values(changed, results);
  }

  /// What bodies and maps are given alike: first coordinates and Refs of prefetched arrays, last
  /// captures.
  void bind_point(ir::KernelCallOp op, mlir::Block& block, llvm::ArrayRef<Value> given,
                  Environment& at) {
    const size_t rank = op.getGrid().shape().size();
    for (size_t number = 0; number < rank + op.getPrefetch(); ++number) {
      mlir::BlockArgument argument = block.getArgument(static_cast<unsigned>(number));
      if (number < rank)
        at.values.map(argument, given[number]);
      else
        in_.set_root(argument, in_.whole(in_.arrays.add(given[number])), at);
    }
    const size_t captures = op.getCaptures().size();
    for (auto [argument, capture] :
         llvm::zip(block.getArguments().take_back(captures), given.take_back(captures)))
      at.values.map(argument, capture);
  }

  /// The block of an array that its map names at a point.
  View chosen_block(ir::KernelCallOp op, size_t block, int array, const Values& given,
                    Environment& at) {
    mlir::Block& map = op.getMaps()[block].front();
    bind_point(op, map, given, at);
    return block_of(array, specs_[block], convert_ops(in_, map, at), -1);
  }

  /// Under checks: stops the run where an element of the array is not one of the block.
  void require_block(const Values& starts, const Shape& sizes, const Shape& array, int name) {
    Value holds;
    for (auto [start, size, extent] : llvm::zip(starts, sizes, array)) {
      if (size == extent || extent == Extent(0))
        continue;
      Value end = language::extent_scalar(b, extent, DType::i64),
            before = language::extent_scalar(b, Extent(0) - size, DType::i64);
      holds = in_.arrays.both(holds, elementwise(b, Fn::less, {start, end}));
      holds = in_.arrays.both(holds, elementwise(b, Fn::greater, {start, before}));
    }
    if (holds)
      in_.check(holds, "block-outside",
                "expected a block with elements of the array, but that of " + in_.names.of(name) +
                    " lies outside of it");
  }
  /// A number of a block that lies outside where the other does, and whose places do not wrap.
  Value clipped(Value number, const ir::BlockDim& dim, const Extent& extent) {
    const bool is_element = dim.kind == ir::BlockKind::element;
    Extent least = is_element ? Extent(0) - dim.size : Extent(-1),
           most = is_element ? extent + Extent(dim.low) : extent;
    number = elementwise(b, Fn::maximum, {number, language::extent_scalar(b, least, DType::i64)});
    return elementwise(b, Fn::minimum, {number, language::extent_scalar(b, most, DType::i64)});
  }

  View block_of(int array, const ir::BlockSpec& spec, const Values& numbers, int name) {
    Values starts;
    Shape sizes;
    for (auto [dim, number] : llvm::zip(spec.dims, numbers)) {
      Value at = language::cast(b, number, DType::i64);
      if (ir::dtype_of(number) != DType::i32 || dim.size.constant().value_or(0) > INT32_MAX)
        at = clipped(at, dim, ir::shape_of(in_.arrays.value(array))[starts.size()]);
      if (dim.kind == ir::BlockKind::element)
        at = elementwise(b, Fn::subtract, {at, language::integer_constant(b, dim.low, DType::i64)});
      else if (!(dim.size == Extent(1)))
        at = elementwise(b, Fn::multiply, {at, language::extent_scalar(b, dim.size, DType::i64)});
      starts.push_back(at);
      sizes.push_back(dim.size);
    }
    View all = in_.arrays.whole(array, spec.pad);
    if (in_.call.getChecks()) {
      require_block(starts, sizes, all.shape, name);
      if (!spec.is_padded)
        all.tail = poison_of(b, in_.arrays.value(array).getType());
    }
    View block = in_.arrays.sliced(all, starts, std::vector<int64_t>(starts.size(), 1), sizes);
    block.in_ref = {}; // all of the block is the Ref's
    return in_.arrays.reshaped(block, spec.ref_shape());
  }

  Builder& b;
  KernelUse use_;
  CallArrays in_;
  std::vector<ir::BlockSpec> specs_;
  Axes axes_;
  OwnEnds ends_;
};

/// Makes values of a call; says how it runs.
std::string convert_call(ir::KernelCallOp call, KernelUse use) {
  language::Builder b(call.getLoc(), call);
  const Axes axes = axes_of(call);
  auto make_point = [&](const PointForm& form) { return Conversion(b).point_of(call, form); };
  std::string how, listed;
  auto convert = [&](ir::KernelCallOp inner) { return convert_call(inner, use); };
  if (over_listed_blocks(b, call, axes, convert, &listed))
    return listed;
  auto results = over_instances(b, call, axes, convert, &how);
  if (!results)
    results = over_whole_grid(b, call, axes, make_point, &how);
  if (results) {
    call.getResults().replaceAllUsesWith(*results);
    call.erase();
    return how;
  }
  mlir::Region* around = call->getParentRegion();
  Conversion(b, use).convert(call);
  language::Builder inner(b.getLoc(), &around->front().front());
  sum_loops(inner, *around);
  return listed.empty() ? how : listed;
}

} // namespace
} // namespace kernels

bool has_kernels(mlir::ModuleOp module) {
  return module.walk([](ir::KernelCallOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

std::vector<std::string> kernels_to_values(mlir::ModuleOp module, KernelUse use) {
  std::vector<ir::KernelCallOp> calls; // inner ones first
  module.walk([&](ir::KernelCallOp call) { calls.push_back(call); });
  std::vector<std::string> notes;
  for (ir::KernelCallOp call : calls) {
    const std::string note = kernels::note_of(call);
    notes.push_back(note + ": " + kernels::convert_call(call, use));
  }
  return notes;
}

} // namespace kolam::transform
