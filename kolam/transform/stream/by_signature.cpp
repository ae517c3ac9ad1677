// Ops that a sequence goes through element by element, as their signatures say.
#include "kolam/analysis/access.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/stream/rules.h"

namespace kolam::transform::stream {
namespace {

/// The dim of an operand that index dim `index` walks element by element: -1 where it walks none,
/// none where it does anything else.
std::optional<int64_t> walked_dim(const space::Operand& operand, int index) {
  int64_t found = -1;
  for (auto [dim, row] : llvm::enumerate(operand.projection.map.rows)) {
    if (row.coefficients[static_cast<size_t>(index)] == 0)
      continue;
    const bool is_copied = analysis::copied_dim(row) == index &&
                           operand.projection.size[dim] == Extent(1) && found < 0;
    if (!is_copied)
      return std::nullopt;
    found = static_cast<int64_t>(dim);
  }
  return found;
}

/// Why an op does not take elements one by one, in words.
std::string refusal(mlir::Operation* op, const Sequence& sequence, size_t number) {
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  const std::string what = op_and_line(op) + " ";
  if (!signed_op || signed_op.signature().opaque)
    return what + "takes the whole sequence; call it on the results of steps";
  space::Signature signature = signed_op.signature();
  const space::Operand& operand = signature.operands[number];
  const space::AffineRow& row = operand.projection.map.rows[static_cast<size_t>(sequence.dim)];
  for (size_t index = 0; index < row.coefficients.size(); ++index) {
    if (row.coefficients[index] == 0)
      continue;
    if (signature.dims[index].kind == space::DimKind::reduce)
      return what + "combines all elements along the axis; running combinations (cumulative_sum, "
                    "scan) and windows stream";
    if (row.coefficients[index] < 0)
      return what + "reads the sequence from its end, which no step knows; turn other dims around";
    if (row.coefficients[index] > 1 || row.divisor > 1 || row.modulus > 0)
      return what + "reads some elements of the sequence alone, or mixes the axis with another; "
                    "expected the axis as a dim of its own, and reshapes of the others";
  }
  if (sequence.length == 1)
    return what + "takes one element of the sequence alone, which no other step has; give it as an "
                  "argument that is no sequence";
  if (operand.indirect)
    return what +
           "reads the sequence at places that data gives; x[i + arange(n)] behind a pad is a "
           "window";
  if (!(operand.projection.size[static_cast<size_t>(sequence.dim)] == Extent(1)))
    return what + "takes all elements of the sequence at once; along other dims it streams, and "
                  "windows (x[i + arange(n)]) give the last elements";
  return what + "has no dim that goes along the axis";
}

} // namespace

std::optional<Passage> passage(mlir::Operation* op, size_t value, int64_t dim) {
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  if (!signed_op)
    return std::nullopt;
  space::Signature signature = signed_op.signature();
  if (signature.opaque || value >= signature.operands.size())
    return std::nullopt;
  for (space::Operand& operand : signature.operands) // an index of one point moves nothing
    for (space::AffineRow& row : operand.projection.map.rows)
      for (size_t index = 0; index < row.coefficients.size(); ++index)
        if (signature.dims[index].extent == Extent(1))
          row.coefficients[index] = 0;
  const space::AffineRow& row =
      signature.operands[value].projection.map.rows[static_cast<size_t>(dim)];
  Passage through;
  through.index = analysis::copied_dim(row);
  if (through.index < 0 ||
      signature.dims[static_cast<size_t>(through.index)].kind != space::DimKind::map)
    return std::nullopt;
  const size_t operands = op->getNumOperands();
  for (auto [number, operand] : llvm::enumerate(signature.operands)) {
    std::optional<int64_t> walked = walked_dim(operand, through.index);
    if (!walked || (number >= operands && *walked < 0))
      return std::nullopt;
    if (*walked >= 0 && !(operand.shape[static_cast<size_t>(*walked)] ==
                          signature.dims[static_cast<size_t>(through.index)].extent))
      return std::nullopt;
    (number < operands ? through.operands : through.results).push_back(*walked);
  }
  return through;
}

namespace {

/// The operands of an op whose sequences go through it, all with one offset.
struct Together {
  Passage through;
  int64_t offset = INT64_MIN, length = 0;
  mlir::Operation* latest = nullptr;
  Values now, before; ///< operands of each program; `before` where the offset is negative
};

Together together(mlir::Operation* op, Steps& steps) {
  Together all;
  bool is_first = true;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    const Sequence* sequence = steps.find(operand);
    if (!sequence)
      continue;
    std::optional<Passage> through = passage(op, number, sequence->dim);
    if (!through)
      refuse(op, refusal(op, *sequence, number));
    if (!is_first && through->index != all.through.index)
      refuse(op, op_and_line(op) + " relates every element of a sequence to every element of "
                                   "another; attention with a left window streams");
    all.through = *through;
    all.length = sequence->length;
    is_first = false;
    if (sequence->offset > all.offset) {
      all.offset = sequence->offset;
      all.latest = sequence->latest;
    }
  }
  for (auto [operand, dim] : llvm::zip(op->getOperands(), all.through.operands)) {
    const Sequence* sequence = steps.find(operand);
    const bool is_row = !sequence && dim >= 0;
    Sequence at = sequence ? steps.at_offset(*sequence, all.offset)
                  : is_row ? steps.rows(operand, dim, all.offset)
                           : Sequence();
    const bool is_sequence = sequence || is_row;
    all.now.push_back(is_sequence ? at.now : steps.fixed(Part::step, operand));
    if (all.offset < 0)
      all.before.push_back(is_sequence ? at.before : steps.fixed(Part::initial, operand));
  }
  return all;
}

/// Sets the results, by what `make` gives for a program's operands and their number of elements.
void set_results(mlir::Operation* op, const Together& all, Steps& steps,
                 llvm::function_ref<mlir::Operation*(Part, const Values&, int64_t)> make) {
  mlir::Operation* now = make(Part::step, all.now, 1);
  mlir::Operation* before = all.offset < 0 ? make(Part::initial, all.before, -all.offset) : nullptr;
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    auto at = static_cast<unsigned>(number);
    steps.set(result, {.now = now->getResult(at),
                       .before = before ? before->getResult(at) : Value(),
                       .dim = all.through.results[number],
                       .offset = all.offset,
                       .length = all.length,
                       .latest = all.latest});
  }
}

} // namespace

