// The function of a point, whose blocks are arrays, and the map or scan of it over lists of blocks.
#include "kolam/transform/kernels/listed_blocks.h"

#include "kolam/ir/block_spec.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/kernels/affine.h"
#include "kolam/transform/kernels/at_once.h"
#include "kolam/transform/kernels/sizes_of_instances.h"
#include "kolam/transform/kernels/unwritten.h"
#include "kolam/transform/kernels/whole_grid.h"
#include "kolam/transform/kernels/widen.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace kolam::transform::kernels {
namespace {

using language::Builder;
using language::Value;
using language::Values;

/// The rows of a stacked list that a point sees: `size` from start + step * coordinate on.
struct Rows {
  int64_t start, step, size;
};

/// The list whose elements are the rows of a tensor; null where there is none.
Value list_of_rows(Value value) {
  if (auto reshape = value.getDefiningOp<ir::ReshapeOp>()) {
    // Only the first extent has another name.
    const Shape own = ir::shape_of(value), from = ir::shape_of(reshape.getOperand());
    if (own.empty() || own.size() != from.size() ||
        !std::equal(own.begin() + 1, own.end(), from.begin() + 1))
      return {};
    value = reshape.getOperand();
  }
  auto unpack = value.getDefiningOp<ir::UnpackOp>();
  return unpack && unpack.getOffsets().empty() ? unpack.getList() : Value();
}

class ListedBlocks {
public:
  ListedBlocks(Builder& b, ir::KernelCallOp call, const Axes& axes)
      : b(b), call_(call), sizes_(b, call), specs_(ir::block_specs(call)),
        rank_(call.getGrid().shape().size()), prefetched_(call.getPrefetch()),
        inputs_(specs_.size() - call.getResults().size()) {
    find_axis();
    for (size_t block = 0; block < specs_.size(); ++block)
      rows_.push_back(rows_of(block));
    require_other_arrays();
    for (auto [number, around] : llvm::enumerate(axes.axes_around_scratch))
      is_carried_.push_back(around <= axis_);
    is_scan_ = llvm::is_contained(is_carried_, true);
    for (size_t block = inputs_; block < specs_.size(); ++block)
      is_scan_ |= !rows_[block];
    require_order();
    require_aliases();
    for (mlir::Region& map : call.getMaps())
      sizes_.require_replaceable(map);
    sizes_.require_replaceable(call.getBody());
  }

  std::string run(const ConvertCall& convert) {
    std::string how;
    point_ = make_point(convert, &how);
    if (is_scan_)
      return scan(),
             "a scan over the blocks of each row, a step of all rows at once; a step is " + how;
    if (auto row = of_one_row())
      return map_rows(*row), "a map over the rows of all lists at once";
    return map_blocks(), "a map over the blocks of all rows at once; a block is " + how;
  }

private:
  // What the call is.

  void find_axis() {
    std::optional<size_t> found;
    for (auto [axis, extent] : llvm::enumerate(call_.getGrid().shape())) {
      if (!sizes_.differs(extent))
        continue;
      if (found)
        throw Refusal{"two axes of its grid differ from instance to instance"};
      found = axis;
    }
    if (!found)
      throw Refusal{""};
    if (call_.getChecks())
      throw Refusal{"it runs under checks"};
    call_->walk([](mlir::Operation* op) {
      if (ir::facts_of(op).effect == ir::Effect::host)
        throw Refusal{"it calls functions of the host, point after point"};
    });
    axis_ = *found;
    count_ = call_.getGrid().shape()[axis_];
  }

  /// Which rows of a stacked list a block has; nullopt for other arrays.
  std::optional<Rows> rows_of(size_t block) {
    const ir::BlockSpec& spec = specs_[block];
    const Shape shape = ir::shape_of(ir::blocked_array(call_, block));
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (sizes_.differs(spec.dims[dim].size) || (dim > 0 && sizes_.differs(shape[dim])))
        throw Refusal{"extents other than the numbers of rows differ from instance to instance"};
    if (shape.empty() || !sizes_.differs(shape[0]))
      return std::nullopt;
    mlir::Operation* yields = call_.getMaps()[block].front().getTerminator();
    auto number = affine_of(yields->getOperand(0), rank_);
    auto size = spec.dims[0].size.constant();
    const bool is_element = spec.dims[0].kind == ir::BlockKind::element;
    for (size_t axis = 0; number && axis < rank_; ++axis)
      if ((axis == axis_) != (number->factors[axis] > 0))
        number.reset();
    if (!number || !size || (!is_element && number->factors[axis_] != 1))
      throw Refusal{"blocks of rows do not follow the axis that differs"};
    const int64_t unit = is_element ? 1 : *size;
    Rows rows{number->offset * unit - (is_element ? spec.dims[0].low : 0),
              number->factors[axis_] * unit, *size};
    if (block >= inputs_ && (rows.start != 0 || rows.step != rows.size))
      throw Refusal{"blocks of a result are not its rows, one block after the other"};
    if (block < inputs_ && !list_of_rows(ir::blocked_array(call_, block)))
      throw Refusal{"an array with other extents at each instance is no stacked list"};
    return rows;
  }

