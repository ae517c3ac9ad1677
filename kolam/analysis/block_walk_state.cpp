// Makes buffers, indices and names for the walk over a program.
#include "kolam/analysis/block_walk_state.h"

#include "kolam/support/error.h"

namespace kolam::analysis {

std::string leaf_text(mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    type = list.leaf();
  return std::string(name(ir::dtype_of(type))) + to_string(ir::shape_of(type));
}

size_t depth_of(mlir::Type type) {
  auto list = llvm::dyn_cast<ir::ListType>(type);
  return list ? static_cast<size_t>(list.depth()) : 0;
}

std::optional<Extent> number_of(Operation* op,
                                const std::function<std::optional<Extent>(Value)>& known) {
  if (op->getNumResults() != 1 || !llvm::isa<mlir::RankedTensorType>(op->getResult(0).getType()) ||
      ir::rank_of(op->getResult(0)) != 0 || !is_integer(ir::dtype_of(op->getResult(0))))
    return std::nullopt;
  if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op)) {
    auto value = llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue());
    if (!value || value.getElementType().getIntOrFloatBitWidth() > 64)
      return std::nullopt;
    return Extent((*value.begin()).getSExtValue());
  }
  if (auto cast = llvm::dyn_cast<ir::CastOp>(op))
    return is_integer(ir::dtype_of(cast.getOperand())) ? known(cast.getOperand()) : std::nullopt;
  auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!elementwise || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Extent> x = known(op->getOperand(0)), y = known(op->getOperand(1));
  if (!x || !y)
    return std::nullopt;
  llvm::StringRef function = elementwise.getFunction();
  try {
    if (function == "add")
      return *x + *y;
    if (function == "subtract")
      return *x - *y;
    if (function == "multiply")
      return *x * *y;
    if (function == "minimum")
      return min(*x, *y);
    if (function == "maximum")
      return max(*x, *y);
    if (function == "floor_divide" && y->constant().value_or(0) > 0)
      return floordiv(*x, *y);
  } catch (const Error&) { // too large to follow
  }
  return std::nullopt;
}

int WalkState::add_buffer(Walked::Buffer buffer) {
  result_.buffers.push_back(std::move(buffer));
  return static_cast<int>(result_.buffers.size()) - 1;
}

int WalkState::constant() {
  if (constant_ < 0)
    constant_ = add_buffer({{Buffer::Kind::constant, "constant", "", {}}, 0, nullptr});
  return constant_;
}

Places WalkState::own_buffer(const std::string& name, mlir::Type type, Operation* writer) {
  Places places;
  Shape lengths;
  for (size_t level = 0; level < depth_of(type); ++level) {
    int function = result_.terms.function("length of " + (name.empty() ? "a result" : name));
    Shape arguments = dim_symbols(writer ? dims_.size() : 0), above = place_symbols(level);
    arguments.insert(arguments.end(), above.begin(), above.end());
    places.lengths.push_back(result_.terms.value(function, arguments));
  }
  Walked::Buffer buffer{{writer ? Buffer::Kind::written : Buffer::Kind::argument, name,
                         leaf_text(type), places.lengths},
                        writer ? dims_.size() : 0,
                        writer};
  places.parts.push_back({add_buffer(std::move(buffer)), own_index(writer != nullptr, type), {}});
  return places;
}

Shape WalkState::own_index(bool in_block, mlir::Type type) const {
  Shape index = in_block ? dim_symbols(dims_.size()) : Shape{},
        inside = place_symbols(depth_of(type));
  index.insert(index.end(), inside.begin(), inside.end());
  return index;
}

Shape WalkState::length_arguments(size_t level) const {
  Shape arguments = dim_symbols(dims_.size()), above = place_symbols(level);
  arguments.insert(arguments.end(), above.begin(), above.end());
  return arguments;
}

std::set<std::string> WalkState::free_variables(const Extent& expression) const {
  std::set<std::string> result;
  for (const std::string& symbol : expression.symbols())
    if (const Terms::Value* value = result_.terms.find(symbol)) {
      for (const Extent& argument : value->arguments)
        result.merge(free_variables(argument));
    } else {
      result.insert(symbol);
    }
  return result;
}

std::vector<Places> WalkState::all(mlir::ValueRange values) const {
  std::vector<Places> result;
  for (Value value : values)
    result.push_back(places_.lookup(value));
  return result;
}

} // namespace kolam::analysis
