// Records calls of kernels: the body over Refs of blocks, and the map of each block.
#include "kolam/frontend/pallas/pallas_call.h"

#include "kolam/frontend/array/activation.h"
#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/opaque_call.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/interp/convert.h"
#include "kolam/interp/literal.h"
#include "kolam/ir/block_spec.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/location.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/composite.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/kernels/sense.h"

#include <cstring>
#include <map>

namespace kolam::pallas {
namespace {

/// Where a kernel or a map is being traced.
struct Point {
  const Shape& grid;
  const std::vector<std::string>& names; ///< of its axes
  std::vector<Tensor> coordinates;
  bool checks;
};
thread_local std::vector<Point> points;

struct AtPoint {
  AtPoint(const Shape& grid, const std::vector<std::string>& names, std::vector<Tensor> coordinates,
          bool checks) {
    points.push_back({grid, names, std::move(coordinates), checks});
  }
  ~AtPoint() { points.pop_back(); }
  AtPoint(const AtPoint&) = delete;
  AtPoint& operator=(const AtPoint&) = delete;
};

const Point& current_point(int64_t& axis) {
  if (points.empty())
    fail(ErrorKind::value, "outside-kernel", "expected a call in a kernel, but got one outside");
  axis = language::normalize_axis(axis, static_cast<int64_t>(points.back().grid.size()));
  return points.back();
}

[[noreturn]] void fail_kernel(const std::string& message) {
  fail(ErrorKind::value, "bad-kernel", message);
}

/// The number of an axis of the grid by its name.
size_t named_axis(const std::string& name) {
  if (points.empty())
    fail(ErrorKind::value, "outside-kernel", "expected a call in a kernel, but got one outside");
  const std::vector<std::string>& names = points.back().names;
  const auto found = llvm::find(names, name);
  if (found != names.end())
    return static_cast<size_t>(found - names.begin());
  std::string known;
  for (const std::string& own : names)
    known += (known.empty() ? "'" : ", '") + own + "'";
  const std::string hint =
      names.empty() ? "; name its axes: grid = ((\"i\", 4), ...), in C++ grid_names" : "";
  fail_kernel("expected one of the axes [" + known + "] of the grid, but got '" + name + "'" +
              hint);
}

class Recorder {
public:
  Recorder(Trace& trace, const Call& call,
           const std::function<void(const std::vector<Ref>&)>& kernel,
           const language::Values& inputs)
      : trace_(trace), b_(trace.builder()), call_(call), kernel_(kernel), inputs_(inputs),
        prefetched_(static_cast<size_t>(call.num_scalar_prefetch)) {}

  language::Values record() {
    require_counts();
    for (auto [axis, extent] : llvm::enumerate(call_.grid))
      grid_.push_back(extent_of(extent, axis));
    for (size_t i = prefetched_; i < inputs_.size(); ++i)
      add_spec(call_.in_specs.empty() ? BlockSpec() : call_.in_specs[i - prefetched_],
               ir::dtype_of(inputs_[i]), ir::shape_of(inputs_[i]), input_name(i));
    for (auto [i, out] : llvm::enumerate(call_.out_shape))
      add_spec(call_.out_specs.empty() ? BlockSpec() : call_.out_specs[i], out.dtype, out.shape,
               "outputs[" + std::to_string(i) + "]");
    std::vector<language::Body> bodies; // of the maps, then of the kernel
    for (size_t i = 0; i < specs_.size(); ++i) {
      bodies.push_back(record_map(i));
      require_pure(*bodies.back().region, i);
    }
    bodies.push_back(record_kernel());
    require_written(*bodies.back().region);
    language::Values captures = language::share_captures(bodies);
    for (mlir::Value capture : captures)
      if (ir::is_ref(capture))
        fail_kernel("expected a kernel that uses its own Refs, but got one that uses a Ref of the "
                    "kernel around it: pass its elements as an input");
    return make(std::move(bodies), captures);
  }

private:
  std::string input_name(size_t input) const {
    return input < call_.input_names.size() ? call_.input_names[input]
                                            : "args[" + std::to_string(input) + "]";
  }