  void require_other_arrays() {
    auto require = [&](mlir::Type type) {
      for (const Extent& extent : ir::shape_of(type))
        if (sizes_.differs(extent))
          throw Refusal{"an array without blocks has other extents at each instance"};
    };
    for (Value input : call_.getInputs().take_front(prefetched_))
      require(input.getType());
    for (Value capture : call_.getCaptures())
      require(capture.getType());
    for (mlir::Attribute scratch : call_.getScratch())
      require(llvm::cast<mlir::TypeAttr>(scratch).getValue());
  }

  /// The steps of a scan are the points in order.
  void require_order() {
    const Shape grid = call_.getGrid().shape();
    for (size_t axis = 0; is_scan_ && axis < axis_; ++axis)
      if (!(grid[axis] == Extent(1)))
        throw Refusal{"points share elements, and an axis goes around the one that differs"};
  }

  void require_aliases() {
    for (auto [number, alias] : llvm::enumerate(call_.getAliases())) {
      if (alias < 0)
        continue;
      if (llvm::count(call_.getAliases(), alias) > 1)
        throw Refusal{"two results are the memory of one input"};
      const std::optional<Rows>& rows = rows_[inputs_ + number];
      if (!rows)
        continue;
      const size_t input = static_cast<size_t>(alias) - prefetched_; // it has rows
      if (call_.getBlocks()[input] != call_.getBlocks()[inputs_ + number] ||
          rows_[input]->start != 0 || rows_[input]->step != rows->step)
        throw Refusal{"a result is the memory of an input whose blocks are others"};
      if (!covers(number))
        throw Refusal{"blocks leave rows of the memory of an input out"};
    }
  }

  /// Whether blocks surely have each row of a result.
  bool covers(size_t result) {
    const Extent rows = ir::shape_of(call_.getResults()[result])[0];
    return count_ == ceildiv(rows, Extent(rows_[inputs_ + result]->size));
  }

  // The function of a point. Its arguments are the coordinate along the axis, the inputs, of
  // stacked lists their blocks, the states of a scan that are no input, the captures and the sizes
  // that the kernel names. It gives the blocks of the results, other results whole, and the scratch
  // arrays that are carried.

  /// Whether a result is a state that is no input.
  bool is_added(size_t result) {
    return !rows_[inputs_ + result] && call_.getAliases()[result] < 0;
  }

  mlir::Type block_type(size_t block) {
    Value array = ir::blocked_array(call_, block);
    Shape shape = ir::shape_of(array);
    if (rows_[block])
      shape[0] = Extent(rows_[block]->size);
    return language::tensor_type(b, ir::dtype_of(array), shape);
  }
  mlir::Type scratch_type(size_t number) {
    return llvm::cast<mlir::TypeAttr>(call_.getScratch()[number]).getValue();
  }

  std::unique_ptr<mlir::Region> make_point(const ConvertCall& convert, std::string* how) {
    llvm::SmallVector<mlir::Type> types{language::tensor_type(b, DType::i32, {})};
    for (auto [number, input] : llvm::enumerate(call_.getInputs()))
      types.push_back(number < prefetched_ ? input.getType() : block_type(number - prefetched_));
    for (size_t result = 0; result < call_.getResults().size(); ++result)
      if (is_added(result))
        types.push_back(call_.getResults()[result].getType());
    for (size_t number = 0; number < is_carried_.size(); ++number)
      if (is_carried_[number])
        types.push_back(scratch_type(number));
    llvm::append_range(types, call_.getCaptures().getTypes());
    types.append(sizes_.replaced().size(), language::tensor_type(b, DType::i64, {}));
    ir::KernelCallOp made;
    auto region = language::make_region(b, types, [&](const Values& given) {
      made = call_of_point(given);
      return Values(made->result_begin(), made->result_end());
    });
    *how = convert(made);
    return region;
  }