void apply_by_signature(mlir::Operation* op, Steps& steps) {
  Together all = together(op, steps);
  set_results(op, all, steps, [&](Part part, const Values& operands, int64_t extent) {
    return resized(steps.in(part), op, operands, all.through.results, extent);
  });
}

/// A check holds for elements that there are.
void apply_rule(ir::CheckOp op, Steps& steps) {
  Together all = together(op, steps);
  Sequence condition{.now = all.now[0], .before = {}, .offset = all.offset};
  if (Value begun = steps.has_begun(condition))
    all.now[0] = steps.choose(begun, all.now[0],
                              language::weak_constant(steps.in(Part::step), true, DType::boolean));
  set_results(op, all, steps, [&](Part part, const Values& operands, int64_t) {
    return resized(steps.in(part), op, operands, {}, 0);
  });
}

namespace {

/// The dim of the iteration space that an index dim of the signature counts.
int64_t dim_of_space(ir::ZipMapReduceOp op, int index) {
  auto rank = static_cast<int64_t>(op.getSpace().shape().size());
  for (int64_t dim = 0, kept = 0; dim < rank; ++dim) {
    if (llvm::is_contained(op.getDims(), dim))
      continue;
    if (kept++ == index)
      return dim;
  }
  return -1;
}

/// The places along `dim` that the body asks for count from its last capture.
void count_from_capture(ir::ZipMapReduceOp op, int64_t dim) {
  mlir::Block& body = op.getBody().front();
  Value start = body.addArgument(op.getCaptures().back().getType(), op.getLoc());
  body.walk([&](ir::IterIndexOp place) {
    if (static_cast<int64_t>(place.getDim()) != dim)
      return;
    Builder b(op.getLoc(), op->getContext());
    b.setInsertionPointAfter(place);
    Value counted = language::elementwise(
        b, Fn::add, {place.getResult(), language::cast(b, start, ir::dtype_of(place.getResult()))});
    place.getResult().replaceAllUsesExcept(counted, counted.getDefiningOp());
  });
}

} // namespace

/// The iteration space has one element along the axis; a body that asks for its place gets it as a
/// capture.
void apply_rule(ir::ZipMapReduceOp op, Steps& steps) {
  Together all = together(op, steps);
  const int64_t dim = dim_of_space(op, all.through.index);
  bool asks = false;
  op.getBody().walk(
      [&](ir::IterIndexOp place) { asks |= static_cast<int64_t>(place.getDim()) == dim; });
  set_results(op, all, steps, [&](Part part, const Values& operands, int64_t extent) {
    Builder& b = steps.in(part);
    mlir::Operation* copied = resized(b, op, operands, all.through.results, extent);
    auto zip = llvm::cast<ir::ZipMapReduceOp>(copied);
    Shape space = zip.getSpace().shape();
    space[static_cast<size_t>(dim)] = extent;
    zip.setSpaceAttr(ir::ExtentsAttr::of(b.getContext(), space));
    if (!asks)
      return copied;
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(zip);
    Value start = part == Part::step ? steps.element_number(all.offset)
                                     : language::integer_constant(b, 0, DType::i64);
    zip.getCapturesMutable().append(start);
    count_from_capture(zip, dim);
    return copied;
  });
}

} // namespace kolam::transform::stream
