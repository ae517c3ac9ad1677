// Kernels: one call for all instances, with an axis of the grid in front that counts them.
#include "kolam/ir/kernel_instances.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/collective.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/user_check.h"
#include "kolam/language/zip_map_reduce.h"
#include "kolam/transform/batch/bodies.h"
#include "kolam/transform/kernels/axes.h"
#include "kolam/transform/kernels/unwritten.h"
#include "kolam/transform/size_values.h"

namespace kolam::transform::batch {
namespace {

bool names(const Extent& extent, const Instances& all) {
  return llvm::any_of(extent.symbols(),
                      [&](const std::string& name) { return all.sizes.contains(name); });
}

/// Whether types or attributes of an op name one of some extents.
bool names(mlir::Operation* op, llvm::function_ref<bool(const Extent&)> is_meant,
           std::optional<mlir::StringRef> but_for = {}) {
  bool is_named = false;
  mlir::AttrTypeWalker walker;
  walker.addWalk(
      [&](ir::ExtentsAttr extents) { is_named |= llvm::any_of(extents.shape(), is_meant); });
  for (mlir::NamedAttribute attribute : op->getAttrs())
    if (attribute.getName() != but_for)
      walker.walk(attribute.getValue());
  for (mlir::Type type : op->getResultTypes())
    walker.walk(type);
  for (mlir::Region& region : op->getRegions())
    for (mlir::Type type : region.getArgumentTypes())
      walker.walk(type);
  if (auto extent = llvm::dyn_cast<ir::ExtentOp>(op))
    is_named |= is_meant(*Extent::parse(extent.getExpression()));
  return is_named;
}

/// The grid with the instances in front, and bodies that see one of them.
///
///     call over [n] of body(j; x[j])   becomes   call over [count, n] of body(j; x[i, j])
///
/// Blocks of what each instance has gain a squeezed dim. What bodies capture of each instance is
/// one more input: a block of its instance, or prefetched whole where a map asks for it. Extents of
/// each instance are the largest for all, and points behind an instance's own do nothing.
class CallOfAll {
public:
  CallOfAll(ir::KernelCallOp call, Operands operands, Instances& all)
      : call_(call), all_(all), b(all.b), rank_(call.getGrid().shape().size()),
        prefetch_(call.getPrefetch()), inputs_(call.getInputs().size()),
        given_(operands.take_front(inputs_)), captures_(operands.drop_front(inputs_)),
        specs_(ir::block_specs(call)),
        sizes_([&all](const Extent& extent) { return names(extent, all); }) {}

  Results make() {
    find_own();
    add_inputs();
    add_blocks();
    Shape grid = call_.getGrid().shape();
    grid.insert(grid.begin(), all_.count);
    llvm::SmallVector<mlir::Type> results;
    for (mlir::Type type : call_.getResultTypes())
      results.push_back(each_type(all_, type));
    auto made = ir::KernelCallOp::create(
        b, results, call_.getNameAttr(), ir::ExtentsAttr::of(b.getContext(), grid), new_inputs_,
        shared_, b.getI64IntegerAttr(static_cast<int64_t>(prefetch_ + prefetched_own_)),
        b.getArrayAttr(blocks_), scratch(), b.getDenseI64ArrayAttr(aliases()), semantics(),
        call_.getChecksAttr(), call_.getOrderAttr(), call_.getSeedAttr(), ref_names(), cost(),
        static_cast<unsigned>(maps_.size()));
    made.getBody().takeBody(*body());
    for (auto [region, map] : llvm::zip(made.getMaps(), maps_))
      region.takeBody(*map);
    set_kernel_instances(made, instances());
    return each(made.getResults());
  }

private:
  /// A value of each instance that bodies see: a capture, or the extents of a grid's axis.
  struct Own {
    Value value;                ///< [count, ...]
    size_t capture = 0;         ///< which it is, else
    std::optional<size_t> axis; ///< whose extents these are; the rank for who runs at all
    bool is_prefetched = false; ///< else it has a block
  };

