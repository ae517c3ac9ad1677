// Makes gathers.
#include "kolam/language/gather.h"

#include "kolam/language/window.h"

namespace kolam::language {

Value gather(Builder& b, Value x, Value start_indices, const GatherSpec& spec) {
  std::string mode = window_mode(spec.mode, {"clip", "fill", "wrap", "promise", "check"});
  Windows windows{window_dims(x, start_indices, spec.dims, spec.batched_dims, "gather_dims"),
                  spec.batched_dims,
                  {}};
  if (spec.lengths.size() != spec.dims.size())
    fail_argument(ErrorKind::value, "shape-mismatch", "gather_lengths",
                  std::to_string(spec.dims.size()) + " lengths, one per entry of 'gather_dims'",
                  std::to_string(spec.lengths.size()));
  windows.lengths.assign(spec.lengths.begin(), spec.lengths.end());
  Values operands{x, start_indices};
  unify_batched(b, operands, spec.batched_dims);
  Shape operand = ir::shape_of(operands[0]), indices = ir::shape_of(operands[1]);
  require_lengths(b, operand, windows, "gather_lengths");
  if (mode == "check")
    require_inside(b, operand, operands[1], windows, CallScope::current_function());

  Shape result(indices.begin(), indices.end() - 1);
  Shape window(operand.begin() + spec.batched_dims, operand.end());
  for (auto [dim, length] : llvm::zip(windows.dims, windows.lengths))
    window[dim] = length;
  result.insert(result.end(), window.begin(), window.end());
  return ir::GatherOp::create(b, tensor_type(b, ir::dtype_of(x), result), operands[0], operands[1],
                              windows.dims, spec.lengths, spec.batched_dims, mode);
}

} // namespace kolam::language
