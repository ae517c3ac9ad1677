// Cutting convolutions.
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
  std::vector<int64_t> all = borders(op, making.part, making.signature);
  Making inner = making;
  if (space::is_empty(making.part.reads[0])) { // all of it lies outside: zeros, which weights may
                                               // make other numbers
    const Box region = space::region(making.signature.operands[0].projection, making.part.index);
    const Value zero = language::integer_constant(making.b, 0, DType::i32);
    inner.operands[0] = language::full(making.b, extents_of(region),
                                       language::cast(making.b, zero, ir::dtype_of(op.getInput())));
    all.assign(static_cast<size_t>(2 * (region.rank() - 2)), 0);
  }
  Values results = clone(inner);
  auto part = llvm::cast<ir::ConvolutionOp>(results[0].getDefiningOp());
  llvm::ArrayRef<int64_t> widths(all);
  part.setLow(widths.take_front(widths.size() / 2));
  part.setHigh(widths.drop_front(widths.size() / 2));
  if (const GroupDims dims = group_dims(op); dims.group >= 0)
    part.setGroups(static_cast<uint64_t>(making.part.index.extent(dims.group)));
  return results;
}

} // namespace kolam::transform::cut