  void find_own() {
    const Shape grid = call_.getGrid().shape();
    if (names(call_, [&](const Extent& extent) { return names(extent, all_); }, "grid"))
      refuse("arrays of a kernel have extents that differ from instance to instance");
    for (mlir::Region& map : call_.getMaps())
      require(sizes_.note(map));
    // Under checks blocks of points that do nothing are to lie inside, too.
    const bool maps_ask = !sizes_.found().empty() || call_.getChecks();
    require(sizes_.note(call_.getBody()));
    for (auto [number, capture] : llvm::enumerate(captures_))
      if (capture.is_each)
        own_.push_back({capture.value, number, {}, is_asked_by_a_map(number)});
      else
        shared_.push_back(capture.value);
    for (size_t axis = 0; axis < rank_; ++axis)
      if (names(grid[axis], all_)) {
        const auto symbol = grid[axis].as_symbol();
        if (!symbol)
          refuse(
              "an axis of its grid is computed from extents that differ from instance to instance");
        own_.push_back({all_.sizes.at(*symbol), 0, axis, maps_ask});
      }
    if (all_.active && (holds_checks() || holds_factors(call_.getBody())))
      own_.push_back({all_.active, 0, rank_, false});
    for (const Own& own : own_)
      prefetched_own_ += own.is_prefetched ? 1 : 0;
  }
  static void require(const std::optional<std::string>& why_not) {
    if (why_not)
      refuse(*why_not);
  }

  bool is_asked_by_a_map(size_t capture) {
    return llvm::any_of(call_.getMaps(), [&](mlir::Region& map) {
      return !map.getArgument(static_cast<unsigned>(rank_ + prefetch_ + capture)).use_empty();
    });
  }