  ir::BlockSpec spec_of(size_t block) {
    ir::BlockSpec spec = specs_[block];
    if (rows_[block] && spec.dims[0].kind == ir::BlockKind::element)
      spec.dims[0] = {ir::BlockKind::blocked, spec.dims[0].size};
    return spec;
  }
  static ir::BlockSpec whole_spec(Builder& b, mlir::Type type) {
    ir::BlockSpec spec{{}, zero_of(b, type), false};
    for (const Extent& extent : ir::shape_of(type))
      spec.dims.push_back({ir::BlockKind::blocked, extent});
    return spec;
  }

  ir::KernelCallOp call_of_point(const Values& given) {
    const size_t results = call_.getResults().size(),
                 carried = static_cast<size_t>(llvm::count(is_carried_, true));
    // The states that are no input come behind the inputs.
    size_t last = 1 + call_.getInputs().size();
    Values inputs(given.begin() + 1, given.begin() + static_cast<int64_t>(last));
    llvm::SmallVector<int64_t> aliases(call_.getAliases());
    for (size_t result = 0; result < results; ++result)
      if (is_added(result)) {
        aliases[result] = static_cast<int64_t>(inputs.size());
        inputs.push_back(given[last++]);
      }
    for (size_t number = 0; number < carried; ++number) {
      aliases.push_back(static_cast<int64_t>(inputs.size()));
      inputs.push_back(given[last++]);
    }
    Values own(given.begin() + static_cast<int64_t>(last), given.end());
    own.push_back(given[0]);
    Shape grid = call_.getGrid().shape();
    grid[axis_] = Extent(1);
    llvm::SmallVector<mlir::Type> types;
    std::vector<ir::BlockSpec> specs;
    for (size_t block = 0; block < inputs_; ++block)
      specs.push_back(spec_of(block));
    for (size_t result = 0; result < results; ++result)
      if (is_added(result))
        specs.push_back(spec_of(inputs_ + result));
    for (size_t number = 0; number < is_carried_.size(); ++number)
      if (is_carried_[number])
        specs.push_back(whole_spec(b, scratch_type(number)));
    for (size_t result = 0; result < results; ++result) {
      specs.push_back(spec_of(inputs_ + result));
      types.push_back(block_type(inputs_ + result));
    }
    llvm::SmallVector<mlir::Attribute> scratch, blocks;
    for (size_t number = 0; number < is_carried_.size(); ++number)
      if (is_carried_[number]) {
        specs.push_back(whole_spec(b, scratch_type(number)));
        types.push_back(scratch_type(number));
      } else {
        scratch.push_back(call_.getScratch()[number]);
      }
    for (const ir::BlockSpec& spec : specs)
      blocks.push_back(spec.to_attr(b.getContext()));
    auto made = ir::KernelCallOp::create(
        b, types, call_.getName(), ir::ExtentsAttr::of(b.getContext(), grid), inputs, own,
        prefetched_, b.getArrayAttr(blocks), b.getArrayAttr(scratch), aliases, call_.getSemantics(),
        false, mlir::StringAttr(), mlir::IntegerAttr(), names(), call_.getCostAttr(),
        static_cast<unsigned>(specs.size()));
    fill(made);
    return made;
  }

  /// The names of Refs: a state has its own as input and as result.
  mlir::ArrayAttr names() {
    if (!call_.getRefNames())
      return {};
    llvm::ArrayRef<mlir::Attribute> old = call_.getRefNames()->getValue();
    llvm::SmallVector<mlir::Attribute> words(old.take_front(inputs_)), carried, others;
    for (auto [name, is_carried] : llvm::zip(old.drop_front(specs_.size()), is_carried_))
      (is_carried ? carried : others).push_back(name);
    for (size_t result = 0; result < call_.getResults().size(); ++result)
      if (is_added(result))
        words.push_back(old[inputs_ + result]);
    llvm::append_range(words, carried);
    llvm::append_range(words, old.slice(inputs_, specs_.size() - inputs_));
    llvm::append_range(words, carried);
    llvm::append_range(words, others);
    return b.getArrayAttr(words);
  }

