// Elements of values that are the same at every step: counted where an equation gives them, else
// rows of a table.
#include "kolam/transform/stream/rules.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/support/generator.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kolam::transform::stream {
namespace {

/// Bound: ops in a row that are made again for one element; longer ones are a table.
constexpr int kMostDepth = 64;

/// Whether elements along a dim of the result are one element of the operand.
bool repeats_along(ir::BroadcastOp op, int64_t dim) {
  auto found = llvm::find(op.getDims(), dim);
  if (found == op.getDims().end())
    return true;
  return ir::shape_of(op.getOperand())[found - op.getDims().begin()] == Extent(1);
}

/// Whether an element along a result's dim takes elements of operands alone, none combined.
bool is_plain(mlir::Operation* op) {
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  return signed_op && op->getNumRegions() == 0 && mlir::isMemoryEffectFree(op) &&
         llvm::all_of(signed_op.signature().dims,
                      [](const space::IndexDim& dim) { return dim.kind == space::DimKind::map; });
}

/// The number of a result among its op's operands and results.
size_t place_of(Value value) {
  auto result = llvm::cast<mlir::OpResult>(value);
  return result.getOwner()->getNumOperands() + result.getResultNumber();
}

mlir::RankedTensorType one_along(Value value, int64_t dim) {
  Shape shape = ir::shape_of(value);
  shape[static_cast<size_t>(dim)] = 1;
  return ir::tensor_type(value.getContext(), ir::dtype_of(value), shape);
}

/// The bits of element `number` along `dim`: blocks of the generator on its counters.
Value counted_bits(Builder& b, ir::RandomBitsOp op, Value key, int64_t dim, Value number) {
  using language::elementwise;
  auto wide = [&](int64_t value) { return language::integer_constant(b, value, DType::u64); };
  Shape whole = ir::shape_of(op.getResult()), one = whole;
  one[static_cast<size_t>(dim)] = 1;
  const int64_t keys = ir::rank_of(op.getKey()) - 1;
  Value place;
  Extent stride = 1;
  for (int64_t at = static_cast<int64_t>(whole.size()) - 1; at >= keys; --at) {
    Value along = at == dim ? language::broadcast_to(b, language::cast(b, number, DType::u64), one)
                            : language::iota(b, one, at, DType::u64);
    along = elementwise(b, Fn::multiply, {along, wide(stream::number(op, stride))});
    place = place ? elementwise(b, Fn::add, {place, along}) : along;
    stride = stride * whole[static_cast<size_t>(at)];
  }
  Value high =
      language::cast(b, elementwise(b, Fn::bitwise_right_shift, {place, wide(32)}), DType::u32);
  Value low =
      language::cast(b, elementwise(b, Fn::bitwise_and, {place, wide(0xffffffff)}), DType::u32);
  Value counter = language::stack(b, {high, low}, -1);
  Shape words = ir::shape_of(counter), spread = ir::shape_of(key);
  spread.insert(spread.end() - 1, words.size() - spread.size(), Extent(1));
  Value keys_of = language::broadcast_to(b, language::reshape(b, key, spread), words);
  Value block = ir::RandomBlockOp::create(b, counter.getType(), keys_of, counter);
  auto word = [&](int64_t which) { return language::index(b, block, {Ellipsis(), which}); };
  DType dtype = ir::dtype_of(op.getResult());
  if (dtype == DType::u64) {
    Value first =
        elementwise(b, Fn::bitwise_left_shift, {language::cast(b, word(0), DType::u64), wide(32)});
    return elementwise(b, Fn::bitwise_or, {first, language::cast(b, word(1), DType::u64)});
  }
  return language::cast(b, elementwise(b, Fn::bitwise_xor, {word(0), word(1)}), dtype);
}

} // namespace

/// Whether elements along `dim` are as `kind` says: what repeats, or counts, and what is computed
/// of such values.
bool Steps::is_along(Along kind, Value value, int64_t dim, int depth) {
  mlir::Operation* op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op))
    return constant.getValue().isSplat();
  if (auto broadcast = llvm::dyn_cast<ir::BroadcastOp>(op))
    if (repeats_along(broadcast, dim))
      return true;
  if (llvm::isa<ir::IotaOp>(op))
    return kind == Along::counted;
  if (auto bits = llvm::dyn_cast<ir::RandomBitsOp>(op)) // depends on places, too
    return kind == Along::counted && dim >= ir::rank_of(bits.getKey()) - 1 &&
           parse_generator(bits.getGenerator()) == Generator::threefry;
  auto& answers = kind == Along::same ? same_along_ : counted_along_;
  if (auto known = answers.find({value, dim}); known != answers.end())
    return known->second;
  const bool may_be =
      kind == Along::counted
          ? is_plain(op)
          : op->getNumRegions() == 0 && op->getNumOperands() > 0 && mlir::isMemoryEffectFree(op);
  std::optional<Passage> through = may_be ? passage(op, place_of(value), dim) : std::nullopt;
  bool is = through.has_value();
  for (size_t i = 0; is && i < op->getNumOperands(); ++i)
    is = through->operands[i] < 0 ||
         is_along(kind, op->getOperand(static_cast<unsigned>(i)), through->operands[i], depth - 1);
  return answers[{value, dim}] = is;
}

