// kolam.kernel_call: runs a kernel for each point of a grid.
#include "kolam/ir/block_spec.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {
namespace {

mlir::Type ref_of(mlir::Type tensor) {
  return RefType::get(llvm::cast<mlir::RankedTensorType>(tensor));
}

mlir::Type scalar_type(mlir::MLIRContext* context) { return tensor_type(context, DType::i32, {}); }

llvm::LogicalResult expect_block(KernelCallOp op, size_t number) {
  mlir::Value array = blocked_array(op, number);
  auto where = "block " + std::to_string(number) + ": ";
  auto spec = BlockSpec::from_attr(op.getBlocks()[number]);
  if (!spec)
    return op.emitOpError() << where << "expected kinds, sizes, low, high and pad, but got "
                            << op.getBlocks()[number];
  if (static_cast<int64_t>(spec->dims.size()) != rank_of(array))
    return op.emitOpError() << where << "expected " << rank_of(array) << " dims, but got "
                            << spec->dims.size();
  const Shape shape = shape_of(array);
  for (auto [dim, extent] : llvm::zip_equal(spec->dims, shape)) {
    const bool is_empty = dim.size == Extent(0) && extent == Extent(0); // all of no elements
    if ((dim.size.constant().value_or(1) < 1 && !is_empty) || dim.low < 0 || dim.high < 0)
      return op.emitOpError() << where << "expected sizes of at least 1 and no negative padding";
    if (dim.kind == BlockKind::squeezed && !(dim.size == Extent(1)))
      return op.emitOpError() << where << "expected squeezed dims of size 1";
    if (dim.kind != BlockKind::element && (dim.low != 0 || dim.high != 0))
      return op.emitOpError() << where << "expected padding in element dims alone";
  }
  if (spec->pad.getType() != tensor_type(op.getContext(), dtype_of(array), {}))
    return op.emitOpError() << where << "expected a pad value of dtype "
                            << llvm::StringRef(kolam::name(dtype_of(array)));
  return mlir::success();
}

/// Which arguments of the body writes reach, checked against those that may be written.
llvm::LogicalResult expect_written(KernelCallOp op) {
  mlir::Block& body = op.getBody().front();
  const auto rank = static_cast<unsigned>(op.getGrid().shape().size());
  const auto inputs = static_cast<unsigned>(op.getInputs().size());
  mlir::Operation* wrong = nullptr;
  op.getBody().walk([&](mlir::Operation* inner) {
    mlir::Value ref = written_ref(inner);
    if (!ref)
      return;
    if (is_in_condition(inner))
      wrong = inner;
    for (mlir::Value root : roots_of(ref)) {
      auto argument = llvm::dyn_cast<mlir::BlockArgument>(root);
      if (!argument || argument.getOwner() != &body || argument.getArgNumber() >= rank + inputs)
        continue;
      if (!llvm::is_contained(op.getAliases(),
                              static_cast<int64_t>(argument.getArgNumber() - rank)))
        wrong = inner;
    }
  });
  if (!wrong)
    return mlir::success();
  if (is_in_condition(wrong))
    return wrong->emitOpError() << "writes in the condition of a loop, which only reads";
  return wrong->emitOpError() << "writes to an input that no result is the memory of";
}

} // namespace

llvm::LogicalResult KernelCallOp::verify() {
  const size_t rank = getGrid().shape().size(), inputs = getInputs().size();
  if (failed(expect_between(*this, static_cast<int64_t>(getPrefetch()), 0,
                            static_cast<int64_t>(inputs), "prefetch")))
    return mlir::failure();
  const size_t blocks = inputs - getPrefetch() + getResults().size();
  if (failed(expect_count(*this, getBlocks().size(), blocks, "blocks")) ||
      failed(expect_count(*this, getMaps().size(), blocks, "maps")) ||
      failed(expect_count(*this, getAliases().size(), getResults().size(), "aliases")) ||
      failed(expect_between(*this, getAliases(), -1, static_cast<int64_t>(inputs) - 1, "alias")))
    return mlir::failure();
  if (!getSemantics().empty() &&
      failed(expect_count(*this, getSemantics().size(), rank, "semantics")))
    return mlir::failure();
  for (mlir::Attribute word : getSemantics())
    if (failed(expect_one_of(*this, llvm::cast<mlir::StringAttr>(word).getValue(),
                             {"parallel", "arbitrary"}, "semantics")))
      return mlir::failure();
  for (auto [alias, result] : llvm::zip(getAliases(), getResults()))
    if (alias >= 0 && getInputs()[alias].getType() != result.getType())
      return emitOpError() << "expected a result of the type of input " << alias
                           << ", whose memory it is, but got " << result.getType();
  for (mlir::Attribute type : getScratch())
    if (!is_program_type(llvm::cast<mlir::TypeAttr>(type).getValue()))
      return emitOpError() << "expected tensors as scratch, but got " << type;
  for (size_t block = 0; block < blocks; ++block)
    if (failed(expect_block(*this, block)))
      return mlir::failure();
  return mlir::success();
}

llvm::LogicalResult KernelCallOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> point(getGrid().shape().size(), scalar_type(getContext()));
  for (mlir::Value input : getInputs().take_front(getPrefetch()))
    point.push_back(ref_of(input.getType()));
  llvm::SmallVector<mlir::Type> arguments = point;
  llvm::append_range(point, getCaptures().getTypes());
  for (auto [number, attr] : llvm::enumerate(getBlocks())) {
    BlockSpec spec = *BlockSpec::from_attr(attr);
    arguments.push_back(ref_of(
        tensor_type(getContext(), dtype_of(blocked_array(*this, number)), spec.ref_shape())));
    mlir::Region& map = getMaps()[number];
    if (failed(expect_arguments(*this, map, point, "a map")) ||
        failed(expect_count(*this, yielded_types(map).size(),
                            static_cast<int64_t>(spec.dims.size()), "numbers from a map")) ||
        failed(
            expect_integers(*this, map.front().getTerminator()->getOperands(), "what a map gives")))
      return mlir::failure();
  }
  for (mlir::Attribute type : getScratch())
    arguments.push_back(ref_of(llvm::cast<mlir::TypeAttr>(type).getValue()));
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")) ||
      failed(expect_yields(*this, getBody(), {}, "the body")))
    return mlir::failure();
  return expect_written(*this);
}

space::Signature KernelCallOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