  void require_counts() {
    const size_t blocked = inputs_.size() - std::min(prefetched_, inputs_.size());
    auto require = [](std::string_view what, size_t actual, size_t expected) {
      if (actual != 0 && actual != expected)
        fail_kernel("argument '" + std::string(what) + "': expected " + std::to_string(expected) +
                    ", one for each, but got " + std::to_string(actual));
    };
    if (prefetched_ > inputs_.size())
      fail_kernel("argument 'num_scalar_prefetch': expected a number of inputs, from 0 to " +
                  std::to_string(inputs_.size()) + ", but got " +
                  std::to_string(call_.num_scalar_prefetch));
    require("in_specs", call_.in_specs.size(), blocked);
    require("out_specs", call_.out_specs.size(), call_.out_shape.size());
    require("dimension_semantics", call_.dimension_semantics.size(), call_.grid.size());
    require("grid_names", call_.grid_names.size(), call_.grid.size());
    if (call_.cost_estimate)
      for (int64_t count : {call_.cost_estimate->flops, call_.cost_estimate->transcendentals,
                            call_.cost_estimate->bytes_accessed})
        if (count < 0)
          fail_kernel("argument 'cost_estimate': expected counts of at least 0, but got " +
                      std::to_string(count));
    for (const std::string& word : call_.dimension_semantics)
      if (word != "parallel" && word != "arbitrary")
        fail_kernel(
            "argument 'dimension_semantics': expected 'parallel' or 'arbitrary', but got '" + word +
            "'");
    if (call_.interpret && call_.interpret->order != "given" &&
        call_.interpret->order != "reversed" && call_.interpret->order != "random")
      fail_kernel(
          "argument 'interpret': expected order 'given', 'reversed' or 'random', but got '" +
          call_.interpret->order + "'");
    std::map<int64_t, int64_t> inputs_of; // by output
    for (auto [input, output] : call_.input_output_aliases) {
      std::string pair = "argument 'input_output_aliases' contains the mapping '" +
                         std::to_string(input) + ":" + std::to_string(output) + "' ";
      if (input < 0 || input >= static_cast<int64_t>(inputs_.size()))
        fail_kernel(pair + "with input index " + std::to_string(input) + " outside the range [0, " +
                    std::to_string(inputs_.size()) + "); inputs count with the prefetched ones");
      if (output < 0 || output >= static_cast<int64_t>(call_.out_shape.size()))
        fail_kernel(pair + "with output index " + std::to_string(output) +
                    " outside the range [0, " + std::to_string(call_.out_shape.size()) + ")");
      const TensorSpec& out = call_.out_shape[static_cast<size_t>(output)];
      mlir::Value in = inputs_[static_cast<size_t>(input)];
      if (ir::dtype_of(in) != out.dtype || ir::shape_of(in) != out.shape)
        fail_kernel(pair + "referring to input[" + std::to_string(input) +
                    "] with abstract value " + language::describe(in) + " and to output[" +
                    std::to_string(output) + "] with a different abstract value " +
                    std::string(name(out.dtype)) + to_string(out.shape));
      if (auto [other, is_new] = inputs_of.emplace(output, input); !is_new)
        fail_kernel(pair + "beside '" + std::to_string(other->second) + ":" +
                    std::to_string(output) +
                    "', but a result is the memory of one input: leave one of them out");
    }
  }

