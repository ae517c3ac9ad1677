// Compares what the first, a middle and the last point of the axis compute.
#include "kolam/transform/kernels/summed_axis.h"

#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/batch.h"
#include "kolam/transform/kernels/sums.h"
#include "kolam/transform/kernels/widen.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::kernels {
namespace {

using language::Builder;
using language::Value;
using language::Values;

std::optional<unsigned> number_of(Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  return argument ? std::optional(argument.getArgNumber()) : std::nullopt;
}

/// Whether two values of two regions are computed alike from arguments of the same numbers.
bool are_alike(Value x, Value y) {
  if (x.getType() != y.getType())
    return false;
  if (number_of(x) || number_of(y))
    return number_of(x) == number_of(y);
  return llvm::cast<mlir::OpResult>(x).getResultNumber() ==
             llvm::cast<mlir::OpResult>(y).getResultNumber() &&
         mlir::OperationEquivalence::isEquivalentTo(
             x.getDefiningOp(), y.getDefiningOp(),
             [](Value a, Value b) { return mlir::success(are_alike(a, b)); }, [](Value, Value) {},
             mlir::OperationEquivalence::IgnoreLocations);
}

class SummedAxis {
public:
  SummedAxis(Builder& b, ir::KernelCallOp call, const LastAxis& last_axis)
      : b(b), call_(call), last_axis_(last_axis), rank_(call.getGrid().shape().size()),
        blocks_(last_axis.size()), results_(call.getResults().size()),
        count_(*call.getGrid().shape().back().constant()) {}

  std::unique_ptr<mlir::Region> run(const MakePoint& make_point) {
    auto at = [&](int64_t first, int64_t last) {
      std::vector<Range> ranges;
      for (const Extent& extent : call_.getGrid().shape())
        ranges.push_back({0, *extent.constant() - 1});
      ranges.back() = {first, last};
      return make_point({ranges, std::vector<bool>(blocks_), true});
    };
    auto first = at(0, 0), last = at(count_ - 1, count_ - 1);
    auto middle = count_ > 2 ? at(1, count_ - 2) : nullptr;
    find_sums(*first, middle.get());
    if (sums_.empty())
      throw Refusal{kMore};
    return make_region(*first, *last);
  }

private:
  static constexpr const char* kMore =
      "points along the last axis do more than add products of matrices";

  struct Sum {
    size_t state;      ///< among the results and scratch arrays
    ir::ContractOp of; ///< in the first point
  };

  /// The argument that holds a state: results are blocks, scratch arrays stand behind them.
  unsigned argument_of(size_t state) const {
    return static_cast<unsigned>(rank_ + blocks_ - results_ + state);
  }
  size_t states() { return results_ + call_.getScratch().size(); }
  bool is_state(unsigned argument) {
    return argument >= argument_of(0) && argument < argument_of(states());
  }
  bool is_scratch(size_t argument) {
    return argument >= argument_of(results_) && argument < argument_of(states());
  }
  static Value yield_of(mlir::Region& region, size_t state) {
    return region.front().getTerminator()->getOperand(static_cast<unsigned>(state));
  }

  bool uses_states(Value value) {
    if (auto argument = number_of(value))
      return is_state(*argument);
    return llvm::any_of(value.getDefiningOp()->getOperands(),
                        [&](Value operand) { return uses_states(operand); });
  }

  /// What the first point adds to zero; null for something else.
  Value first_term(mlir::Region& first, size_t state) {
    auto [x, y] = terms_of(yield_of(first, state));
    if (!x)
      return {};
    auto is_start = [&](Value value) {
      const bool is_unwritten = state < results_ && number_of(value) == argument_of(state);
      return is_zero(value) || (is_unwritten && !call_.getChecks());
    };
    return is_start(x) ? y : is_start(y) ? x : Value();
  }

  void find_sums(mlir::Region& first, mlir::Region* middle) {
    for (size_t state = 0; state < states(); ++state) {
      const bool stays = number_of(yield_of(first, state)) == argument_of(state);
      if (stays && (!middle || number_of(yield_of(*middle, state)) == argument_of(state)))
        continue;
      Value term = first_term(first, state);
      auto product = term ? term.getDefiningOp<ir::ContractOp>() : ir::ContractOp();
      if (!product || uses_states(term) || (middle && !adds(*middle, state, term)))
        throw Refusal{kMore};
      sums_.push_back({state, product});
    }
  }

