// Cutting products, windows and attention.
#include "kolam/ir/attention.h"
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"
#include "kolam/space/region.h"
#include "kolam/transform/cut/rules.h"

namespace kolam::transform::cut {
namespace {

/// The index dim of a convolution's groups where they have one; it stands before that of outputs.
struct GroupDims {
  int group = -1, output = 0;
};

GroupDims group_dims(ir::ConvolutionOp op) {
  const auto rank = static_cast<int>(ir::rank_of(op.getInput()));
  return op.getGroups() > 1 ? GroupDims{rank - 1, rank} : GroupDims{-1, rank - 1};
}

} // namespace

/// Several groups are computed whole: with all of their outputs, and all channels of each.
Box widened(ir::ConvolutionOp op, Box index) {
  const GroupDims dims = group_dims(op);
  if (dims.group < 0 || index.extent(dims.group) == 1)
    return index;
  const int64_t outputs = *ir::shape_of(op.getResult()).back().constant();
  const Shape filter = ir::shape_of(op.getFilter());
  index = space::with_range(index, index.rank() - 1, 0, *filter[filter.size() - 2].constant());
  return space::with_range(index, dims.output, 0, outputs / static_cast<int64_t>(op.getGroups()));
}

/// Padding before and behind, dim by dim.
std::vector<int64_t> borders(ir::ConvolutionOp op, const OpPart& part,
                             const space::Signature& signature) {
  std::vector<int64_t> low, high;
  if (space::is_empty(part.reads[0]))
    return {};
  const Box region = space::region(signature.operands[0].projection, part.index);
  for (int dim = 1; dim + 1 < region.rank(); ++dim) {
    low.push_back(part.reads[0].start()[dim] - region.start()[dim]);
    high.push_back(region.end()[dim] - part.reads[0].end()[dim]);
  }
  low.insert(low.end(), high.begin(), high.end());
  return low;
}

Values make(ir::ConvolutionOp op, const Making& making) {
  if (!making.operands[0]) { // all of it lies outside
    const DType dtype = ir::dtype_of(op.getResult());
    return {language::full(
        making.b, making.result_shape(),
        language::cast(making.b, language::integer_constant(making.b, 0, DType::i32), dtype))};
  }
  Values results = clone(making);
  auto part = llvm::cast<ir::ConvolutionOp>(results[0].getDefiningOp());
  std::vector<int64_t> all = borders(op, making.part, making.signature);
  llvm::ArrayRef<int64_t> widths(all);
  part.setLow(widths.take_front(widths.size() / 2));
  part.setHigh(widths.drop_front(widths.size() / 2));
  if (const GroupDims dims = group_dims(op); dims.group >= 0)
    part.setGroups(static_cast<uint64_t>(making.part.index.extent(dims.group)));
  return results;
}

/// Keys are one after the other; queries know their number where a window or a function asks for
/// it.
std::vector<int> whole_dims(ir::AttentionOp op) {
  const auto rank = static_cast<int>(ir::rank_of(op.getResult()));
  std::vector<int> dims{rank - 1};
  if (op.getLeft() || op.getRight() || !op.getVisible().empty())
    dims.push_back(rank - 2);
  if (!op.getVisible().empty())
    for (int dim = 0; dim < rank - 2; ++dim)
      dims.push_back(dim);
  return dims;
}

/// Indices that share one of an operand's stay together, or are of one group.
Box widened(ir::AttentionOp op, Box index) {
  const Shape result = ir::shape_of(op.getResult());
  for (Value operand : op->getOperands()) {
    const Shape shape = ir::shape_of(operand);
    if (shape.size() != result.size())
      continue;
    for (int dim = 0; dim + 2 < index.rank(); ++dim) {
      const int64_t shared = ir::shared_by(result[dim], shape[dim]);
      const int64_t first = index.start()[dim], last = index.end()[dim];
      if (shared <= 1 || last <= first || first / shared == (last - 1) / shared)
        continue;
      index = space::with_range(index, dim, first / shared * shared,
                                (last + shared - 1) / shared * shared);
    }
  }
  return index;
}

} // namespace kolam::transform::cut
