// Takes the first axis of a grid off a call, and batches what the rest becomes.
#include "kolam/transform/kernels/instances.h"

#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/block_spec.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/region.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/attempt.h"
#include "kolam/transform/batch.h"
#include "kolam/transform/kernels/affine.h"
#include "kolam/transform/kernels/at_once.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::kernels {
namespace {

using language::Builder;
using language::Value;
using language::Values;

struct NoInstances {};

class Instances {
public:
  Instances(Builder& b, ir::KernelCallOp call)
      : b(b), call_(call), specs_(ir::block_specs(call)), prefetch_(call.getPrefetch()),
        inputs_(call.getInputs().size()), grid_(call.getGrid().shape()) {}

  Values run(const std::function<std::string(ir::KernelCallOp)>& convert, std::string* how) {
    for (size_t number = 0; number < prefetch_; ++number)
      own_dims_.push_back(is_sliced(number) ? std::optional<int64_t>(0) : std::nullopt);
    for (size_t block = 0; block < specs_.size(); ++block)
      own_dims_.push_back(own_dim(block));
    for (size_t result = inputs_; result < own_dims_.size(); ++result)
      if (!own_dims_[result])
        throw NoInstances();
    const auto points = static_cast<int64_t>(ir::rough_count({grid_[0]}));
    if (!why_surely_one_by_one(call_.getBody(), differing_arguments(), points).empty())
      throw NoInstances(); // before the smaller call is converted

    Values operands{language::iota(b, {grid_[0]}, 0, DType::i32)};
    std::vector<bool> differs{true};
    for (auto [number, input] : llvm::enumerate(call_.getInputs())) {
      differs.push_back(own_dims_[number].has_value());
      operands.push_back(differs.back() ? language::moveaxis(b, input, {*own_dims_[number]}, {0})
                                        : Value(input));
    }
    llvm::append_range(operands, call_.getCaptures());
    differs.resize(operands.size());
    llvm::SmallVector<mlir::Type> types;
    for (auto [operand, is_own] : llvm::zip(operands, differs))
      types.push_back(is_own ? mlir::Type(language::slice_type(b, operand)) : operand.getType());

    ir::KernelCallOp smaller;
    auto instance = language::make_region(b, types, [&](const Values& given) {
      smaller = call_of_instance(given);
      return Values(smaller->result_begin(), smaller->result_end());
    });
    *how = convert(smaller) + ", for all numbers of its first axis at once";
    if (!computes_values(*instance) || !why_one_by_one(*instance, differs, points).empty())
      throw NoInstances();
    std::vector<Batched> given;
    for (auto [operand, is_own] : llvm::zip(operands, differs))
      given.push_back({operand, is_own});
    std::string why;
    auto batched = batch_body(b, *instance, given, grid_[0], &why);
    if (!batched)
      throw NoInstances();
    Values results;
    for (auto [number, result] : llvm::enumerate(*batched)) {
      if (!result.is_each)
        throw NoInstances(); // nothing is written that depends on the instance
      results.push_back(language::moveaxis(b, result.value, {0}, {*own_dims_[inputs_ + number]}));
    }
    return results;
  }

private:
  mlir::Block& body() { return call_.getBody().front(); }
  Value coordinate_of(mlir::Block& block) { return block.getArgument(0); }

  /// The body's arguments that are others at other instances.
  std::vector<bool> differing_arguments() {
    std::vector<bool> differs(grid_.size(), false);
    differs[0] = true;
    for (const std::optional<int64_t>& dim : own_dims_)
      differs.push_back(dim.has_value());
    differs.resize(body().getNumArguments(), false);
    return differs;
  }

