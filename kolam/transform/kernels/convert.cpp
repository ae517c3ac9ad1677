// The walk over a program that replaces kernels: loops over the grid, and bodies in which arrays
// are states.
#include "kolam/analysis/cost.h"
#include "kolam/ir/block_spec.h"
#include "kolam/ir/independent.h"
#include "kolam/ir/visit.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/kernels.h"
#include "kolam/transform/kernels/axes.h"
#include "kolam/transform/kernels/grid_loop.h"
#include "kolam/transform/kernels/inner_steps.h"
#include "kolam/transform/kernels/instances.h"
#include "kolam/transform/kernels/listed_blocks.h"
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

/// Whether bodies of an op use Refs: captured ones, or of memory of their own.
bool uses_refs(mlir::Operation* op) {
  return llvm::any_of(op->getOperands(), ir::is_ref) ||
         op->walk([](ir::RefAllocOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

/// What a body sees of the values around it.
struct Environment {
  mlir::IRMapping values;
  llvm::DenseMap<Value, Views> views;
};

class Conversion {
public:
  explicit Conversion(Builder& b, KernelUse use = KernelUse::run)
      : b(b), use_(use), arrays_(b, ranges_) {}

  /// The function of a point (whole_grid.h): blocks are arrays of their own. Between which numbers
  /// the coordinates lie decides branches.
  std::unique_ptr<mlir::Region> point_of(ir::KernelCallOp op, const PointForm& form) {
    call_ = op;
    names_.set_call(op);
    specs_ = ir::block_specs(op);
    arrays_.set_margins(Margins::of_all_places);
    is_point_ = true;
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
        ranges_.note(given[axis], form.coordinates[axis]);
      bind_point(op, body, given, at);
      size_t next = blocks;
      for (size_t number = blocks; number < captures; ++number) {
        Value argument = body.getArgument(static_cast<unsigned>(number));
        const bool is_scratch = number >= scratch;
        View view =
            whole(is_scratch && !form.keeps_scratch ? add_unwritten(ir::value_type(argument))
                                                    : arrays_.add(given[next++]));
        if (is_chosen(number))
          view = chosen_block(op, number - blocks, view.array, given, at);
        else if (!is_scratch)
          view.pad = specs_[number - blocks].pad;
        set_root(argument, view, at);
        if (number - rank >= inputs && (!is_scratch || form.keeps_scratch))
          results.push_back(view.array);
        if (number - rank < inputs || is_scratch)
          continue;
        if (const int64_t alias = op.getAliases()[number - rank - inputs]; alias >= 0) {
          // The input is what the result holds.
          const size_t input = rank + static_cast<size_t>(alias);
          view.pad = specs_[input - blocks].pad;
          set_root(body.getArgument(static_cast<unsigned>(input)), view, at);
        }
      }
      convert(body, at);
      return values_of(results);
    });
  }

  void convert(ir::KernelCallOp op) {
    b.setLoc(op.getLoc());
    b.setInsertionPoint(op);
    const size_t inputs = op.getInputs().size();
    call_ = op;
    names_.set_call(op);
    specs_ = ir::block_specs(op);
    std::vector<int> numbers; // of inputs, results and scratch arrays
    for (Value input : op.getInputs())
      numbers.push_back(arrays_.add(input));
    axes_ = axes_of(op);
    // A body of a list has no memory of its own.
    const bool has_memory =
        llvm::isa_and_present<mlir::func::FuncOp>(op->getParentOp()) && !op.getChecks();
    for (auto [number, result] : llvm::enumerate(op.getResults())) {
      const int64_t alias = op.getAliases()[number];
      mlir::Type type = result.getType();
      numbers.push_back(alias >= 0 ? numbers[static_cast<size_t>(alias)]
                        : has_memory && axes_.is_written_first[number]
                            ? arrays_.add(ir::EmptyOp::create(b, type))
                            : arrays_.add(unwritten(type)));
    }
    for (auto [number, alias] : llvm::enumerate(op.getAliases())) {
      const auto prefetched = static_cast<int64_t>(op.getPrefetch());
      const int64_t own = static_cast<int64_t>(inputs + number) - prefetched;
      names_.note(numbers[inputs + number], own, alias < prefetched ? -1 : alias - prefetched);
    }
    llvm::SetVector<int> changed(numbers.begin() + static_cast<int64_t>(inputs), numbers.end());
    numbers.resize(numbers.size() + op.getScratch().size());
    over_grid(op, numbers, {changed.begin(), changed.end()}, {});
    for (auto [number, result] : llvm::enumerate(op.getResults()))
      result.replaceAllUsesWith(arrays_.value(numbers[inputs + number]));
    op.erase();
  }

private:
  Value unwritten(mlir::Type type) { return kernels::unwritten(b, type, call_.getChecks()); }
  int add_unwritten(mlir::Type type) { return arrays_.add(unwritten(type)); }
  /// All of an array, outside of which is zero.
  View whole(int array) { return arrays_.whole(array, zero_of(b, arrays_.value(array).getType())); }

  Values values_of(llvm::ArrayRef<int> arrays) {
    Values values;
    for (int array : arrays)
      values.push_back(arrays_.value(array));
    return values;
  }
  void set_values(llvm::ArrayRef<int> arrays, llvm::ArrayRef<Value> values) {
    for (auto [array, value] : llvm::zip_first(arrays, values))
      arrays_.value(array) = value;
  }

  /// The loops over the axes of the grid that `point` does not say yet. `changed` are the arrays
  /// that they carry.
  void over_grid(ir::KernelCallOp op, std::vector<int> numbers, std::vector<int> changed,
                 const Values& point) {
    const Shape grid = op.getGrid().shape();
    const size_t axis = point.size(), scratch = numbers.size() - op.getScratch().size();
    for (auto [number, around] : llvm::enumerate(axes_.axes_around_scratch))
      if (around == axis) {
        numbers[scratch + number] =
            add_unwritten(llvm::cast<mlir::TypeAttr>(op.getScratch()[number]).getValue());
        names_.note(numbers[scratch + number], static_cast<int64_t>(specs_.size() + number), -1);
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
    auto [lower, upper] = language::loop_bounds(b, bound(first), bound(last));
    Values states = values_of(changed);
    llvm::SmallVector<mlir::Type> types{lower.getType()};
    llvm::append_range(types, mlir::ValueRange(states).getTypes());
    language::Body body = language::make_body(b, types, [&](const Values& arguments) {
      if (auto from = first.constant(), to = last.constant(); from && to && *from < *to)
        ranges_.note(arguments[0], {*from, *to - 1});
      set_values(changed, llvm::ArrayRef(arguments).drop_front());
      Values inner = point;
      inner.push_back(arguments[0]);
      over_grid(op, numbers, changed, inner);
      return values_of(changed);
    });
    Values results = language::for_loop(b, lower, upper, states, std::move(body));
    names_.put_on(results, 0, changed);
    if (axes_.is_parallel[axis] && !results.empty())
      ir::set_independent(results[0].getDefiningOp<ir::ForOp>());
    if (use_ == KernelUse::differentiated && !results.empty())
      set_grid_loop(results[0].getDefiningOp(), grid_loop_of(op, axis));
    set_values(changed, results);
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
    auto bind = [&](mlir::Block& block) {
      for (auto [coordinate, argument] : llvm::zip_first(point, block.getArguments()))
        at.values.map(argument, coordinate);
      for (size_t number = 0; number < prefetched; ++number)
        set_root(block.getArgument(rank + static_cast<unsigned>(number)), whole(numbers[number]),
                 at);
      auto captures = block.getArguments().take_back(op.getCaptures().size());
      for (auto [argument, capture] : llvm::zip(captures, op.getCaptures()))
        at.values.map(argument, capture);
    };
    mlir::Block& body = op.getBody().front();
    bind(body);
    std::vector<Values> places;
    for (mlir::Region& map : op.getMaps()) {
      bind(map.front());
      places.push_back(convert(map.front(), at));
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
        set_root(body.getArgument(next++), view, own);
      }
      for (size_t number = inputs + op.getResults().size(); number < numbers.size(); ++number) {
        View view = whole(numbers[number]);
        view.name = name++;
        set_root(body.getArgument(next++), view, own);
      }
      convert(body, own);
    };
    Chosen chosen = chosen_inside(op, places);
    if (!chosen.holds || call_.getChecks())
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
        if (ranges_.of(number) || !extent || !size || *size > *extent || *size == 0 ||
            spec.dims[dim].kind == ir::BlockKind::element)
          continue;
        const Range inside{0, *extent / *size - 1};
        Value own = language::cast(b, number, DType::i64);
        Value least = language::integer_constant(b, 0, DType::i64),
              most = language::integer_constant(b, inside.most, DType::i64);
        chosen.holds = arrays_.both(chosen.holds, elementwise(b, Fn::greater_equal, {own, least}));
        chosen.holds = arrays_.both(chosen.holds, elementwise(b, Fn::less_equal, {own, most}));
        chosen.numbers.push_back({number, inside});
      }
    }
    return chosen;
  }

  /// A branch without masks for a point whose blocks lie inside, and one with them.
  void run_twice(const Chosen& chosen, const std::vector<int>& changed,
                 const std::function<void(bool)>& run) {
    const Values before = values_of(changed);
    const Ranges known = ranges_;
    std::vector<language::Body> branches(2);
    for (const bool is_inside : {false, true}) {
      language::Body& branch = branches[is_inside ? 1 : 0];
      for (const auto& [number, range] : chosen.numbers)
        if (is_inside)
          ranges_.note(number, range);
      branch = language::make_body(b, {}, [&](const Values&) {
        run(is_inside);
        return values_of(changed);
      });
      set_values(changed, before);
      ranges_ = known;
    }
    Values results = language::cond(b, chosen.holds, std::move(branches));
    names_.put_on(results, 0, changed);
    set_values(changed, results);
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
        set_root(argument, whole(arrays_.add(given[number])), at);
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
    return block_of(array, specs_[block], convert(map, at), -1);
  }

  void set_root(Value ref, const View& view, Environment& at) {
    arrays_of_roots_[ref] = view.array;
    at.views[ref] = {{{}, view}};
  }

  void check(Value holds, const char* slug, const std::string& message) {
    language::check(b, holds, slug, "kernel '" + call_.getName().str() + "': " + message);
  }
  /// Under checks: stops the run where an element of the array is not one of the block.
  void require_block(const Values& starts, const Shape& sizes, const Shape& array, int name) {
    Value holds;
    for (auto [start, size, extent] : llvm::zip(starts, sizes, array)) {
      if (size == extent || extent == Extent(0))
        continue;
      Value end = language::extent_scalar(b, extent, DType::i64),
            before = language::extent_scalar(b, Extent(0) - size, DType::i64);
      holds = arrays_.both(holds, elementwise(b, Fn::less, {start, end}));
      holds = arrays_.both(holds, elementwise(b, Fn::greater, {start, before}));
    }
    if (holds)
      check(holds, "block-outside",
            "expected a block with elements of the array, but that of " + names_.of(name) +
                " lies outside of it");
  }
  /// The same where an element that is used is not one of the Ref.
  void require_in_ref(const View& view, Value mask, const std::string& verb) {
    if (!call_.getChecks() || !view.in_ref)
      return;
    Value holds = view.in_ref;
    if (mask)
      holds = elementwise(b, Fn::logical_or, {holds, elementwise(b, Fn::logical_not, {mask})});
    check(holds, "index-out-of-range",
          "expected to " + verb + " elements that the Ref has, but an element of the view of " +
              names_.of(view.name) + " lies outside");
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
        at = clipped(at, dim, ir::shape_of(arrays_.value(array))[starts.size()]);
      if (dim.kind == ir::BlockKind::element)
        at = elementwise(b, Fn::subtract, {at, language::integer_constant(b, dim.low, DType::i64)});
      else if (!(dim.size == Extent(1)))
        at = elementwise(b, Fn::multiply, {at, language::extent_scalar(b, dim.size, DType::i64)});
      starts.push_back(at);
      sizes.push_back(dim.size);
    }
    View all = arrays_.whole(array, spec.pad);
    if (call_.getChecks()) {
      require_block(starts, sizes, all.shape, name);
      if (!spec.is_padded)
        all.tail = poison_of(b, arrays_.value(array).getType());
    }
    View block = arrays_.sliced(all, starts, std::vector<int64_t>(starts.size(), 1), sizes);
    block.in_ref = {}; // all of the block is the Ref's
    return arrays_.reshaped(block, spec.ref_shape());
  }

  /// The ops of a block, at the builder's place; what it yields.
  Values convert(mlir::Block& block, Environment& at) {
    for (mlir::Operation& op : block.without_terminator()) {
      b.setLoc(op.getLoc());
      convert(&op, at);
    }
    Values yields;
    for (Value value : block.getTerminator()->getOperands())
      yields.push_back(at.values.lookup(value));
    return yields;
  }

  /// An op that has a rule below, which says whether it is for this one; others stay as they are.
  void convert(mlir::Operation* op, Environment& at) {
    const bool is_converted = ir::visit<bool>(
        op,
        [&](auto typed) {
          if constexpr (requires { convert_op(typed, at); })
            return convert_op(typed, at);
          else
            return false;
        },
        [](mlir::Operation*) { return false; });
    if (!is_converted)
      b.clone(*op, at.values);
  }

  Value lookup(Value value, const Environment& at) const {
    return value ? at.values.lookup(value) : value;
  }

  template <class F> void view(Value from, Value to, Environment& at, F f) {
    Views views;
    for (const Choice& choice : at.views.find(from)->second)
      views.push_back({choice.holds, f(choice.view)});
    at.views[to] = std::move(views);
  }
  bool convert_op(ir::RefSliceOp op, Environment& at) {
    Values starts;
    for (Value start : op.getStarts())
      starts.push_back(lookup(start, at));
    Shape shape = ir::shape_of(ir::value_type(op.getResult()));
    view(op.getRef(), op.getResult(), at,
         [&](const View& view) { return arrays_.sliced(view, starts, op.getSteps(), shape); });
    return true;
  }
  bool convert_op(ir::RefGatherOp op, Environment& at) {
    Shape shape = ir::shape_of(ir::value_type(op.getResult()));
    view(op.getRef(), op.getResult(), at, [&](const View& view) {
      return arrays_.gathered(view, lookup(op.getIndices(), at), op.getDims(), shape);
    });
    return true;
  }
  bool convert_op(ir::RefReshapeOp op, Environment& at) {
    Shape shape = ir::shape_of(ir::value_type(op.getResult()));
    view(op.getRef(), op.getResult(), at,
         [&](const View& view) { return arrays_.reshaped(view, shape); });
    return true;
  }
  bool convert_op(ir::RefTransposeOp op, Environment& at) {
    view(op.getRef(), op.getResult(), at,
         [&](const View& view) { return arrays_.transposed(view, op.getPermutation()); });
    return true;
  }
  bool convert_op(ir::RefBitcastOp op, Environment& at) {
    DType dtype = ir::dtype_of(ir::value_type(op.getResult()));
    view(op.getRef(), op.getResult(), at, [&](View view) {
      view.dtype = dtype;
      return view;
    });
    return true;
  }
  bool convert_op(ir::RefSelectOp op, Environment& at) {
    Value selector = language::cast(b, lookup(op.getSelector(), at), DType::i64);
    Views views;
    for (auto [number, ref] : llvm::enumerate(op.getRefs())) {
      Value last = language::integer_constant(b, static_cast<int64_t>(number), DType::i64);
      Value chosen = number + 1 == op.getRefs().size()
                         ? Value()
                         : elementwise(b, Fn::less_equal, {selector, last});
      for (const Choice& choice : at.views.find(ref)->second) {
        views.push_back({arrays_.both(chosen, choice.holds), choice.view});
      }
    }
    at.views[op.getResult()] = std::move(views);
    return true;
  }
  bool convert_op(ir::RefAllocOp op, Environment& at) {
    set_root(op.getResult(), whole(add_unwritten(ir::value_type(op.getResult()))), at);
    return true;
  }

  Value chosen(Value holds, Value x, Value otherwise) {
    return holds ? elementwise(b, Fn::where,
                               {language::broadcast_to(b, holds, ir::shape_of(x)), x, otherwise})
                 : x;
  }
  bool convert_op(ir::RefReadOp op, Environment& at) {
    Value elements, mask = lookup(op.getMask(), at), other = lookup(op.getOther(), at);
    for (const Choice& choice : llvm::reverse(at.views.find(op.getRef())->second)) {
      require_in_ref(choice.view, mask, "read");
      elements = chosen(choice.holds, arrays_.read(choice.view, mask, other), elements);
    }
    at.values.map(op.getResult(), elements);
    return true;
  }
  /// For each choice the mask under which it is the one.
  template <class F> void under_masks(Value ref, Value mask, const Environment& at, F f) {
    Value none_before; // no choice before this one holds
    for (const Choice& choice : at.views.find(ref)->second) {
      Value holds = arrays_.both(none_before, choice.holds);
      Value everywhere = holds ? language::broadcast_to(b, holds, choice.view.shape) : Value();
      f(choice.view, holds, arrays_.both(mask, everywhere));
      if (choice.holds)
        none_before = arrays_.both(none_before, elementwise(b, Fn::logical_not, {choice.holds}));
    }
  }
  bool convert_op(ir::RefWriteOp op, Environment& at) {
    under_masks(op.getRef(), lookup(op.getMask(), at), at,
                [&](const View& view, Value, Value mask) {
                  require_in_ref(view, mask, "write");
                  arrays_.write(view, lookup(op.getValue(), at), mask);
                });
    return true;
  }
  bool convert_op(ir::RefUpdateOp op, Environment& at) {
    Value old;
    const bool needs_old = !op.getOld().use_empty();
    under_masks(op.getRef(), lookup(op.getMask(), at), at,
                [&](const View& view, Value holds, Value mask) {
                  require_in_ref(view, mask, "write");
                  Value own = arrays_.update(view, op.getKind(), lookup(op.getValue(), at),
                                             lookup(op.getCompare(), at), mask, needs_old);
                  if (needs_old)
                    old = old ? chosen(holds, own, old) : own;
                });
    if (needs_old)
      at.values.map(op.getOld(), old);
    return true;
  }

  /// The arrays that the bodies of an op change.
  std::vector<int> changed_in(mlir::Operation* op) const {
    llvm::SetVector<int> changed;
    op->walk([&](mlir::Operation* inner) {
      Value ref = ir::written_ref(inner);
      if (!ref)
        return;
      for (Value root : ir::roots_of(ref)) {
        if (mlir::Operation* made = root.getDefiningOp(); made && op->isAncestor(made))
          continue; // an array of the body's own
        if (auto found = arrays_of_roots_.find(root); found != arrays_of_roots_.end())
          changed.insert(found->second);
      }
    });
    return {changed.begin(), changed.end()};
  }

  /// A body of a loop or branch, and where arrays that it changes stand: behind that many of its
  /// arguments and of its results; nullopt: they are captured, and no results.
  struct Place {
    mlir::Region& region;
    mlir::ValueRange captures; ///< its last arguments
    std::optional<size_t> arguments, results;
    std::optional<Range> counter = std::nullopt; ///< of the first argument
  };
  language::Body body_of(const Place& place, const std::vector<int>& changed,
                         const Environment& at) {
    auto own = place.region.front().getArguments().drop_back(place.captures.size());
    auto captured = place.region.front().getArguments().take_back(place.captures.size());
    const Values before = values_of(changed);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::BlockArgument argument : own)
      types.push_back(argument.getType());
    if (place.arguments) {
      auto arrays = mlir::ValueRange(before).getTypes();
      types.insert(types.begin() + static_cast<int64_t>(*place.arguments), arrays.begin(),
                   arrays.end());
    }
    language::Body body = language::make_body(b, types, [&](const Values& given) {
      Environment inside;
      for (auto [number, argument] : llvm::enumerate(own))
        inside.values.map(argument,
                          given[number < *place.arguments ? number : number + changed.size()]);
      for (auto [argument, capture] : llvm::zip(captured, place.captures))
        if (ir::is_ref(capture))
          inside.views[argument] = at.views.find(capture)->second;
        else
          inside.values.map(argument, at.values.lookup(capture));
      if (place.counter)
        ranges_.note(given[0], *place.counter);
      if (place.arguments)
        set_values(changed, llvm::ArrayRef(given).slice(*place.arguments, changed.size()));
      Values yields = convert(place.region.front(), inside);
      return place.results ? with_arrays(yields, changed, *place.results) : yields;
    });
    set_values(changed, before);
    return body;
  }

  Values with_arrays(Values values, const std::vector<int>& changed, size_t place) {
    Values arrays = values_of(changed);
    values.insert(values.begin() + static_cast<int64_t>(place), arrays.begin(), arrays.end());
    return values;
  }
  Values mapped(mlir::ValueRange values, const Environment& at) const {
    Values result;
    for (Value value : values)
      result.push_back(at.values.lookup(value));
    return result;
  }
  /// `results` are those of the op and, from `place` on, the arrays.
  void set_results(mlir::Operation* op, const Values& results, size_t place,
                   const std::vector<int>& changed, Environment& at) {
    names_.put_on(results, place, changed);
    for (auto [number, result] : llvm::enumerate(op->getResults()))
      at.values.map(result, results[number < place ? number : number + changed.size()]);
    set_values(changed, llvm::ArrayRef(results).slice(place, changed.size()));
  }

  /// The only branch that is taken.
  void inline_branch(ir::CondOp op, mlir::Region& branch, Environment& at) {
    Environment inside;
    for (auto [argument, capture] : llvm::zip(branch.front().getArguments(), op.getCaptures()))
      if (ir::is_ref(capture))
        inside.views[argument] = at.views.find(capture)->second;
      else
        inside.values.map(argument, at.values.lookup(capture));
    Values yields = convert(branch.front(), inside);
    for (auto [result, value] : llvm::zip(op.getResults(), yields))
      at.values.map(result, value);
  }

  bool convert_op(ir::ForOp op, Environment& at) {
    if (!uses_refs(op))
      return false;
    const std::vector<int> changed = changed_in(op);
    const size_t states = op.getInits().size();
    Value lower = at.values.lookup(op.getLower()), upper = at.values.lookup(op.getUpper());
    auto from = ranges_.of(lower), to = ranges_.of(upper);
    Values carried = with_arrays(mapped(op.getInits(), at), changed, states);
    auto is_known = [](const std::optional<Range>& range) {
      return range && range->least == range->most;
    };
    std::vector<int64_t> cuts;
    if (!is_point_ && is_known(from) && is_known(to))
      cuts = cuts_of_steps(op, from->least, to->least);
    if (cuts.empty()) {
      std::optional<Range> counter;
      if (from && to && from->least < to->most)
        counter = Range{from->least, to->most - 1};
      carried = steps_of(op, lower, upper, counter, carried, changed, at);
    }
    const DType dtype = ir::dtype_of(lower);
    for (size_t part = 0; part + 1 < cuts.size(); ++part) {
      set_values(changed, llvm::ArrayRef(carried).take_back(changed.size()));
      carried = steps_of(op, language::integer_constant(b, cuts[part], dtype),
                         language::integer_constant(b, cuts[part + 1], dtype),
                         Range{cuts[part], cuts[part + 1] - 1}, carried, changed, at);
    }
    set_results(op, carried, states, changed, at);
    return true;
  }
  /// A loop over some steps; its states, and then the arrays that it changes.
  Values steps_of(ir::ForOp op, Value lower, Value upper, std::optional<Range> counter,
                  const Values& inits, const std::vector<int>& changed, const Environment& at) {
    const size_t states = op.getInits().size();
    language::Body body =
        body_of({op.getBody(), op.getCaptures(), states + 1, states, counter}, changed, at);
    return language::for_loop(b, lower, upper, inits, std::move(body));
  }
  bool convert_op(ir::WhileOp op, Environment& at) {
    if (!uses_refs(op))
      return false;
    const std::vector<int> changed = changed_in(op);
    const size_t states = op.getInits().size();
    language::Body condition =
        body_of({op.getCondition(), op.getCaptures(), states, std::nullopt}, changed, at);
    language::Body body = body_of({op.getBody(), op.getCaptures(), states, states}, changed, at);
    set_results(op,
                language::while_loop(b, with_arrays(mapped(op.getInits(), at), changed, states),
                                     std::move(condition), std::move(body)),
                states, changed, at);
    return true;
  }
  bool convert_op(ir::CondOp op, Environment& at) {
    if (auto selected = ranges_.of(at.values.lookup(op.getSelector()));
        selected && selected->least == selected->most) {
      const auto last = static_cast<int64_t>(op.getBranches().size()) - 1;
      inline_branch(op, op.getBranches()[std::clamp<int64_t>(selected->least, 0, last)], at);
      return true;
    }
    if (!uses_refs(op))
      return false;
    const std::vector<int> changed = changed_in(op);
    std::vector<language::Body> branches;
    for (mlir::Region& branch : op.getBranches())
      branches.push_back(
          body_of({branch, op.getCaptures(), std::nullopt, op.getNumResults()}, changed, at));
    set_results(op, language::cond(b, at.values.lookup(op.getSelector()), std::move(branches)),
                op.getNumResults(), changed, at);
    return true;
  }
  bool convert_op(ir::ScanOp op, Environment& at) {
    if (!uses_refs(op))
      return false;
    const std::vector<int> changed = changed_in(op);
    const size_t states = op.getInits().size();
    language::Body body = body_of({op.getBody(), op.getCaptures(), states, states}, changed, at);
    set_results(op,
                language::scan(b, with_arrays(mapped(op.getInits(), at), changed, states),
                               mapped(op.getXs(), at), op.getLength().shape()[0],
                               op.getReverse() ? language::Direction::reverse
                                               : language::Direction::forward,
                               std::move(body)),
                states, changed, at);
    return true;
  }

  Builder& b;
  KernelUse use_;
  Ranges ranges_;
  Arrays arrays_;
  ir::KernelCallOp call_;
  std::vector<ir::BlockSpec> specs_;
  Axes axes_;
  bool is_point_ = false; ///< whether blocks are arrays of their own
  RefNames names_;
  llvm::DenseMap<Value, int> arrays_of_roots_; ///< by argument of the kernel and ref_alloc
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
