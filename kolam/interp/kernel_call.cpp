// kolam.kernel_call: the kernel runs on Refs of blocks, for each point of the grid in row-major
// order.
#include "kolam/interp/list_values.h"
#include "kolam/interp/literal.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/kernels.h"

namespace kolam::interp {
namespace {

/// The block of an array that a map's numbers name.
Ref block_of(const Array& array, const ir::BlockSpec& spec, const Data& numbers,
             const Evaluation& e) {
  std::vector<int64_t> starts, sizes, ref_sizes;
  for (auto [dim, number] : llvm::zip(spec.dims, numbers)) {
    int64_t at = integer_of(std::get<Array>(number)), size = e.size(dim.size);
    starts.push_back(dim.kind == ir::BlockKind::element ? at - dim.low : at * size);
    sizes.push_back(size);
    if (dim.kind != ir::BlockKind::squeezed)
      ref_sizes.push_back(size);
  }
  Ref block = Ref::of(array, to_array(spec.pad))
                  .sliced(starts, std::vector<int64_t>(starts.size(), 1), sizes);
  block.shape = ref_sizes;
  return block;
}

} // namespace

void evaluate_op(ir::KernelCallOp op, Evaluation& e) {
  const size_t prefetched = op.getPrefetch(), inputs = op.getInputs().size();
  const std::vector<ir::BlockSpec> specs = ir::block_specs(op);

  std::vector<Array> arrays; // inputs, then results
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    const bool is_changed = llvm::is_contained(op.getAliases(), static_cast<int64_t>(number));
    arrays.push_back(is_changed ? copy_of(e.get(input)) : e.get(input));
  }
  for (auto [alias, result] : llvm::zip(op.getAliases(), op.getResults()))
    arrays.push_back(alias >= 0 ? arrays[static_cast<size_t>(alias)]
                                : Array::zeros(ir::dtype_of(result), e.sizes(result.getType())));
  Data scratch, whole;
  for (mlir::Attribute attr : op.getScratch()) {
    mlir::Type type = llvm::cast<mlir::TypeAttr>(attr).getValue();
    scratch.emplace_back(Ref::zeros(ir::dtype_of(type), e.sizes(type)));
  }
  for (size_t number = 0; number < prefetched; ++number)
    whole.emplace_back(Ref::of(arrays[number], Array::zeros(arrays[number].dtype(), {})));

  const Data captures = e.get_data(op.getCaptures());
  for_each_index(e, e.sizes(op.getGrid().shape()), [&](const Index& point) {
    Data at;
    for (int64_t coordinate : point)
      at.emplace_back(scalar_of(coordinate, DType::i32));
    Data blocks;
    for (size_t block = 0; block < specs.size(); ++block)
      blocks.emplace_back(block_of(arrays[prefetched + block], specs[block],
                                   e.run_data(op.getMaps()[block], joined({at, whole, captures})),
                                   e));
    e.run_data(op.getBody(), joined({at, whole, blocks, scratch, captures}));
  });
  for (auto [number, result] : llvm::enumerate(op.getResults()))
    e.set(result, arrays[inputs + number]);
}

} // namespace kolam::interp