  /// The types of what bodies and maps are given before and behind the blocks.
  llvm::SmallVector<mlir::Type> point_types(ir::KernelCallOp made) {
    llvm::SmallVector<mlir::Type> types(rank_, language::tensor_type(b, DType::i32, {}));
    for (Value input : made.getInputs().take_front(prefetched_))
      types.push_back(ref_type(input.getType()));
    return types;
  }
  static mlir::Type ref_type(mlir::Type tensor) {
    return ir::RefType::get(llvm::cast<mlir::RankedTensorType>(tensor));
  }

  void fill(ir::KernelCallOp made) {
    const size_t results = call_.getResults().size(), first = rank_ + prefetched_;
    const std::vector<ir::BlockSpec> specs = ir::block_specs(made);
    llvm::SmallVector<mlir::Type> point = point_types(made), body = point;
    llvm::append_range(point, made.getCaptures().getTypes());
    for (auto [block, spec] : llvm::enumerate(specs))
      body.push_back(ref_type(language::tensor_type(b, ir::dtype_of(ir::blocked_array(made, block)),
                                                    spec.ref_shape())));
    for (mlir::Attribute scratch : made.getScratch())
      body.push_back(ref_type(llvm::cast<mlir::TypeAttr>(scratch).getValue()));
    llvm::append_range(body, made.getCaptures().getTypes());

    const size_t added = specs.size() - inputs_ - made.getResults().size();
    size_t next = 0; // of the maps
    for (size_t block = 0; block < inputs_; ++block)
      made.getMaps()[next++].takeBody(*map_of(block, point));
    for (size_t result = 0; result < results; ++result)
      if (is_added(result))
        made.getMaps()[next++].takeBody(*map_of(inputs_ + result, point));
    for (; next < inputs_ + added; ++next)
      made.getMaps()[next].takeBody(*whole_map(specs[next], point));
    for (size_t result = 0; result < results; ++result)
      made.getMaps()[next++].takeBody(*map_of(inputs_ + result, point));
    for (; next < specs.size(); ++next)
      made.getMaps()[next].takeBody(*whole_map(specs[next], point));

    auto region = language::make_region(b, body, [&](const Values& given) {
      mlir::Block& old = call_.getBody().front();
      mlir::IRMapping mapping;
      bind_point(old, given, mapping);
      for (size_t block = 0; block < specs_.size(); ++block)
        mapping.map(old.getArgument(static_cast<unsigned>(first + block)),
                    given[first + block + (block < inputs_ ? 0 : added)]);
      size_t carried = first + inputs_ + added + results, own = first + specs.size();
      for (size_t number = 0; number < is_carried_.size(); ++number)
        mapping.map(old.getArgument(static_cast<unsigned>(first + specs_.size() + number)),
                    given[is_carried_[number] ? carried++ : own++]);
      sizes_.copy_ops(old, own_sizes_, mapping);
      return Values();
    });
    made.getBody().takeBody(*region);
  }

  /// Coordinates, prefetched arrays and captures; those that the function of a point adds are the
  /// sizes, then the coordinate.
  void bind_point(mlir::Block& old, const Values& given, mlir::IRMapping& mapping) {
    const size_t added = sizes_.replaced().size() + 1, captures = call_.getCaptures().size();
    for (size_t number = 0; number < rank_ + prefetched_; ++number)
      mapping.map(old.getArgument(static_cast<unsigned>(number)), given[number]);
    mapping.map(old.getArgument(static_cast<unsigned>(axis_)), given.back());
    const Value* capture = given.data() + given.size() - added - captures;
    for (mlir::BlockArgument argument : old.getArguments().take_back(captures))
      mapping.map(argument, *capture++);
    own_sizes_ = Values(capture, capture + sizes_.replaced().size());
  }

  std::unique_ptr<mlir::Region> map_of(size_t block, mlir::TypeRange types) {
    return language::make_region(b, types, [&](const Values& given) {
      mlir::Block& old = call_.getMaps()[block].front();
      mlir::IRMapping mapping;
      bind_point(old, given, mapping);
      sizes_.copy_ops(old, own_sizes_, mapping);
      Values numbers;
      for (Value number : old.getTerminator()->getOperands())
        numbers.push_back(mapping.lookup(number));
      if (rows_[block])
        numbers[0] = language::integer_constant(b, 0, DType::i32);
      return numbers;
    });
  }
  std::unique_ptr<mlir::Region> whole_map(const ir::BlockSpec& spec, mlir::TypeRange types) {
    return language::make_region(b, types, [&](const Values&) {
      return Values(spec.dims.size(), language::integer_constant(b, 0, DType::i32));
    });
  }