  /// The extent of an axis; of a scalar of the program that of a new symbol.
  Extent extent_of(const Operand& given, size_t axis) {
    auto fail_extent = [&](const std::string& actual) {
      fail_kernel("argument 'grid': expected extents from 0 to 2147483647 and integer scalars, but "
                  "got " +
                  actual + " for axis " + std::to_string(axis));
    };
    auto number = [&](int64_t extent) {
      if (extent < 0 || extent > std::numeric_limits<int32_t>::max())
        fail_extent(std::to_string(extent));
      return Extent(extent);
    };
    if (const auto* constant = std::get_if<int64_t>(&given.value()))
      return number(*constant);
    if (const auto* extent = std::get_if<Extent>(&given.value()))
      return extent->constant() ? number(*extent->constant()) : *extent;
    const auto* tensor = std::get_if<Tensor>(&given.value());
    if (!tensor || tensor->rank() != 0 || !is_integer(tensor->dtype())) {
      fail_extent(tensor ? std::string(name(tensor->dtype())) + to_string(tensor->shape())
                         : "a number that is no integer");
      return {};
    }
    Tensor count = astype(*tensor, DType::i64);
    if (!count.is_traced())
      return number(count.array().values<int64_t>()[0]);
    Extent symbol = Extent::symbol(trace_.new_symbol());
    ir::BindExtentOp::create(b_,
                             trace_.value_of(clip(count, 0, std::numeric_limits<int32_t>::max())),
                             *symbol.as_symbol());
    return symbol;
  }

  /// A number that the dtype holds.
  static Array pad_of(const Operand& given, DType dtype, const std::string& who) {
    auto fail_pad = [&](const std::string& actual) {
      fail_kernel("argument 'pad' of the BlockSpec for " + who + ": expected a number that " +
                  std::string(name(dtype)) + " holds, but got " + actual);
    };
    Array pad = std::visit(
        [&](const auto& number) -> Array {
          using T = std::decay_t<decltype(number)>;
          if constexpr (std::is_same_v<T, Tensor>) {
            if (number.is_traced() || number.rank() != 0)
              fail_pad((number.is_traced() ? "a traced " : "") + std::string(name(number.dtype())) +
                       to_string(number.shape()));
            return number.array();
          } else if constexpr (std::is_same_v<T, Extent>) {
            fail_pad("an extent");
            return {};
          } else {
            return Array::scalar(number);
          }
        },
        given.value());
    Array own = interp::convert(pad, dtype), back = interp::convert(own, pad.dtype());
    if (!is_float(dtype) &&
        std::memcmp(back.data(), pad.data(), static_cast<size_t>(byte_width(pad.dtype()))) != 0)
      fail_pad("one of " + std::string(name(pad.dtype())) + " that it does not");
    return own;
  }

  void add_spec(const BlockSpec& given, DType dtype, const Shape& array, const std::string& who) {
    ir::BlockSpec spec;
    if (given.block_shape) {
      if (given.block_shape->size() != array.size())
        fail_kernel("Block shape for " + who + " of " + std::to_string(given.block_shape->size()) +
                    " dims must have the same number of dimensions as the array shape " +
                    to_string(array) + "; write a size for each, None to drop a dim of 1");
      for (const BlockDim& dim : *given.block_shape) {
        const bool is_empty = dim.size == Extent(0) && array[spec.dims.size()] == Extent(0);
        if (dim.size.constant().value_or(1) < 1 && !is_empty)
          fail_kernel("Block shape for " + who + ": expected sizes of at least 1, but got " +
                      dim.size.to_string());
        if (dim.low < 0 || dim.high < 0)
          fail_kernel("Block shape for " + who + ": expected padding of at least 0, but got (" +
                      std::to_string(dim.low) + ", " + std::to_string(dim.high) + ")");
        if (is_chosen(dim)) // a view of all elements along the dim
          spec.dims.push_back({ir::BlockKind::blocked, array[spec.dims.size()], 0, 0});
        else
          spec.dims.push_back({static_cast<ir::BlockKind>(dim.kind), dim.size, dim.low, dim.high});
      }
    } else {
      for (const Extent& extent : array)
        spec.dims.push_back({ir::BlockKind::blocked, extent, 0, 0});
    }
    spec.is_padded = given.pad.has_value();
    spec.pad =
        interp::to_literal(pad_of(given.pad.value_or(Operand(0)), dtype, who), b_.getContext());
    specs_.push_back(spec);
    maps_.push_back(given.index_map);
    given_.push_back(given.block_shape);
    arrays_.push_back(array);
    names_.push_back(who);
    map_names_.push_back(given.map_name.empty() ? "" : " " + given.map_name);
    types_.push_back(ir::RefType::get(language::tensor_type(b_, dtype, spec.ref_shape())));
  }

