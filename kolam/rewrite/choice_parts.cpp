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
  return ir::facts_of(op).effect == ir::Effect::none && op->getNumResults() > 0 &&
         llvm::all_of(op->getOperands(), transform::has_numbers) &&
         llvm::all_of(op->getResults(), transform::has_numbers);
}

bool can_cut_along(transform::Cuts& cuts, mlir::Operation* op, int64_t dim, space::DimKind kind) {
  const space::Signature& signature = cuts.signature(op);
  return dim >= 0 && dim < static_cast<int64_t>(signature.dims.size()) &&
         cuts.cut_dims(op)[static_cast<size_t>(dim)] &&
         signature.dims[static_cast<size_t>(dim)].kind == kind;
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
  if (borders.empty())
    return boxes;
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

int64_t number_in(const Parameters& parameters, std::string_view name, int64_t otherwise) {
  const std::vector<int64_t>& numbers = numbers_in(parameters, name);
  return numbers.size() == 1 ? numbers[0] : otherwise;
}

std::vector<Parameters> once_if(bool applies) {
  return applies ? std::vector<Parameters>{{}} : std::vector<Parameters>();
}

bool is_of_integers(mlir::Operation* op, const Parameters&) {
  return is_integer(ir::dtype_of(op->getResult(0)));
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

language::Values reduced(Builder& b, const language::Values& inputs, language::Monoid monoid,
                         const language::Axes& dims, ir::AccumulateAttr accumulate) {
  const language::Values results = language::reduce(b, inputs, std::move(monoid), dims);
  llvm::cast<ir::ReduceOp>(results[0].getDefiningOp()).setAccumulateAttr(accumulate);
  return results;
}

DType any_dtype(Sample& sample) {
  constexpr DType kDtypes[] = {DType::f32, DType::f64, DType::bf16, DType::i32};
  return kDtypes[sample.number(0, 3)];
}

} // namespace kolam::rewrite