  // The lists.

  /// The rows that blocks of an input have, as list of lists.
  Value blocks_of(size_t block) {
    const Rows& rows = *rows_[block];
    Value array = ir::blocked_array(call_, block);
    const Extent j0 = Extent::symbol("j0"), j1 = Extent::symbol("j1");
    return read(list_of_rows(array), ir::shape_of(array)[0], block, {count_, Extent(rows.size)},
                Extent(rows.step) * j0 + j1 + Extent(rows.start));
  }
  /// Elements of a list, whose length is `length`, at places; the pad value outside.
  Value read(Value list, const Extent& length, size_t block, Shape lengths, const Extent& place) {
    language::Access access{std::move(lengths), {place}};
    sizes_.name_sizes(access, length);
    Shape row = ir::shape_of(language::element_type(list));
    access.pad = language::full(b, row, language::make_constant(b, specs_[block].pad));
    return language::access(b, list, access);
  }
  /// The first rows of a list.
  Value trimmed(Value list, size_t result) {
    const Extent rows = ir::shape_of(call_.getResults()[result])[0];
    language::Access access{{rows}, {Extent::symbol("j0")}};
    sizes_.name_sizes(access, {});
    if (!covers(result)) // the others are as they were
      access.pad =
          language::full(b, ir::shape_of(language::element_type(list)),
                         language::make_constant(b, zero_of(b, language::element_type(list))));
    return language::access(b, list, access);
  }

  /// 0, 1, ... for the points along the axis.
  Value positions() {
    Value zero = language::full(b, {Extent(1)}, language::integer_constant(b, 0, DType::i64));
    language::Access access{{count_}, {Extent(0)}};
    sizes_.name_sizes(access, {});
    return language::list_positions(b, language::access(b, language::pack(b, zero, {}), access));
  }

  bool uses_coordinate() { return !point_->front().getArgument(0).use_empty(); }

  /// A list of rows as one tensor.
  Value stacked(Value rows, const Extent& count) {
    Value tensor = language::unpack(b, rows, {sizes_.new_symbol()})[0];
    Shape shape = ir::shape_of(tensor);
    shape[0] = count;
    return language::with_shape(b, tensor, shape);
  }

  struct Lists {
    Values lists;
    std::optional<size_t> positions; ///< their number
    std::vector<std::optional<size_t>> of_block;
  };
  Lists lists_of_blocks() {
    Lists result;
    for (size_t block = 0; block < inputs_; ++block) {
      result.of_block.emplace_back();
      if (!rows_[block])
        continue;
      result.of_block.back() = result.lists.size();
      result.lists.push_back(blocks_of(block));
    }
    if (uses_coordinate() || result.lists.empty()) {
      Value own = result.lists.empty() ? positions() : language::list_positions(b, result.lists[0]);
      result.positions = result.lists.size();
      result.lists.push_back(own);
    }
    return result;
  }

  /// The arguments of the function of a point, of elements of the lists.
  Values arguments_of(const Lists& lists, llvm::ArrayRef<Value> elements, const Values& states) {
    Values arguments;
    arguments.push_back(lists.positions ? language::cast(b, elements[*lists.positions], DType::i32)
                                        : language::integer_constant(b, 0, DType::i32));
    auto state = states.begin();
    for (auto [number, input] : llvm::enumerate(call_.getInputs())) {
      const size_t block = number - prefetched_;
      if (number >= prefetched_ && rows_[block])
        arguments.push_back(stacked(elements[*lists.of_block[block]], Extent(rows_[block]->size)));
      else if (is_scan_ && llvm::is_contained(call_.getAliases(), static_cast<int64_t>(number)))
        arguments.push_back(*state++);
      else
        arguments.push_back(input);
    }
    arguments.insert(arguments.end(), state, states.end());
    llvm::append_range(arguments, call_.getCaptures());
    llvm::append_range(arguments, sizes_.replaced_values());
    return arguments;
  }

