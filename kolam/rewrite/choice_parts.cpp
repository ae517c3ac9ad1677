// Cuts values for rows of choices.
#include "kolam/rewrite/choice_parts.h"

#include "kolam/ir/facts.h"
#include "kolam/language/reshape.h"

namespace kolam::rewrite {

using language::Builder;
using mlir::Value;
using space::Box;

Box whole_of(Value value) {
  space::Point extents;
  for (const Extent& extent : ir::shape_of(value))
    extents.push_back(*extent.constant());
  return Box::of_shape(std::move(extents));
}

int64_t extent_of(Value value, int64_t dim) {
  return *ir::shape_of(value)[static_cast<size_t>(dim)].constant();
}

bool is_plain(mlir::Operation* op) {
  auto has_numbers = [](Value value) {
    return llvm::isa<mlir::RankedTensorType>(value.getType()) &&
           llvm::all_of(ir::shape_of(value), [](const Extent& e) { return e.is_constant(); });
  };
  return ir::facts_of(op).effect == ir::Effect::none && op->getNumResults() > 0 &&
         llvm::all_of(op->getOperands(), has_numbers) &&
         llvm::all_of(op->getResults(), has_numbers);
}

std::vector<int64_t> even_borders(int64_t extent, int64_t parts) {
  std::vector<int64_t> borders;
  parts = std::min({parts, extent, kMostParts});
  for (int64_t part = 1; part < parts; ++part)
    borders.push_back((extent * part + parts - 1) / parts);
  return borders;
}

std::vector<Box> boxes_between(const Box& whole, int dim, const std::vector<int64_t>& borders) {
  std::vector<Box> boxes;
  const auto place = static_cast<size_t>(dim);
  int64_t start = whole.start()[place];
  for (int64_t border : borders) {
    if (border <= start || border >= whole.end()[place])
      return {};
    boxes.push_back(space::with_range(whole, dim, start, border));
    start = border;
  }
  boxes.push_back(space::with_range(whole, dim, start, whole.end()[place]));
  return boxes;
}

const std::vector<int64_t>& numbers_in(const Parameters& parameters, std::string_view name) {
  static const std::vector<int64_t> none;
  auto found = parameters.find(std::string(name));
  return found == parameters.end() ? none : found->second;
}

mlir::Operation* op_numbered(mlir::Operation* near, int64_t number) {
  mlir::Block* block = near->getBlock();
  if (number < 0 || number >= static_cast<int64_t>(block->getOperations().size()) - 1)
    return nullptr;
  return &*std::next(block->begin(), number);
}

std::optional<char> free_letter(const std::string& used) {
  for (char letter : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    if (used.find(letter) == std::string::npos)
      return letter;
  return std::nullopt;
}

Value in_parts(Builder& b, Value x, int64_t dim, int64_t parts) {
  Shape shape = ir::shape_of(x);
  const int64_t extent = extent_of(x, dim);
  KOLAM_CHECK(parts > 0 && extent % parts == 0);
  shape[static_cast<size_t>(dim)] = extent / parts;
  shape.insert(shape.begin() + dim, Extent(parts));
  return language::reshape(b, x, std::move(shape));
}

Value in_one(Builder& b, Value x, int64_t dim) {
  Shape shape = ir::shape_of(x);
  shape[static_cast<size_t>(dim)] = extent_of(x, dim) * extent_of(x, dim + 1);
  shape.erase(shape.begin() + dim + 1);
  return language::reshape(b, x, std::move(shape));
}

} // namespace kolam::rewrite