  llvm::SmallVector<mlir::Type> point_types() {
    llvm::SmallVector<mlir::Type> types(call_.grid.size(),
                                        language::tensor_type(b_, DType::i32, {}));
    for (size_t i = 0; i < prefetched_; ++i)
      types.push_back(ir::RefType::get(llvm::cast<mlir::RankedTensorType>(inputs_[i].getType())));
    return types;
  }

  static std::vector<Ref> refs_of(const std::vector<Tensor>& arguments, size_t first) {
    std::vector<Ref> refs;
    for (size_t i = first; i < arguments.size(); ++i)
      refs.emplace_back(arguments[i]);
    return refs;
  }

  static language::Body body_of(Trace::Region region) {
    return {std::move(region.region), {region.captures.begin(), region.captures.end()}};
  }

  /// Where a map is asked: the coordinates, and the prefetched inputs.
  struct Asked {
    std::vector<Tensor> coordinates;
    std::vector<Ref> prefetched;
  };

  static bool is_chosen(const BlockDim& dim) {
    return dim.kind == BlockDim::Kind::bounded || dim.kind == BlockDim::Kind::indirect;
  }

  /// What the kernel gets of a block: the elements that its chosen dims name, and its valid shape.
  Ref block_of(Ref ref, size_t block, const Asked& point) {
    if (!given_[block] || !maps_[block])
      return ref;
    const std::vector<BlockDim>& dims = *given_[block];
    if (llvm::any_of(dims, is_chosen)) {
      std::vector<Tensor> numbers = maps_[block](point.coordinates, point.prefetched);
      int64_t own = 0; // among the dims of the Ref
      for (size_t dim = 0; dim < dims.size(); ++dim) {
        if (is_chosen(dims[dim])) {
          std::vector<RefIndex> index(static_cast<size_t>(own), Slice());
          index.emplace_back(places_of(numbers[dim], dims[dim], arrays_[block][dim]));
          ref = ref.at(index);
        }
        own += dims[dim].kind == BlockDim::Kind::squeezed ? 0 : 1;
      }
    }
    return Ref(ref.handle(), [this, block, point] { return valid_shape(block, point); });
  }

  /// The places along a chosen dim; those that are none lie outside.
  static Tensor places_of(const Tensor& chosen, const BlockDim& dim, const Extent& extent) {
    if (dim.kind == BlockDim::Kind::indirect)
      return chosen;
    Tensor i = arange(dim.size, DType::i32);
    return where(i < index(chosen, {1}), i + index(chosen, {0}),
                 astype(kolam::extent(extent), DType::i32));
  }

  std::vector<Operand> valid_shape(size_t block, const Asked& point) {
    std::vector<Tensor> numbers = maps_[block](point.coordinates, point.prefetched);
    std::vector<Operand> valid;
    for (auto [dim, number, extent] : llvm::zip(*given_[block], numbers, arrays_[block])) {
      using Kind = BlockDim::Kind;
      if (dim.kind == Kind::squeezed)
        continue;
      auto count = extent.constant(), size = dim.size.constant();
      if (dim.kind == Kind::indirect ||
          (dim.kind == Kind::blocked && count && size && *count % *size == 0)) {
        valid.emplace_back(dim.size);
        continue;
      }
      Tensor all = astype(kolam::extent(extent), DType::i32);
      Tensor most = astype(kolam::extent(dim.size), DType::i32);
      if (dim.kind == Kind::bounded) {
        valid.emplace_back(clip(index(number, {1}), 0, most));
        continue;
      }
      Tensor start = dim.kind == Kind::element ? number - dim.low : number * most;
      Tensor end = minimum(start + most, all);
      valid.emplace_back(maximum(end - maximum(start, 0), 0));
    }
    return valid;
  }