  /// Whether a state becomes itself plus `term`.
  bool adds(mlir::Region& region, size_t state, Value term) const {
    auto [x, y] = terms_of(yield_of(region, state));
    if (!x)
      return false;
    auto is_own = [&](Value value) { return number_of(value) == argument_of(state); };
    return (is_own(x) && are_alike(term, y)) || (is_own(y) && are_alike(term, x));
  }

  /// In the last point: the state with its last product.
  Value total_of(mlir::Region& last, Sum& sum) const {
    Value state = last.front().getArgument(argument_of(sum.state));
    if (!state.hasOneUse() || state.getUsers().begin()->getNumResults() != 1)
      throw Refusal{kMore};
    Value total = state.getUsers().begin()->getResult(0);
    auto [x, y] = terms_of(total);
    if (!x || !are_alike(sum.of.getResult(), x == state ? y : x))
      throw Refusal{kMore};
    return total;
  }

  /// The product of all blocks of the axis.
  Value whole_product(Sum& sum, const Values& arguments, mlir::Region& first) {
    ir::ContractOp of = sum.of;
    auto terms = chain_of_terms(of);
    if (!terms)
      throw Refusal{"its products are not sums of one chain"};

    // The factors at all points.
    llvm::SmallVector<mlir::Type> types;
    std::vector<Batched> operands;
    for (auto [number, argument] : llvm::enumerate(first.front().getArguments())) {
      if (is_scratch(number))
        continue;
      types.push_back(argument.getType());
      const bool is_block = number >= rank_ && number - rank_ < blocks_;
      operands.push_back(
          {arguments[operands.size()], is_block && last_axis_[number - rank_].has_value()});
    }
    operands[rank_ - 1] = {language::iota(b, {Extent(count_)}, 0, DType::i32), true};
    auto factors = language::make_region(b, types, [&](const Values& given) {
      mlir::IRMapping mapping = mapped(first, given);
      copy_slice(b, first, {of.getLhs(), of.getRhs()}, mapping);
      return Values{mapping.lookup(of.getLhs()), mapping.lookup(of.getRhs())};
    });
    const int64_t places[] = {terms->left, terms->right};
    Values both = at_once(*factors, operands, places, terms->length);
    if (both.empty()) {
      std::string why;
      auto batched = batch_body(b, *factors, operands, Extent(count_), &why);
      if (!batched)
        throw Refusal{why};
      for (auto [factor, place] : llvm::zip(*batched, places)) {
        if (!factor.is_each)
          throw Refusal{"a factor of its products is the same at all points of the last axis"};
        both.push_back(joined(factor.value, place));
      }
    }
    return chains_in_order(b, of, both[0], both[1], terms->length);
  }

  /// The factors from blocks that are whole along the axis; none where they are not rows of their
  /// own along it.
  Values at_once(mlir::Region& factors, llvm::ArrayRef<Batched> operands,
                 llvm::ArrayRef<int64_t> places, int64_t length) {
    mlir::Block& block = factors.front();
    if (!block.getArgument(static_cast<unsigned>(rank_ - 1)).use_empty())
      return {};
    WideDims dims{std::vector<std::optional<int64_t>>(operands.size()),
                  {places[0], places[1]},
                  length * (count_ - 1)};
    mlir::IRMapping mapping;
    Values given;
    for (auto [number, operand] : llvm::enumerate(operands)) {
      given.push_back(operand.value);
      if (number < rank_ || !operand.is_each)
        continue;
      const int64_t dim = *last_axis_[number - rank_];
      const Shape shape = ir::shape_of(block.getArgument(static_cast<unsigned>(number)));
      if (dim < 0 || !(shape[static_cast<size_t>(dim)] == Extent(length)))
        return {};
      dims.arguments[number] = dim;
    }
    auto region = widened(b, factors, dims);
    if (!region)
      return {};
    for (auto [number, value] : llvm::enumerate(given)) {
      if (dims.arguments[number])
        value = joined(value, *dims.arguments[number]);
      mapping.map(region->front().getArgument(static_cast<unsigned>(number)), value);
    }
    mlir::Operation* yields = region->front().getTerminator();
    Values both(yields->operand_begin(), yields->operand_end());
    copy_slice(b, *region, both, mapping);
    for (Value& factor : both)
      factor = mapping.lookup(factor);
    return both;
  }