  void map_blocks() {
    const Lists lists = lists_of_blocks();
    language::Body body =
        language::make_body(b, elements_of(lists.lists), [&](const Values& elements) {
          Values yields = language::inlined(b, *point_, arguments_of(lists, elements, {}));
          for (Value& yield : yields)
            yield = language::pack(b, yield, {});
          return yields;
        });
    Values made = language::list_map(b, lists.lists, std::move(body));
    for (auto [result, blocks] : llvm::enumerate(made))
      set_rows(result, trimmed(language::list_flatten(b, blocks), result));
  }

  static llvm::SmallVector<mlir::Type> elements_of(const Values& lists) {
    llvm::SmallVector<mlir::Type> types;
    for (Value list : lists)
      types.push_back(language::element_type(list));
    return types;
  }

  void scan() {
    const Lists lists = lists_of_blocks();
    const size_t results = call_.getResults().size();
    Values inits; // aliased inputs, other results, scratch arrays; then the blocks of results
    std::vector<size_t> given; // by state, the number of the value that the function gives
    for (auto [number, input] : llvm::enumerate(call_.getInputs()))
      if (auto* result = llvm::find(call_.getAliases(), static_cast<int64_t>(number));
          result != call_.getAliases().end() && !rows_[inputs_ + index_of(result)]) {
        inits.push_back(input);
        given.push_back(index_of(result));
      }
    for (size_t result = 0; result < results; ++result)
      if (is_added(result)) {
        inits.push_back(unwritten(b, call_.getResults()[result].getType(), false));
        given.push_back(result);
      }
    for (size_t number = 0, carried = results; number < is_carried_.size(); ++number)
      if (is_carried_[number]) {
        inits.push_back(unwritten(b, scratch_type(number), false));
        given.push_back(carried++);
      }
    const size_t read = inits.size();
    for (size_t result = 0; result < results; ++result)
      if (rows_[inputs_ + result]) {
        inits.push_back(unwritten(b, block_type(inputs_ + result), false));
        given.push_back(result);
      }
    llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
    llvm::append_range(types, elements_of(lists.lists));
    language::Body body = language::make_body(b, types, [&](const Values& arguments) {
      Values states(arguments.begin(), arguments.begin() + static_cast<int64_t>(read));
      Values all = language::inlined(
          b, *point_,
          arguments_of(lists, llvm::ArrayRef(arguments).drop_front(inits.size()), states));
      Values next;
      for (size_t number : given)
        next.push_back(all[number]);
      return next;
    });
    Values made = language::list_scan(b, inits, lists.lists, {}, std::move(body));
    for (auto [state, number] : llvm::enumerate(given)) {
      if (number >= results)
        continue;
      if (!rows_[inputs_ + number])
        call_.getResults()[number].replaceAllUsesWith(made[state]);
      else
        set_rows(number,
                 trimmed(language::list_flatten(b, as_lists(made[inits.size() + state])), number));
    }
  }
  size_t index_of(const int64_t* alias) {
    return static_cast<size_t>(alias - call_.getAliases().begin());
  }

  /// A list of arrays as list of lists of their rows.
  Value as_lists(Value arrays) {
    language::Body body;
    body.region =
        language::make_region(b, {language::element_type(arrays)}, [&](const Values& elements) {
          return Values{language::pack(b, elements[0], {})};
        });
    return language::list_map(b, {arrays}, std::move(body))[0];
  }

  /// The function of a point for blocks of which a result has one row; null where rows need others.
  std::unique_ptr<mlir::Region> of_one_row() {
    if (uses_coordinate() || !computes_values(*point_) ||
        llvm::none_of(llvm::ArrayRef(rows_).take_front(inputs_),
                      [](const auto& rows) { return rows.has_value(); }))
      return nullptr;
    std::optional<int64_t> size;
    for (size_t block = 0; block < specs_.size(); ++block)
      if (rows_[block] && size.value_or(rows_[block]->step) != rows_[block]->step)
        return nullptr;
      else if (rows_[block])
        size = rows_[block]->step;
    const Extent count = ir::shape_of(call_.getResults()[0])[0];
    for (size_t result = 0; result < call_.getResults().size(); ++result)
      if (!covers(result) || !(ir::shape_of(call_.getResults()[result])[0] == count))
        return nullptr;
    WideDims dims{std::vector<std::optional<int64_t>>(point_->front().getNumArguments()),
                  std::vector<std::optional<int64_t>>(call_.getResults().size(), 0),
                  Extent(1 - *size)};
    for (size_t block = 0; block < inputs_; ++block)
      if (rows_[block])
        dims.arguments[1 + prefetched_ + block] = 0;
    return widened(b, *point_, dims);
  }

