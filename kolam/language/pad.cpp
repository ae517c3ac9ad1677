// Makes pads.
#include "kolam/language/pad.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/promotion.h"
#include "kolam/language/window.h"

namespace kolam::language {
namespace {

void require_widths(std::vector<PadWidth>& widths, int64_t rank) {
  if (widths.size() == 1)
    widths.resize(rank, widths[0]);
  if (static_cast<int64_t>(widths.size()) != rank)
    fail_argument(ErrorKind::value, "bad-pad-width", "pad_width",
                  "one width or " + std::to_string(rank), std::to_string(widths.size()));
  for (const PadWidth& width : widths)
    if (width.before < 0 || width.after < 0)
      fail_argument(ErrorKind::value, "bad-pad-width", "pad_width", "widths from 0",
                    std::to_string(std::min(width.before, width.after)));
}

} // namespace

Value pad(Builder& b, Value x, std::vector<PadWidth> widths, const std::string& mode, Value value) {
  window_mode(mode, {"constant", "edge", "reflect", "wrap"});
  DType dtype = ir::dtype_of(x);
  if (ir::rank_of(value) != 0)
    fail_argument(ErrorKind::value, "rank-mismatch", "constant_values", "a scalar",
                  describe(value));
  if (promote(dtype, ir::dtype_of(value)) != dtype)
    fail_argument(ErrorKind::type, "dtype-mismatch", "constant_values",
                  "a value of dtype " + std::string(name(dtype)), describe(value));
  require_widths(widths, ir::rank_of(x));
  Shape shape = ir::shape_of(x);
  llvm::SmallVector<int64_t> low, high;
  for (auto [dim, width] : llvm::enumerate(widths)) {
    if (mode != "constant" && (width.before > 0 || width.after > 0))
      require_at_most(b, 1, shape[dim], "empty-dim",
                      "argument 'x': expected elements in dim " + std::to_string(dim) +
                          " for mode '" + mode + "', but got extent " + shape[dim].to_string());
    shape[dim] = shape[dim] + Extent(width.before) + Extent(width.after);
    low.push_back(width.before);
    high.push_back(width.after);
  }
  if (shape == ir::shape_of(x))
    return x;
  return ir::PadOp::create(b, tensor_type(b, dtype, shape), x, cast(b, value, dtype), low, high,
                           mode);
}

} // namespace kolam::language