  /// [count, ..., length, ...] with the first dim in front of dim `dim` of the others, as one.
  Value joined(Value x, int64_t dim) {
    Shape shape = ir::shape_of(x);
    language::Axes order;
    for (int64_t own = 1; own < static_cast<int64_t>(shape.size()); ++own) {
      if (own == dim + 1)
        order.push_back(0);
      order.push_back(own);
    }
    shape.erase(shape.begin());
    Extent& extent = shape[static_cast<size_t>(dim)];
    extent = extent * Extent(count_);
    return language::reshape(b, language::permute_dims(b, x, order), shape);
  }

  /// The arguments of a point as those of the region that is being made, which has no scratch
  /// arrays.
  mlir::IRMapping mapped(mlir::Region& point, const Values& given) {
    mlir::IRMapping mapping;
    size_t next = 0;
    for (auto [number, argument] : llvm::enumerate(point.front().getArguments()))
      if (!is_scratch(number))
        mapping.map(argument, given[next++]);
    return mapping;
  }

  std::unique_ptr<mlir::Region> make_region(mlir::Region& first, mlir::Region& last) {
    llvm::SmallVector<mlir::Type> types;
    for (auto [number, argument] : llvm::enumerate(last.front().getArguments())) {
      if (is_scratch(number))
        continue;
      types.push_back(argument.getType());
      if (number >= rank_ && number - rank_ < blocks_ && last_axis_[number - rank_].has_value()) {
        Shape shape = ir::shape_of(argument);
        shape.insert(shape.begin(), Extent(count_));
        types.back() = language::tensor_type(b, ir::dtype_of(argument), shape);
      }
    }
    return language::make_region(
        b, types, [&](const Values& given) { return results_of(first, last, given); });
  }

  Values results_of(mlir::Region& first, mlir::Region& last, const Values& given) {
    mlir::IRMapping mapping = mapped(last, given);
    mapping.map(last.front().getArgument(static_cast<unsigned>(rank_ - 1)),
                language::integer_constant(b, count_ - 1, DType::i32));
    for (size_t block = 0; block < blocks_; ++block) {
      if (!last_axis_[block])
        continue;
      auto number = static_cast<unsigned>(rank_ + block);
      mlir::BlockArgument own = last.front().getArgument(number);
      Value at_last = language::slice_dim(b, given[number], 0, Extent(count_ - 1), Extent(1));
      mapping.map(own, language::reshape(b, at_last, ir::shape_of(own)));
    }
    for (size_t scratch = results_; scratch < states(); ++scratch) {
      mlir::BlockArgument own = last.front().getArgument(argument_of(scratch));
      Value zero = language::integer_constant(b, 0, ir::dtype_of(own));
      mapping.map(own, language::full(b, ir::shape_of(own), zero));
    }
    for (Sum& sum : sums_)
      mapping.map(total_of(last, sum), whole_product(sum, given, first));
    Values yields;
    for (size_t result = 0; result < results_; ++result)
      yields.push_back(yield_of(last, result));
    copy_slice(b, last, yields, mapping);
    for (Value& yield : yields)
      yield = mapping.lookup(yield);
    return yields;
  }

  Builder& b;
  ir::KernelCallOp call_;
  const LastAxis& last_axis_;
  size_t rank_, blocks_, results_;
  int64_t count_;
  std::vector<Sum> sums_;
};

} // namespace

std::unique_ptr<mlir::Region> sum_last_axis(Builder& b, ir::KernelCallOp call,
                                            const LastAxis& last_axis,
                                            const MakePoint& make_point) {
  return SummedAxis(b, call, last_axis).run(make_point);
}

} // namespace kolam::transform::kernels