  bool holds_checks() {
    return call_.getBody()
        .walk([](mlir::Operation* op) {
          return language::user_check_of(op) ? mlir::WalkResult::interrupt()
                                             : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// An input as the new call gets it: of each instance where the old one was, or a result is its
  /// memory.
  Batched input(size_t number) {
    const Batched& own = given_[number];
    const bool is_memory = llvm::is_contained(call_.getAliases(), static_cast<int64_t>(number));
    return is_memory ? Batched{as_each(all_, own), true} : own;
  }
  bool is_each(size_t number) { return input_is_each_[number]; }

  void add_inputs() {
    auto add_own = [&](bool is_prefetched) {
      for (const Own& own : own_)
        if (own.is_prefetched == is_prefetched)
          new_inputs_.push_back(own.value);
    };
    for (size_t number = 0; number < inputs_; ++number) {
      if (number == prefetch_)
        add_own(true);
      const Batched given = input(number);
      new_inputs_.push_back(given.value);
      input_is_each_.push_back(given.is_each);
    }
    if (prefetch_ == inputs_)
      add_own(true);
    add_own(false);
  }

  void add_blocks() {
    const size_t blocked = inputs_ - prefetch_;
    for (size_t block = 0; block < specs_.size(); ++block) {
      if (block == blocked)
        add_own_blocks();
      const bool leads = block >= blocked || is_each(prefetch_ + block);
      ir::BlockSpec spec = specs_[block];
      if (leads)
        spec.dims.insert(spec.dims.begin(), {ir::BlockKind::squeezed, Extent(1)});
      blocks_.push_back(spec.to_attr(b.getContext()));
      maps_.push_back(map(call_.getMaps()[block], leads, specs_[block]));
    }
    if (blocked == specs_.size())
      add_own_blocks();
  }

  void add_own_blocks() {
    for (const Own& own : own_) {
      if (own.is_prefetched)
        continue;
      ir::BlockSpec spec;
      const Shape shape = ir::shape_of(own.value);
      spec.dims.push_back({ir::BlockKind::squeezed, Extent(1)});
      for (const Extent& extent : llvm::ArrayRef(shape).drop_front())
        spec.dims.push_back({ir::BlockKind::blocked, extent});
      spec.pad = kernels::zero_of(b, own.value.getType());
      blocks_.push_back(spec.to_attr(b.getContext()));
      maps_.push_back(language::make_region(b, map_types(), [&](const Values& arguments) {
        Values numbers(shape.size(), language::weak_constant(b, int64_t{0}, DType::i32));
        numbers[0] = arguments[0];
        return numbers;
      }));
    }
  }
  llvm::SmallVector<mlir::Type> point_types() {
    llvm::SmallVector<mlir::Type> types(rank_ + 1, language::tensor_type(b, DType::i32, {}));
    for (size_t number = 0; number < prefetch_ + prefetched_own_; ++number)
      types.push_back(ref_of(new_inputs_[number].getType()));
    return types;
  }
  llvm::SmallVector<mlir::Type> map_types() {
    llvm::SmallVector<mlir::Type> types = point_types();
    llvm::append_range(types, mlir::ValueRange(shared_).getTypes());
    return types;
  }
  static mlir::Type ref_of(mlir::Type type) {
    return ir::RefType::get(llvm::cast<mlir::RankedTensorType>(type));
  }

  /// The elements of an instance of a Ref of all.
  Value view_of(Value ref, Value instance) {
    const Shape shape = ir::shape_of(ir::value_type(ref));
    Shape one = shape, rest(shape.begin() + 1, shape.end());
    one[0] = Extent(1);
    Values starts(shape.size(), language::weak_constant(b, int64_t{0}, DType::i32));
    starts[0] = instance;
    const DType dtype = ir::dtype_of(ir::value_type(ref));
    Value slice = ir::RefSliceOp::create(b, ref_of(language::tensor_type(b, dtype, one)), ref,
                                         starts, std::vector<int64_t>(shape.size(), 1));
    return ir::RefReshapeOp::create(b, ref_of(language::tensor_type(b, dtype, rest)), slice);
  }
  Value read(Value ref) {
    return ir::RefReadOp::create(b, ir::value_type(ref), ref, Value(), Value());
  }

  /// What the arguments of an old body are in a new one; `blocks` has those of own values.
  struct Bound {
    mlir::IRMapping values;
    Values sizes;                ///< for `sizes_`
    Values extents, coordinates; ///< of axes whose extents each instance has
    Value active;
  };
  Bound bind(mlir::Block& old, const Values& given, llvm::ArrayRef<Value> blocks) {
    Bound bound;
    Value instance = given[0];
    for (size_t axis = 0; axis < rank_; ++axis)
      bound.values.map(old.getArgument(static_cast<unsigned>(axis)), given[1 + axis]);
    size_t next = 1 + rank_;
    for (size_t number = 0; number < prefetch_; ++number, ++next) {
      Value ref = old.getArgument(static_cast<unsigned>(rank_ + number));
      if (!ref.use_empty())
        bound.values.map(ref, is_each(number) ? view_of(given[next], instance) : given[next]);
    }
    auto captures = old.getArguments().take_back(captures_.size());
    std::map<std::string, Value> extents;
    const Shape grid = call_.getGrid().shape();
    for (const Own& own : own_) {
      const bool is_seen = own.is_prefetched || !blocks.empty();
      Value ref = own.is_prefetched ? given[next++] : Value();
      if (!own.is_prefetched && is_seen) {
        ref = blocks.front();
        blocks = blocks.drop_front();
      }
      if (!is_seen || (!own.axis && captures[own.capture].use_empty()))
        continue;
      Value value = read(own.is_prefetched ? view_of(ref, instance) : ref);
      if (!own.axis) {
        bound.values.map(captures[own.capture], value);
      } else if (*own.axis == rank_) {
        bound.active = value;
      } else {
        bound.extents.push_back(value);
        bound.coordinates.push_back(given[1 + *own.axis]);
        extents[*grid[*own.axis].as_symbol()] = value;
      }
    }
    auto next_shared = given.end() - static_cast<int64_t>(shared_.size());
    for (auto [number, capture] : llvm::enumerate(captures_))
      if (!capture.is_each)
        bound.values.map(captures[number], *next_shared++);
    if (!extents.empty())
      for (const Extent& extent : sizes_.found())
        bound.sizes.push_back(computed(b, extent, [&](const std::string& symbol) {
          auto known = extents.find(symbol);
          return known != extents.end()
                     ? known->second
                     : language::extent_scalar(b, Extent::symbol(symbol), DType::i64);
        }));
    return bound;
  }

  std::unique_ptr<mlir::Region> map(mlir::Region& old, bool leads, const ir::BlockSpec& spec) {
    return language::make_region(b, map_types(), [&](const Values& given) {
      Bound bound = bind(old.front(), given, {});
      sizes_.copy_ops(b, old.front(), bound.sizes, bound.values);
      Values numbers;
      if (leads)
        numbers.push_back(given[0]);
      Value runs = call_.getChecks() ? does_run(bound) : Value();
      for (auto [dim, own] : llvm::enumerate(old.front().getTerminator()->getOperands())) {
        Value number = bound.values.lookup(own);
        if (runs) {
          const int64_t inside =
              spec.dims[dim].kind == ir::BlockKind::element ? spec.dims[dim].low : 0;
          Value other = language::integer_constant(b, inside, ir::dtype_of(number));
          number = language::elementwise(b, Fn::where, {runs, number, other});
        }
        numbers.push_back(number);
      }
      return numbers;
    });
  }

  /// Whether a point is one of the instance's own; null where all are.
  Value does_run(const Bound& bound) {
    Value runs = bound.active;
    for (auto [coordinate, extent] : llvm::zip(bound.coordinates, bound.extents)) {
      Value wide = language::cast(b, coordinate, DType::i64);
      Value is_inside = language::elementwise(b, Fn::less, {wide, extent});
      runs = runs ? language::elementwise(b, Fn::logical_and, {runs, is_inside}) : is_inside;
    }
    return runs;
  }

  std::unique_ptr<mlir::Region> body() {
    mlir::Block& old = call_.getBody().front();
    const size_t scratch = call_.getScratch().size(), blocked = inputs_ - prefetch_,
                 own_blocks = own_.size() - prefetched_own_;
    const size_t first_block = rank_ + prefetch_; // of the old body
    llvm::SmallVector<mlir::Type> types = point_types();
    auto own_types = [&] {
      for (const Own& own : own_)
        if (!own.is_prefetched)
          types.push_back(ref_of(language::slice_type(b, own.value)));
    };
    for (size_t number = 0; number < specs_.size() + scratch; ++number) {
      if (number == blocked)
        own_types();
      types.push_back(number < specs_.size() || !call_.getChecks()
                          ? old.getArgument(static_cast<unsigned>(first_block + number)).getType()
                          : ref_of(scratch_type(number - specs_.size())));
    }
    if (blocked == specs_.size() + scratch) // nothing stands behind the inputs
      own_types();
    llvm::append_range(types, mlir::ValueRange(shared_).getTypes());
    return language::make_region(b, types, [&](const Values& given) {
      const size_t first = 1 + rank_ + prefetch_ + prefetched_own_;
      Bound bound = bind(old, given, llvm::ArrayRef(given).slice(first + blocked, own_blocks));
      for (size_t number = 0; number < specs_.size() + scratch; ++number)
        bound.values.map(
            old.getArgument(static_cast<unsigned>(first_block + number)),
            argument_of(given, number, first + number + (number < blocked ? 0 : own_blocks)));
      Value runs = does_run(bound);
      auto copy = [&] {
        if (!call_.getChecks())
          reset_scratch(given); // an instance whose first point does nothing has no other
        sizes_.copy_ops(b, old, bound.sizes, bound.values);
      };
      if (runs)
        language::when(b, runs, copy);
      else
        copy();
      return Values();
    });
  }

  /// Under checks each instance has scratch arrays of its own, so that nobody has written them when
  /// it begins.
  mlir::Type scratch_type(size_t number) {
    mlir::Type type = llvm::cast<mlir::TypeAttr>(call_.getScratch()[number]).getValue();
    return call_.getChecks() ? each_type(all_, type) : type;
  }
  mlir::ArrayAttr scratch() {
    llvm::SmallVector<mlir::Attribute> types;
    for (size_t number = 0; number < call_.getScratch().size(); ++number)
      types.push_back(mlir::TypeAttr::get(scratch_type(number)));
    return b.getArrayAttr(types);
  }
  /// What stands for a block or a scratch array.
  Value argument_of(const Values& given, size_t ref, size_t place) {
    return ref < specs_.size() || !call_.getChecks() ? given[place]
                                                     : view_of(given[place], given[0]);
  }

  /// Scratch arrays hold zeros at the first point of each instance, where the kernel may see what
  /// they held before.
  void reset_scratch(const Values& given) {
    const auto around = kernels::axes_of(call_).axes_around_scratch;
    const size_t first = given.size() - shared_.size() - around.size();
    Values seen;
    for (auto [number, axes] : llvm::enumerate(around))
      if (axes == 0)
        seen.push_back(given[first + number]);
    if (seen.empty())
      return;
    auto reset = [&] {
      for (Value ref : seen)
        ir::RefWriteOp::create(b, ref, kernels::unwritten(b, ir::value_type(ref), false), Value());
    };
    Value is_first;
    for (size_t axis = 0; axis < rank_; ++axis) {
      Value zero = language::weak_constant(b, int64_t{0}, DType::i32);
      Value own = language::elementwise(b, Fn::equal, {given[1 + axis], zero});
      is_first = is_first ? language::elementwise(b, Fn::logical_and, {is_first, own}) : own;
    }
    if (is_first)
      language::when(b, is_first, reset);
    else
      reset();
  }

  std::vector<int64_t> aliases() {
    std::vector<int64_t> numbers(call_.getAliases());
    for (int64_t& number : numbers)
      if (number >= static_cast<int64_t>(prefetch_))
        number += static_cast<int64_t>(prefetched_own_);
    return numbers;
  }
  mlir::ArrayAttr semantics() {
    llvm::SmallVector<mlir::Attribute> words(call_.getSemantics().getValue());
    if (!words.empty())
      words.insert(words.begin(), b.getStringAttr("parallel"));
    return b.getArrayAttr(words);
  }
  ir::KernelInstances instances() {
    const ir::KernelInstances before = kernel_instances(call_);
    const size_t blocked = inputs_ - prefetch_, own_blocks = own_.size() - prefetched_own_;
    ir::KernelInstances made{before.axes + 1, {}};
    for (size_t ref = 0; ref < specs_.size() + call_.getScratch().size(); ++ref) {
      const bool leads = ref < blocked         ? is_each(prefetch_ + ref)
                         : ref < specs_.size() ? true
                                               : call_.getChecks();
      made.dims.push_back(static_cast<int64_t>(before.dims_of(ref)) + (leads ? 1 : 0));
    }
    made.dims.insert(made.dims.begin() + static_cast<int64_t>(blocked), own_blocks, 1);
    return made;
  }
  mlir::ArrayAttr ref_names() {
    auto names = call_.getRefNamesAttr();
    if (!names)
      return names;
    llvm::SmallVector<mlir::Attribute> words(names.getValue());
    const size_t own_blocks = own_.size() - prefetched_own_;
    words.insert(words.begin() + static_cast<int64_t>(inputs_ - prefetch_), own_blocks,
                 b.getStringAttr("a captured value"));
    return b.getArrayAttr(words);
  }
  mlir::DenseI64ArrayAttr cost() {
    auto own = call_.getCostAttr();
    auto count = all_.count.constant();
    if (!own || !count)
      return {};
    std::vector<int64_t> costs;
    for (int64_t cost : own.asArrayRef())
      if (int64_t all = 0; llvm::MulOverflow(cost, *count, all))
        costs.push_back(std::numeric_limits<int64_t>::max());
      else
        costs.push_back(all);
    return b.getDenseI64ArrayAttr(costs);
  }

  ir::KernelCallOp call_;
  Instances& all_;
  Builder& b;
  size_t rank_, prefetch_, inputs_;
  Operands given_, captures_;
  std::vector<ir::BlockSpec> specs_;
  SizeValues sizes_;
  std::vector<Own> own_;
  size_t prefetched_own_ = 0;
  // Of the new call:
  Values new_inputs_, shared_;
  std::vector<bool> input_is_each_;
  llvm::SmallVector<mlir::Attribute> blocks_;
  std::vector<std::unique_ptr<mlir::Region>> maps_;
};

} // namespace

bool has_own_grid(ir::KernelCallOp op, const Instances& all) {
  const Shape grid = op.getGrid().shape();
  return llvm::any_of(grid, [&](const Extent& extent) { return names(extent, all); });
}

/// Of each instance where it is the extent of grids alone: the largest for all.
Results batch_rule(ir::BindExtentOp op, Operands operands, Instances& all) {
  const std::string symbol = op.getSymbol().str();
  auto is_meant = [&](const Extent& extent) { return extent.symbols().contains(symbol); };
  for (mlir::Operation* next = op->getNextNode(); next; next = next->getNextNode()) {
    const bool is_named = next->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* inner) {
                                if (inner == next && llvm::isa<ir::KernelCallOp>(inner))
                                  return mlir::WalkResult::skip(); // its rule looks
                                return names(inner, is_meant) ? mlir::WalkResult::interrupt()
                                                              : mlir::WalkResult::advance();
                              })
                              .wasInterrupted();
    if (is_named)
      refuse("its extents differ from instance to instance");
  }
  Value zero =
      language::broadcast_to(all.b, language::integer_constant(all.b, 0, DType::i64), {all.count});
  Value sizes = language::cast(all.b, operands[0].value, DType::i64);
  sizes = language::elementwise(all.b, Fn::maximum, {sizes, zero});
  if (all.active)
    sizes = select(all, all.active, sizes, zero);
  Value most = language::reduce(all.b, {sizes}, language::named_monoid(Fn::maximum), {0})[0];
  ir::BindExtentOp::create(all.b, most, op.getSymbol());
  all.sizes[symbol] = sizes;
  return {};
}

Results batch_rule(ir::KernelCallOp op, Operands operands, Instances& all) {
  require_repeatable(op);
  if (op.getChecks() && all.active)
    refuse("of a kernel under checks that only some instances run, the others write nothing");
  if (!all.options.axis_name.empty() && language::holds_collective(op, all.options.axis_name))
    refuse("a kernel reduces over the instances");
  return CallOfAll(op, operands, all).make();
}

} // namespace kolam::transform::batch