  language::Body record_kernel() {
    llvm::SmallVector<mlir::Type> types = point_types();
    llvm::append_range(types, types_);
    for (const TensorSpec& scratch : call_.scratch_shapes)
      types.push_back(ir::RefType::get(language::tensor_type(b_, scratch.dtype, scratch.shape)));
    const size_t rank = call_.grid.size();
    return body_of(trace_.region(types, [&](const std::vector<Tensor>& arguments) {
      Asked point{{arguments.begin(), arguments.begin() + static_cast<int64_t>(rank)}, {}};
      std::vector<Ref> refs = refs_of(arguments, rank);
      point.prefetched.assign(refs.begin(), refs.begin() + static_cast<int64_t>(prefetched_));
      AtPoint at(grid_, call_.grid_names, point.coordinates, call_.checks);
      for (size_t block = 0; block < specs_.size(); ++block)
        refs[prefetched_ + block] = block_of(refs[prefetched_ + block], block, point);
      kernel_(refs);
      return std::vector<Tensor>();
    }));
  }

  /// A map only reads the prefetched inputs.
  void require_pure(mlir::Region& map, size_t block) {
    map.walk([&](mlir::Operation* op) {
      if (!ir::written_ref(op))
        return;
      CallScope scope("store", ir::to_source_location(op->getLoc()));
      fail_kernel("Index map function" + map_names_[block] + " for " + names_[block] +
                  ": expected a function that only reads Refs, but got a write");
    });
  }

  /// Only results, scratch arrays and inputs that are the memory of a result are written.
  void require_written(mlir::Region& body) {
    const auto rank = static_cast<unsigned>(call_.grid.size());
    body.walk([&](mlir::Operation* op) {
      if (ir::facts_of(op).runs == ir::Runs::lists && llvm::any_of(op->getOperands(), ir::is_ref)) {
        CallScope scope(op->getName().stripDialect(), ir::to_source_location(op->getLoc()));
        fail_kernel(
            "expected a function of elements of lists that uses values, but got one that uses "
            "a Ref; read its elements before");
      }
      mlir::Value ref = ir::written_ref(op);
      if (!ref)
        return;
      if (ir::is_in_condition(op)) {
        CallScope scope("store", ir::to_source_location(op->getLoc()));
        fail_kernel("expected the condition of a loop to read Refs only, but got a write");
      }
      for (mlir::Value root : ir::roots_of(ref)) {
        auto argument = llvm::dyn_cast<mlir::BlockArgument>(root);
        if (!argument || argument.getOwner() != &body.front() || argument.getArgNumber() < rank)
          continue;
        auto input = static_cast<int64_t>(argument.getArgNumber() - rank);
        if (input >= static_cast<int64_t>(inputs_.size()) ||
            call_.input_output_aliases.contains(input))
          continue;
        CallScope scope("store", ir::to_source_location(op->getLoc()));
        fail_kernel("expected a Ref of a result, of a scratch array or of an input that "
                    "'input_output_aliases' names, but got that of " +
                    input_name(static_cast<size_t>(input)));
      }
    });
  }

  void require_chosen(const Tensor& value, const BlockDim& dim, size_t block) {
    const bool is_bounded = dim.kind == BlockDim::Kind::bounded;
    const Shape expected{is_bounded ? Extent(2) : dim.size};
    if (!is_integer(value.dtype()) || value.shape() != expected)
      fail_kernel("Index map function" + map_names_[block] + " for " + names_[block] +
                  " must return " + (is_bounded ? "ds(start, size)" : "an array of places") +
                  ", integers " + to_string(expected) + ", for this dim, but returned " +
                  std::string(name(value.dtype())) + to_string(value.shape()));
  }

