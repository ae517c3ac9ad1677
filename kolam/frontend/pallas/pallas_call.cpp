// Records calls of kernels: the body over Refs of blocks, and the map of each block.
#include "kolam/frontend/pallas/pallas_call.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/interp/convert.h"
#include "kolam/interp/literal.h"
#include "kolam/ir/block_spec.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/location.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"

namespace kolam::pallas {
namespace {

/// Where a kernel or a map is being traced.
struct Point {
  const Shape& grid;
  std::vector<Tensor> coordinates;
};
thread_local std::vector<Point> points;

struct AtPoint {
  AtPoint(const Shape& grid, std::vector<Tensor> coordinates) {
    points.push_back({grid, std::move(coordinates)});
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

class Recorder {
public:
  Recorder(Trace& trace, const Call& call,
           const std::function<void(const std::vector<Ref>&)>& kernel,
           const language::Values& inputs)
      : trace_(trace), b_(trace.builder()), call_(call), kernel_(kernel), inputs_(inputs),
        prefetched_(static_cast<size_t>(call.num_scalar_prefetch)) {}

  language::Values record() {
    require_counts();
    for (size_t i = prefetched_; i < inputs_.size(); ++i)
      add_spec(call_.in_specs.empty() ? BlockSpec() : call_.in_specs[i - prefetched_],
               ir::dtype_of(inputs_[i]), ir::shape_of(inputs_[i]), input_name(i));
    for (auto [i, out] : llvm::enumerate(call_.out_shape))
      add_spec(call_.out_specs.empty() ? BlockSpec() : call_.out_specs[i], out.dtype, out.shape,
               "outputs[" + std::to_string(i) + "]");
    std::vector<language::Body> bodies; // of the maps, then of the kernel
    for (size_t i = 0; i < specs_.size(); ++i)
      bodies.push_back(record_map(i));
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
      fail_kernel("argument 'num_scalar_prefetch': expected at most " +
                  std::to_string(inputs_.size()) + ", but got " + std::to_string(prefetched_));
    require("in_specs", call_.in_specs.size(), blocked);
    require("out_specs", call_.out_specs.size(), call_.out_shape.size());
    require("dimension_semantics", call_.dimension_semantics.size(), call_.grid.size());
    for (const std::string& word : call_.dimension_semantics)
      if (word != "parallel" && word != "arbitrary")
        fail_kernel(
            "argument 'dimension_semantics': expected 'parallel' or 'arbitrary', but got '" + word +
            "'");
    for (const Extent& extent : call_.grid)
      if (extent.constant().value_or(0) < 0 ||
          extent.constant().value_or(0) > std::numeric_limits<int32_t>::max())
        fail_kernel("argument 'grid': expected extents from 0 to 2147483647, but got " +
                    extent.to_string());
    for (auto [input, output] : call_.input_output_aliases) {
      std::string pair = "argument 'input_output_aliases' contains the mapping '" +
                         std::to_string(input) + ":" + std::to_string(output) + "' ";
      if (input < 0 || input >= static_cast<int64_t>(inputs_.size()))
        fail_kernel(pair + "with input index " + std::to_string(input) + " outside the range [0, " +
                    std::to_string(inputs_.size()) + ")");
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
    }
  }

  void add_spec(const BlockSpec& given, DType dtype, const Shape& array, const std::string& who) {
    ir::BlockSpec spec;
    if (given.block_shape) {
      if (given.block_shape->size() != array.size())
        fail_kernel("Block shape for " + who + " of " + std::to_string(given.block_shape->size()) +
                    " dims must have the same number of dimensions as the array shape " +
                    to_string(array));
      for (const BlockDim& dim : *given.block_shape) {
        if (dim.size.constant().value_or(1) < 1)
          fail_kernel("Block shape for " + who + ": expected sizes of at least 1, but got " +
                      dim.size.to_string());
        spec.dims.push_back({static_cast<ir::BlockKind>(dim.kind), dim.size, dim.low, dim.high});
      }
    } else {
      for (const Extent& extent : array)
        spec.dims.push_back({ir::BlockKind::blocked, extent, 0, 0});
    }
    Array pad = std::visit(
        [&](const auto& number) -> Array {
          using T = std::decay_t<decltype(number)>;
          if constexpr (std::is_same_v<T, Tensor>)
            return number.array();
          else if constexpr (std::is_same_v<T, Extent>)
            fail_kernel("argument 'pad': expected a number, but got an extent");
          else
            return Array::scalar(number);
        },
        given.pad.value());
    spec.pad = interp::to_literal(interp::convert(pad, dtype), b_.getContext());
    specs_.push_back(spec);
    maps_.push_back(given.index_map);
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

  language::Body record_kernel() {
    llvm::SmallVector<mlir::Type> types = point_types();
    llvm::append_range(types, types_);
    for (const TensorSpec& scratch : call_.scratch_shapes)
      types.push_back(ir::RefType::get(language::tensor_type(b_, scratch.dtype, scratch.shape)));
    const size_t rank = call_.grid.size();
    return body_of(trace_.region(types, [&](const std::vector<Tensor>& arguments) {
      AtPoint at(call_.grid, {arguments.begin(), arguments.begin() + static_cast<int64_t>(rank)});
      kernel_(refs_of(arguments, rank));
      return std::vector<Tensor>();
    }));
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

  language::Body record_map(size_t block) {
    const size_t rank = call_.grid.size(), dims = specs_[block].dims.size();
    return body_of(trace_.region(point_types(), [&](const std::vector<Tensor>& arguments) {
      if (!maps_[block])
        return std::vector<Tensor>(dims, Tensor(int32_t{0}));
      std::vector<Tensor> point(arguments.begin(), arguments.begin() + static_cast<int64_t>(rank));
      AtPoint at(call_.grid, point);
      std::vector<Tensor> numbers = maps_[block](point, refs_of(arguments, rank));
      if (numbers.size() != dims)
        fail_kernel("Index map function" + map_names_[block] + " for " + names_[block] +
                    " must return " + std::to_string(dims) +
                    " values to match its block shape. Currently returning " +
                    std::to_string(numbers.size()) + " values.");
      for (auto [number, value] : llvm::enumerate(numbers))
        if (value.rank() != 0 || !is_integer(value.dtype()))
          fail_kernel("Index map function" + map_names_[block] + " for " + names_[block] +
                      " must return integer scalars. Output[" + std::to_string(number) +
                      "] has type " + std::string(name(value.dtype())) + to_string(value.shape()));
      return numbers;
    }));
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
    auto op = ir::KernelCallOp::create(
        b_, results, call_.name, ir::ExtentsAttr::of(b_.getContext(), call_.grid), inputs_,
        captures, prefetched_, b_.getArrayAttr(blocks), b_.getArrayAttr(scratch), aliases,
        b_.getStrArrayAttr(semantics), static_cast<unsigned>(specs_.size()));
    op.getBody().takeBody(*bodies.back().region);
    for (size_t i = 0; i < specs_.size(); ++i)
      op.getMaps()[i].takeBody(*bodies[i].region);
    return {op.result_begin(), op.result_end()};
  }

  Trace& trace_;
  language::Builder& b_;
  const Call& call_;
  const std::function<void(const std::vector<Ref>&)>& kernel_;
  const language::Values& inputs_;
  size_t prefetched_;
  // By block: of the inputs that are not prefetched, then of the results.
  std::vector<ir::BlockSpec> specs_;
  std::vector<BlockSpec::Map> maps_;
  std::vector<std::string> names_, map_names_;
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

} // namespace

std::vector<Tensor> pallas_call(const std::function<void(const std::vector<Ref>&)>& kernel,
                                const Call& call, const std::vector<Operand>& inputs,
                                std::source_location here) {
  CallScope scope("pallas_call", detail::to_location(here));
  std::vector<Operand> apart;
  for (const Operand& input : inputs)
    apart.push_back(as_input(input));
  return apply_traced("pallas_call", apart, [&](Trace& trace, const language::Values& values) {
    return Recorder(trace, call, kernel, values).record();
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

void when(const Operand& condition, const std::function<void()>& body) {
  CallScope scope("when", condition.where());
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