  void map_rows(mlir::Region& point) {
    const Extent count = ir::shape_of(call_.getResults()[0])[0], j0 = Extent::symbol("j0"),
                 j1 = Extent::symbol("j1");
    Lists lists;
    for (size_t block = 0; block < inputs_; ++block) {
      lists.of_block.emplace_back();
      if (!rows_[block])
        continue;
      lists.of_block.back() = lists.lists.size();
      const Rows& rows = *rows_[block];
      Value array = ir::blocked_array(call_, block), list = list_of_rows(array);
      const Extent length = ir::shape_of(array)[0], window(rows.size - rows.step + 1);
      if (!(window == Extent(1)))
        list = read(list, length, block, {count, window}, j0 + j1 + Extent(rows.start));
      else if (!(length == count) || rows.start != 0)
        list = read(list, length, block, {count}, j0 + Extent(rows.start));
      lists.lists.push_back(list);
    }
    language::Body body =
        language::make_body(b, elements_of(lists.lists), [&](const Values& elements) {
          Values arguments{language::integer_constant(b, 0, DType::i32)};
          for (auto [number, input] : llvm::enumerate(call_.getInputs())) {
            const size_t block = number - prefetched_;
            if (number < prefetched_ || !rows_[block]) {
              arguments.push_back(input);
              continue;
            }
            Value element = elements[*lists.of_block[block]];
            arguments.push_back(
                llvm::isa<ir::ListType>(element.getType())
                    ? stacked(element, Extent(rows_[block]->size - rows_[block]->step + 1))
                    : as_row(element));
          }
          llvm::append_range(arguments, call_.getCaptures());
          llvm::append_range(arguments, sizes_.replaced_values());
          Values yields = language::inlined(b, point, arguments);
          for (Value& yield : yields)
            yield = without_first(yield);
          return yields;
        });
    Values made = language::list_map(b, lists.lists, std::move(body));
    for (auto [result, rows] : llvm::enumerate(made))
      set_rows(result, rows);
  }
  Value as_row(Value element) {
    Shape shape = ir::shape_of(element);
    shape.insert(shape.begin(), Extent(1));
    return language::with_shape(b, element, shape);
  }
  Value without_first(Value row) {
    Shape shape = ir::shape_of(row);
    shape.erase(shape.begin());
    return language::with_shape(b, row, shape);
  }

  /// A list has the rows of a result.
  void set_rows(size_t number, Value list) {
    Value result = call_.getResults()[number];
    for (mlir::Operation* user : llvm::make_early_inc_range(result.getUsers()))
      if (auto pack = llvm::dyn_cast<ir::PackOp>(user); pack && pack.getOffsets().empty()) {
        pack.getResult().replaceAllUsesWith(list);
        pack.erase();
      }
    if (!result.use_empty())
      result.replaceAllUsesWith(stacked(list, ir::shape_of(result)[0]));
  }

  Builder& b;
  ir::KernelCallOp call_;
  SizesOfInstances sizes_;
  std::vector<ir::BlockSpec> specs_;
  const size_t rank_, prefetched_, inputs_; ///< axes, arrays, and blocks of others
  size_t axis_ = 0;                         ///< whose extent differs
  Extent count_;                            ///< of its points
  std::vector<std::optional<Rows>> rows_;   ///< by block
  std::vector<bool> is_carried_; ///< by scratch array: from point to point along the axis
  bool is_scan_ = false;
  Values own_sizes_; ///< in the body that is being made
  std::unique_ptr<mlir::Region> point_;
};

} // namespace

bool over_listed_blocks(Builder& b, ir::KernelCallOp call, const Axes& axes,
                        const ConvertCall& convert, std::string* how) {
  try {
    *how = ListedBlocks(b, call, axes).run(convert);
  } catch (const Refusal& refusal) {
    *how = refusal.why.empty() ? "" : "loops over its grid, as " + refusal.why;
    return false;
  }
  Values inputs(call.getInputs().begin(), call.getInputs().end());
  call.erase();
  for (Value input : inputs) // a name of an extent
    if (auto reshape = input.getDefiningOp<ir::ReshapeOp>(); reshape && reshape.use_empty())
      reshape.erase();
  return true;
}

} // namespace kolam::transform::kernels