  language::Body record_map(size_t block) {
    const size_t rank = call_.grid.size(), dims = specs_[block].dims.size();
    return body_of(trace_.region(point_types(), [&](const std::vector<Tensor>& arguments) {
      if (!maps_[block])
        return std::vector<Tensor>(dims, Tensor(int32_t{0}));
      std::vector<Tensor> point(arguments.begin(), arguments.begin() + static_cast<int64_t>(rank));
      AtPoint at(grid_, call_.grid_names, point, call_.checks);
      std::vector<Tensor> numbers = maps_[block](point, refs_of(arguments, rank));
      if (numbers.size() != dims)
        fail_kernel("Index map function" + map_names_[block] + " for " + names_[block] +
                    " must return " + std::to_string(dims) +
                    " values to match its block shape. Currently returning " +
                    std::to_string(numbers.size()) +
                    " values. Write the number of a block for each of its dims");
      for (auto [number, value] : llvm::enumerate(numbers)) {
        if (given_[block] && is_chosen((*given_[block])[number])) {
          require_chosen(value, (*given_[block])[number], block);
          value = Tensor(int32_t{0});
        }
        if (value.rank() != 0 || !is_integer(value.dtype()))
          fail_kernel("Index map function" + map_names_[block] + " for " + names_[block] +
                      " must return integer scalars. Output[" + std::to_string(number) +
                      "] has type " + std::string(name(value.dtype())) + to_string(value.shape()) +
                      (value.rank() != 0 ? "; write one number, or an Indirect dim"
                                         : "; write //, not /, or astype"));
      }
      return numbers;
    }));
  }

  /// How errors call the Refs of blocks and scratch arrays: the operand, and the parameter.
  llvm::SmallVector<llvm::StringRef> ref_names() {
    llvm::SmallVector<llvm::StringRef> words;
    for (size_t ref = 0; ref < specs_.size() + call_.scratch_shapes.size(); ++ref) {
      std::string own = ref < specs_.size()
                            ? names_[ref]
                            : "scratch[" + std::to_string(ref - specs_.size()) + "]";
      const size_t parameter = prefetched_ + ref;
      if (parameter < call_.ref_names.size() && !call_.ref_names[parameter].empty())
        own += " '" + call_.ref_names[parameter] + "'";
      words_.push_back(own);
    }
    for (const std::string& word : words_)
      words.push_back(word);
    return words;
  }

  language::Values make(std::vector<language::Body> bodies, const language::Values& captures) {
    llvm::SmallVector<mlir::Type> results;
    for (const TensorSpec& out : call_.out_shape)
      results.push_back(language::tensor_type(b_, out.dtype, out.shape));
    llvm::SmallVector<mlir::Attribute> blocks, scratch;
    for (const ir::BlockSpec& spec : specs_)
      blocks.push_back(spec.to_attr(b_.getContext()));
    for (const TensorSpec& spec : call_.scratch_shapes)
      scratch.push_back(mlir::TypeAttr::get(language::tensor_type(b_, spec.dtype, spec.shape)));
    llvm::SmallVector<int64_t> aliases(results.size(), -1);
    for (auto [input, output] : call_.input_output_aliases)
      aliases[static_cast<size_t>(output)] = input;
    llvm::SmallVector<llvm::StringRef> semantics(call_.dimension_semantics.begin(),
                                                 call_.dimension_semantics.end());
    mlir::DenseI64ArrayAttr cost;
    if (const auto& own = call_.cost_estimate)
      cost = b_.getDenseI64ArrayAttr({own->flops, own->transcendentals, own->bytes_accessed});
    auto op = ir::KernelCallOp::create(
        b_, results, call_.name, ir::ExtentsAttr::of(b_.getContext(), grid_), inputs_, captures,
        prefetched_, b_.getArrayAttr(blocks), b_.getArrayAttr(scratch), aliases,
        b_.getStrArrayAttr(semantics), call_.checks,
        call_.interpret ? b_.getStringAttr(call_.interpret->order) : mlir::StringAttr(),
        call_.interpret ? b_.getI64IntegerAttr(call_.interpret->random_seed) : mlir::IntegerAttr(),
        b_.getStrArrayAttr(ref_names()), cost, static_cast<unsigned>(specs_.size()));
    op.getBody().takeBody(*bodies.back().region);
    for (size_t i = 0; i < specs_.size(); ++i)
      op.getMaps()[i].takeBody(*bodies[i].region);
    transform::kernels::require_sensible(op);
    return {op.result_begin(), op.result_end()};
  }