/// The element number `number` along `dim` of a value that is counted along it.
Value Steps::counted_row(Value value, int64_t dim, Value number) {
  Value& row = counted_[{value, {dim, number}}];
  if (!row) {
    Value made = make_counted_row(value, dim, number);
    return counted_[{value, {dim, number}}] = made;
  }
  return row;
}

Value Steps::make_counted_row(Value value, int64_t dim, Value number) {
  mlir::Operation* op = value.getDefiningOp();
  if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op)) {
    auto splat = llvm::cast<mlir::DenseElementsAttr>(constant.getValue());
    return language::make_constant(step_, splat.resizeSplat(one_along(value, dim)));
  }
  if (auto iota = llvm::dyn_cast<ir::IotaOp>(op)) {
    if (static_cast<int64_t>(iota.getDim()) != dim)
      return resized(step_, op, {}, {dim}, 1)->getResult(0);
    Value counted = language::cast(step_, number, ir::dtype_of(value));
    return language::broadcast_to(step_, counted, ir::shape_of(one_along(value, dim)));
  }
  if (auto bits = llvm::dyn_cast<ir::RandomBitsOp>(op)) {
    if (dim > ir::rank_of(bits.getKey()) - 1) { // positions in front count whole sequences
      const int64_t length = stream::number(op, ir::shape_of(value)[static_cast<size_t>(dim)]);
      end_after(length, op_and_line(op) + " numbers bits by rows of " + std::to_string(length) +
                            " elements along the axis");
    }
    return counted_bits(step_, bits, fixed(Part::step, bits.getKey()), dim, number);
  }
  Values operands;
  auto broadcast = llvm::dyn_cast<ir::BroadcastOp>(op);
  if (broadcast && repeats_along(broadcast, dim)) {
    operands.push_back(fixed(Part::step, broadcast.getOperand()));
  } else {
    Passage through = *passage(op, place_of(value), dim);
    for (auto [operand, operand_dim] : llvm::zip(op->getOperands(), through.operands))
      operands.push_back(operand_dim < 0 ? fixed(Part::step, operand)
                                         : counted_row(operand, operand_dim, number));
  }
  // Of several results each goes along the dim that the signature says.
  const auto number_of_result = llvm::cast<mlir::OpResult>(value).getResultNumber();
  std::vector<int64_t> dims = op->getNumResults() == 1 ? std::vector<int64_t>{dim}
                                                       : passage(op, place_of(value), dim)->results;
  return resized(step_, op, operands, dims, 1)->getResult(number_of_result);
}

/// The first elements of a value of the initial program; behind its last, where the stream ends,
/// zeros.
Value Steps::first_elements(Value value, int64_t dim, int64_t count) {
  Value all = fixed(Part::initial, value);
  const int64_t length = number(op_, ir::shape_of(value)[static_cast<size_t>(dim)]);
  if (count <= length)
    return language::slice_dim(initial_, all, dim, 0, count);
  end_after(length, op_and_line(op_) + " reads " + std::to_string(length) + " rows");
  Shape rest = ir::shape_of(value);
  rest[static_cast<size_t>(dim)] = count - length;
  return language::concat(initial_, {all, zeros(initial_, ir::dtype_of(value), rest)}, dim);
}

Sequence Steps::rows(Value value, int64_t dim, int64_t offset) {
  Sequence rows{.now = {}, .before = {}, .dim = dim, .offset = offset, .length = 0};
  rows.length = number(op_, ir::shape_of(value)[static_cast<size_t>(dim)]);
  if (is_along(Along::same, value, dim, kMostDepth)) {
    auto one = [&](Part part) {
      return language::slice_dim(in(part), fixed(part, value), dim, 0, 1);
    };
    rows.now = one(Part::step);
    if (rows.count_before() > 0) {
      Shape shape = ir::shape_of(value);
      shape[static_cast<size_t>(dim)] = rows.count_before();
      rows.before = language::broadcast_to(initial_, one(Part::initial), shape);
    }
    return rows;
  }
  if (rows.count_before() > 0)
    rows.before = first_elements(value, dim, rows.count_before());
  Value number = element_number(offset);
  if (is_along(Along::counted, value, dim, kMostDepth)) {
    rows.now = counted_row(value, dim, number);
    return rows;
  }
  rows.now = element_at(step_, fixed(Part::step, value), dim, number);
  end_after(rows.length + offset,
            op_and_line(op_) + " reads a table of " + std::to_string(rows.length) + " rows");
  return rows;
}

} // namespace kolam::transform::stream
