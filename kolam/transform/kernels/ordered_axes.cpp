// Loops whose states are the blocks of results and scratch arrays.
#include "kolam/transform/kernels/ordered_axes.h"

#include "kolam/ir/block_spec.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/transform/kernels/unwritten.h"

namespace kolam::transform::kernels {
namespace {

using language::Builder;
using language::Value;
using language::Values;

class LastAxes {
public:
  LastAxes(Builder& b, ir::KernelCallOp call, size_t first,
           const std::vector<std::vector<OrderedDim>>& blocks, const std::vector<bool>& chosen)
      : b(b), call_(call), first_(first), blocks_(blocks), chosen_(chosen),
        rank_(call.getGrid().shape().size()), before_(rank_ + call.getPrefetch()),
        inputs_(blocks.size() - call.getResults().size()) {}

  std::unique_ptr<mlir::Region> run(const MakePoint& make_point) {
    std::vector<Range> coordinates;
    for (const Extent& extent : call_.getGrid().shape())
      coordinates.push_back({0, *extent.constant() - 1});
    point_ = make_point({coordinates, chosen_, true});
    mlir::Block& point = point_->front();
    const size_t scratch = before_ + blocks_.size(), captures = scratch + call_.getScratch().size();
    llvm::SmallVector<mlir::Type> types;
    for (auto [number, argument] : llvm::enumerate(point.getArguments()))
      if (number >= before_ && number < scratch && !chosen_[number - before_])
        types.push_back(
            language::tensor_type(b, ir::dtype_of(argument), whole_shape(number - before_)));
      else if (number < scratch || number >= captures)
        types.push_back(argument.getType());
    return language::make_region(b, types, [&](const Values& given) {
      given_ = given;
      Values states(given.begin() + static_cast<int64_t>(before_ + inputs_),
                    given.begin() + static_cast<int64_t>(scratch));
      for (size_t number = scratch; number < captures; ++number) {
        Value like = point.getArgument(static_cast<unsigned>(number));
        states.push_back(unwritten(b, like.getType(), call_.getChecks()));
      }
      Values after = along(
          first_, Values(given.begin(), given.begin() + static_cast<int64_t>(first_)), states);
      after.resize(blocks_.size() - inputs_);
      return after;
    });
  }

private:
  Shape whole_shape(size_t block) const {
    Shape shape;
    for (const OrderedDim& dim : blocks_[block])
      shape.emplace_back(dim.extent);
    return shape;
  }

  /// The states behind all points with these first coordinates.
  Values along(size_t axis, const Values& coordinates, const Values& states) {
    if (axis == rank_)
      return at_point(coordinates, states);
    Value lower = language::integer_constant(b, 0, DType::i32),
          upper =
              language::integer_constant(b, *call_.getGrid().shape()[axis].constant(), DType::i32);
    llvm::SmallVector<mlir::Type> types{lower.getType()};
    llvm::append_range(types, mlir::ValueRange(states).getTypes());
    language::Body body = language::make_body(b, types, [&](const Values& arguments) {
      Values inner = coordinates;
      inner.push_back(arguments[0]);
      return along(axis + 1, inner, Values(arguments.begin() + 1, arguments.end()));
    });
    return language::for_loop(b, lower, upper, states, std::move(body));
  }

  Values at_point(const Values& coordinates, const Values& states) {
    const size_t results = blocks_.size() - inputs_;
    Values arguments = coordinates;
    arguments.insert(arguments.end(), given_.begin() + static_cast<int64_t>(rank_),
                     given_.begin() + static_cast<int64_t>(before_));
    for (size_t block = 0; block < blocks_.size(); ++block)
      arguments.push_back(block < inputs_ ? part_of(given_[before_ + block], block, coordinates)
                                          : part_of(states[block - inputs_], block, coordinates));
    arguments.insert(arguments.end(), states.begin() + static_cast<int64_t>(results), states.end());
    arguments.insert(arguments.end(),
                     given_.end() - static_cast<int64_t>(call_.getCaptures().size()), given_.end());
    Values next = language::inlined(b, *point_, arguments);
    for (size_t number = 0; number < results; ++number)
      next[number] = with_part(states[number], next[number], inputs_ + number, coordinates);
    return next;
  }

  bool is_whole(size_t block) const {
    return llvm::none_of(blocks_[block],
                         [](const OrderedDim& dim) { return dim.axis.has_value(); });
  }
  Values starts_of(size_t block, const Values& coordinates) {
    Values starts;
    for (const OrderedDim& dim : blocks_[block]) {
      Value start = language::integer_constant(b, dim.axis ? dim.step : 0, DType::i64);
      if (dim.axis)
        start = language::elementwise(
            b, Fn::multiply, {language::cast(b, coordinates[*dim.axis], DType::i64), start});
      starts.push_back(start);
    }
    return starts;
  }
  Shape part_shape(size_t block) const {
    Shape shape;
    for (const OrderedDim& dim : blocks_[block])
      shape.emplace_back(dim.size);
    return shape;
  }

  /// The block of a point.
  Value part_of(Value whole, size_t block, const Values& coordinates) {
    if (chosen_[block] || is_whole(block))
      return whole;
    Value part =
        language::dynamic_slice(b, whole, starts_of(block, coordinates), part_shape(block));
    Shape shape;
    for (const OrderedDim& dim : blocks_[block])
      if (!dim.is_squeezed)
        shape.emplace_back(dim.size);
    return language::reshape(b, part, shape);
  }
  Value with_part(Value whole, Value part, size_t block, const Values& coordinates) {
    if (is_whole(block))
      return part;
    return language::dynamic_update_slice(b, whole, language::reshape(b, part, part_shape(block)),
                                          starts_of(block, coordinates));
  }

  Builder& b;
  ir::KernelCallOp call_;
  const size_t first_;
  const std::vector<std::vector<OrderedDim>>& blocks_;
  const std::vector<bool>& chosen_;
  const size_t rank_, before_, inputs_;
  std::unique_ptr<mlir::Region> point_;
  Values given_; ///< what the function is given
};

} // namespace

std::unique_ptr<mlir::Region> loop_last_axes(Builder& b, ir::KernelCallOp call, size_t first,
                                             const std::vector<std::vector<OrderedDim>>& blocks,
                                             const std::vector<bool>& chosen,
                                             const MakePoint& make_point) {
  return LastAxes(b, call, first, blocks, chosen).run(make_point);
}

} // namespace kolam::transform::kernels