  Trace& trace_;
  language::Builder& b_;
  const Call& call_;
  const std::function<void(const std::vector<Ref>&)>& kernel_;
  const language::Values& inputs_;
  size_t prefetched_;
  Shape grid_;
  std::vector<std::string> words_; ///< that ref_names refer to
  // By block: of the inputs that are not prefetched, then of the results.
  std::vector<ir::BlockSpec> specs_;
  std::vector<BlockSpec::Map> maps_;
  std::vector<std::string> names_, map_names_;
  std::vector<std::optional<std::vector<BlockDim>>> given_;
  std::vector<Shape> arrays_;
  std::vector<mlir::Type> types_;
};

/// An input: of a number an array of rank 0.
Operand as_input(const Operand& input) {
  return std::visit(
      [&](const auto& number) -> Operand {
        using T = std::decay_t<decltype(number)>;
        if constexpr (std::is_same_v<T, Tensor>)
          return input.apart();
        else if constexpr (std::is_same_v<T, Extent>)
          fail_kernel("expected arrays and numbers as inputs, but got an extent");
        else if constexpr (std::is_same_v<T, double>)
          return Array::scalar(static_cast<float>(number));
        else if constexpr (std::is_same_v<T, int64_t>)
          return language::fits(number, DType::i32)
                     ? Operand(Array::scalar(static_cast<int32_t>(number)))
                     : Operand(Array::scalar(number));
        else
          return Array::scalar(number);
      },
      input.value());
}

using Kernel = std::function<void(const std::vector<Ref>&)>;

std::vector<Tensor> record(const Kernel& kernel, const Call& call,
                           const std::vector<Operand>& inputs) {
  return apply_traced("pallas_call", inputs, [&](Trace& trace, const language::Values& values) {
    return Recorder(trace, call, kernel, values).record();
  });
}

/// A program of the call alone, which the interpreter runs.
std::vector<Tensor> interpreted(const Kernel& kernel, const Call& call,
                                const std::vector<Operand>& inputs) {
  std::vector<TensorSpec> specs;
  std::vector<Operand> operands;
  for (const Operand& input : inputs) {
    const auto& tensor = std::get<Tensor>(input.value());
    specs.push_back({tensor.dtype(), tensor.shape()});
    operands.push_back(input);
  }
  Program program = trace(specs, [&](const std::vector<Tensor>& arguments) {
    return record(kernel, call, {arguments.begin(), arguments.end()});
  });
  auto run = [program](std::vector<Array> arrays) {
    arrays.insert(arrays.end(), program.captured().begin(), program.captured().end());
    return program.run(std::move(arrays), Backend::interpret);
  };
  if (Trace::current())
    return opaque_call(HostFunction([run](std::span<const Array> arrays) {
                         return run({arrays.begin(), arrays.end()});
                       }),
                       operands, call.out_shape);
  std::vector<Array> arrays;
  for (const Operand& input : inputs)
    arrays.push_back(std::get<Tensor>(input.value()).array());
  std::vector<Tensor> results;
  for (Array& result : run(std::move(arrays)))
    results.emplace_back(std::move(result));
  return results;
}

} // namespace

std::vector<Tensor> pallas_call(const std::function<void(const std::vector<Ref>&)>& kernel,
                                const Call& call, const std::vector<Operand>& inputs,
                                std::source_location here) {
  CallScope scope("pallas_call", detail::to_location(here));
  std::vector<Operand> apart;
  for (const Operand& input : inputs)
    apart.push_back(as_input(input));
  // What is differentiated is a part of the program, not a host function that runs it.
  const bool is_interpreted = call.interpret && !language::KeepComposites::keeps();
  return is_interpreted ? interpreted(kernel, call, apart) : record(kernel, call, apart);
}

void debug_check(const Operand& condition, const std::string& message) {
  CallScope scope("debug_check", condition.where());
  Trace* trace = Trace::current();
  if (points.empty() || !trace)
    fail(ErrorKind::value, "outside-kernel", "expected a call in a kernel, but got one outside");
  if (!points.back().checks)
    return;
  apply_traced("debug_check", std::vector<Operand>{condition},
               [&](Trace& inner, const language::Values& values) {
                 if (ir::dtype_of(values[0]) != DType::boolean)
                   fail(ErrorKind::type, "dtype-mismatch",
                        "argument 'condition': expected booleans, but got " +
                            language::describe(values[0]));
                 language::check(inner.builder(), values[0], "debug-check", message);
                 return language::Values{};
               });
}

Tensor program_id(int64_t axis, std::source_location here) {
  CallScope scope("program_id", detail::to_location(here));
  const Point& point = current_point(axis);
  return point.coordinates[static_cast<size_t>(axis)];
}

Extent num_programs(int64_t axis, std::source_location here) {
  CallScope scope("num_programs", detail::to_location(here));
  const Point& point = current_point(axis);
  return point.grid[static_cast<size_t>(axis)];
}

Tensor axis_index(const std::string& axis_name, std::source_location here) {
  CallScope scope("axis_index", detail::to_location(here));
  const size_t axis = named_axis(axis_name);
  return points.back().coordinates[axis];
}

Extent axis_size(const std::string& axis_name, std::source_location here) {
  CallScope scope("axis_size", detail::to_location(here));
  const size_t axis = named_axis(axis_name);
  return points.back().grid[axis];
}

void when(const Operand& condition, const std::function<void()>& body) {
  CallScope scope("when", condition.where());
  const auto* given = std::get_if<Tensor>(&condition.value());
  if (given && (given->rank() != 0 || is_float(given->dtype())))
    fail(ErrorKind::value, "shape-mismatch",
         "argument 'condition': expected a boolean scalar, but got " +
             std::string(name(given->dtype())) + to_string(given->shape()) +
             "; reduce it with all or any");
  auto run = [&](const detail::Leaves&) {
    body();
    return detail::Flat{{}, ""};
  };
  auto skip = [](const detail::Leaves&) { return detail::Flat{{}, ""}; };
  detail::branch("cond", condition, {}, {skip, run});
}

void loop(const Operand& lower, const Operand& upper, const std::function<void(Tensor)>& body) {
  CallScope scope("loop", lower.where());
  detail::fori_loop(lower, upper, detail::FlatStart{{}, ""},
                    [&](const Tensor& i, const detail::Leaves&) {
                      body(i);
                      return detail::Flat{{}, ""};
                    });
}

void run_scoped(const std::vector<TensorSpec>& specs,
                const std::function<void(const std::vector<Ref>&)>& body,
                std::source_location here) {
  CallScope scope("run_scoped", detail::to_location(here));
  Trace* trace = Trace::current();
  if (!trace)
    fail(ErrorKind::value, "outside-kernel", "expected a call in a kernel, but got one outside");
  std::vector<Ref> refs;
  for (const TensorSpec& spec : specs) {
    language::Builder& b = trace->builder();
    refs.emplace_back(trace->wrap(ir::RefAllocOp::create(
        b, ir::RefType::get(language::tensor_type(b, spec.dtype, spec.shape)))));
  }
  body(refs);
}

} // namespace kolam::pallas