  /// The dim of a block's array that counts the instances: a squeezed one, whose number is the
  /// coordinate. None where all instances have the same blocks.
  std::optional<int64_t> own_dim(size_t block) {
    mlir::Block& map = call_.getMaps()[block].front();
    std::optional<int64_t> found;
    const Shape shape = ir::shape_of(ir::blocked_array(call_, block));
    for (auto [dim, number] : llvm::enumerate(map.getTerminator()->getOperands())) {
      auto place = affine_of(number, grid_.size());
      if (!place || place->factors[0] == 0)
        continue;
      const bool is_coordinate = place->offset == 0 && place->factors[0] == 1 &&
                                 llvm::all_of(llvm::ArrayRef(place->factors).drop_front(),
                                              [](int64_t factor) { return factor == 0; });
      if (found || !is_coordinate || specs_[block].dims[dim].kind != ir::BlockKind::squeezed ||
          !(shape[dim] == grid_[0]))
        throw NoInstances();
      found = static_cast<int64_t>(dim);
    }
    return found;
  }

  /// Whether all that a kernel and its maps see of a prefetched array is the row of the instance.
  bool is_sliced(size_t number) {
    auto rows_of = [&](mlir::Block& block) {
      Value ref = block.getArgument(static_cast<unsigned>(grid_.size() + number));
      return llvm::all_of(ref.getUsers(),
                          [&](mlir::Operation* user) { return is_row(user, block); });
    };
    const Shape shape = ir::shape_of(call_.getInputs()[number]);
    return !shape.empty() && shape[0] == grid_[0] && rows_of(body()) &&
           llvm::all_of(call_.getMaps(), [&](mlir::Region& map) { return rows_of(map.front()); });
  }

  /// Whether an op of a block takes the row of the instance from a Ref, of which views without that
  /// dim alone are used.
  bool is_row(mlir::Operation* op, mlir::Block& block) {
    auto slice = llvm::dyn_cast<ir::RefSliceOp>(op);
    if (!slice || slice->getBlock() != &block || slice.getStarts()[0] != coordinate_of(block))
      return false;
    Shape row = ir::shape_of(ir::value_type(slice.getRef())),
          taken = ir::shape_of(ir::value_type(slice.getResult()));
    if (!(taken[0] == Extent(1)))
      return false;
    for (size_t dim = 1; dim < row.size(); ++dim)
      if (analysis::number_of(slice.getStarts()[dim]) != 0 || slice.getSteps()[dim] != 1 ||
          taken[dim] != row[dim])
        return false;
    row.erase(row.begin());
    return llvm::all_of(slice.getResult().getUsers(), [&](mlir::Operation* user) {
      return llvm::isa<ir::RefReshapeOp>(user) &&
             ir::shape_of(ir::value_type(user->getResult(0))) == row;
    });
  }

  /// The ops of a block; `given`: what its arguments are, the coordinate first.
  void copy_ops(mlir::Block& block, llvm::ArrayRef<Value> given, mlir::IRMapping& mapping) {
    mapping.map(block.getArguments(), given);
    llvm::DenseMap<Value, Value> rows;
    for (size_t number = 0; number < prefetch_; ++number)
      if (own_dims_[number])
        for (mlir::Operation* slice :
             block.getArgument(static_cast<unsigned>(grid_.size() + number)).getUsers())
          rows[slice->getResult(0)] = given[grid_.size() + number];
    for (mlir::Operation& op : block.without_terminator()) {
      if (op.getNumResults() == 1 && rows.contains(op.getResult(0)))
        continue;
      Value row = op.getNumOperands() == 1 ? rows.lookup(op.getOperand(0)) : Value();
      if (row)
        mapping.map(op.getResult(0), row);
      else
        b.clone(op, mapping);
    }
  }

  /// The call of one instance on its coordinate, inputs and captures: the coordinate is one more
  /// capture.
  ir::KernelCallOp call_of_instance(const Values& given) {
    Values inputs(given.begin() + 1, given.begin() + 1 + static_cast<int64_t>(inputs_));
    Values captures(given.begin() + 1 + static_cast<int64_t>(inputs_), given.end());
    captures.push_back(given[0]);
    llvm::SmallVector<mlir::Type> results;
    for (auto [result, dim] :
         llvm::zip(call_.getResults(), llvm::ArrayRef(own_dims_).drop_front(inputs_))) {
      Shape shape = ir::shape_of(result);
      shape.erase(shape.begin() + *dim);
      results.push_back(language::tensor_type(b, ir::dtype_of(result), shape));
    }
    llvm::SmallVector<mlir::Attribute> blocks;
    for (auto [spec, dim] : llvm::zip(specs_, llvm::ArrayRef(own_dims_).drop_front(prefetch_))) {
      ir::BlockSpec own = spec;
      if (dim)
        own.dims.erase(own.dims.begin() + *dim);
      blocks.push_back(own.to_attr(b.getContext()));
    }
    mlir::ArrayAttr semantics = call_.getSemantics();
    if (!semantics.empty())
      semantics = b.getArrayAttr(semantics.getValue().drop_front());
    auto made = ir::KernelCallOp::create(
        b, results, call_.getNameAttr(),
        ir::ExtentsAttr::of(b.getContext(), Shape(grid_.begin() + 1, grid_.end())), inputs,
        captures, call_.getPrefetchAttr(), b.getArrayAttr(blocks), call_.getScratchAttr(),
        call_.getAliasesAttr(), semantics, call_.getChecksAttr(), call_.getOrderAttr(),
        call_.getSeedAttr(), call_.getRefNamesAttr(), mlir::DenseI64ArrayAttr(),
        static_cast<unsigned>(specs_.size()));
    made.getBody().takeBody(
        *region_of(call_.getBody(), inputs, captures, [](const auto&) { return Values(); }));
    for (auto [block, map] : llvm::enumerate(call_.getMaps())) {
      mlir::Operation* yield = map.front().getTerminator();
      const std::optional<int64_t> dim = own_dims_[prefetch_ + block];
      made.getMaps()[block].takeBody(
          *region_of(map, inputs, captures, [&](const mlir::IRMapping& mapping) {
            Values numbers;
            for (auto [place, number] : llvm::enumerate(yield->getOperands()))
              if (dim != static_cast<int64_t>(place))
                numbers.push_back(mapping.lookup(number));
            return numbers;
          }));
    }
    return made;
  }

  /// A body or map of the call without the first coordinate, which comes behind the captures.
  std::unique_ptr<mlir::Region>
  region_of(mlir::Region& region, const Values& inputs, const Values& captures,
            const std::function<Values(const mlir::IRMapping&)>& yields) {
    mlir::Block& old = region.front();
    llvm::SmallVector<mlir::Type> types(llvm::drop_begin(old.getArgumentTypes()));
    for (size_t number = 0; number < prefetch_; ++number)
      types[grid_.size() - 1 + number] =
          ir::RefType::get(llvm::cast<mlir::RankedTensorType>(inputs[number].getType()));
    types.push_back(captures.back().getType());
    return language::make_region(b, types, [&](const Values& given) {
      Values arguments{given.back()};
      arguments.insert(arguments.end(), given.begin(), given.end() - 1);
      mlir::IRMapping mapping;
      copy_ops(old, arguments, mapping);
      return yields(mapping);
    });
  }

  Builder& b;
  ir::KernelCallOp call_;
  std::vector<ir::BlockSpec> specs_;
  size_t prefetch_, inputs_;
  Shape grid_;
  /// By input and result the dim that counts the instances; none where it is the same for all.
  std::vector<std::optional<int64_t>> own_dims_;
};

} // namespace

std::optional<Values> over_instances(Builder& b, ir::KernelCallOp call, const Axes& axes,
                                     const std::function<std::string(ir::KernelCallOp)>& convert,
                                     std::string* how) {
  const Shape grid = call.getGrid().shape();
  if (grid.size() < 2 || !axes.is_parallel[0] || call.getChecks() ||
      grid[0].constant().value_or(2) < 2)
    return std::nullopt;
  Attempt attempt(b);
  try {
    Values results = Instances(b, call).run(convert, how);
    attempt.keep();
    return results;
  } catch (const NoInstances&) {
    return std::nullopt;
  }
}

} // namespace kolam::transform::kernels
