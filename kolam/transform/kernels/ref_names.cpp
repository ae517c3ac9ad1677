// Keeps the names of Refs as an attribute of ops.
#include "kolam/transform/kernels/ref_names.h"

#include "kolam/ir/location.h"
#include "kolam/support/short_location.h"
#include "kolam/transform/kernels.h"

namespace kolam::transform {
namespace kernels {

/// Holds for each result of an op the name of the Ref whose array it is.
static constexpr llvm::StringLiteral kRefNames = "kolam.ref_names";

std::string note_of(ir::KernelCallOp call) {
  SourceLocation where = ir::to_source_location(call.getLoc());
  std::string note = "kernel " + call.getName().str();
  if (where)
    note += " (" + short_location(where) + ")";
  return note;
}

std::string RefNames::of(int ref) const {
  return ref < 0 || !call_.getRefNames()
             ? "an array of run_scoped"
             : llvm::cast<mlir::StringAttr>((*call_.getRefNames())[static_cast<size_t>(ref)])
                   .getValue()
                   .str();
}

void RefNames::note(int array, int64_t ref, int64_t first) {
  if (!call_.getRefNames())
    return;
  std::string name = of(static_cast<int>(ref));
  if (first >= 0)
    name = of(static_cast<int>(first)) + ", whose memory is " + name + ",";
  arrays_[array] = name + " of " + note_of(call_);
}

void RefNames::put_on(const language::Values& results, size_t place,
                      llvm::ArrayRef<int> arrays) const {
  if (llvm::all_of(arrays, [&](int array) { return arrays_.lookup(array).empty(); }))
    return;
  std::vector<std::string> names(results.size());
  for (auto [number, array] : llvm::enumerate(arrays))
    names[place + number] = arrays_.lookup(array);
  set_ref_names(results[place].getDefiningOp(), names);
}

} // namespace kernels

std::string ref_name(mlir::OpResult result) {
  auto names = result.getOwner()->getAttrOfType<mlir::ArrayAttr>(kernels::kRefNames);
  const size_t number = result.getResultNumber();
  // A rewrite may have taken results out.
  if (!names || names.size() != result.getOwner()->getNumResults())
    return "";
  return llvm::cast<mlir::StringAttr>(names[number]).getValue().str();
}

void set_ref_names(mlir::Operation* op, llvm::ArrayRef<std::string> names) {
  llvm::SmallVector<mlir::Attribute> words;
  for (const std::string& name : names)
    words.push_back(mlir::StringAttr::get(op->getContext(), name));
  op->setAttr(kernels::kRefNames, mlir::ArrayAttr::get(op->getContext(), words));
}

void keep_ref_names(mlir::Operation* op, mlir::Operation* made, llvm::ArrayRef<unsigned> kept) {
  if (!op->hasAttr(kernels::kRefNames))
    return;
  std::vector<std::string> names;
  for (unsigned number : kept)
    names.push_back(ref_name(op->getResult(number)));
  set_ref_names(made, names);
}

} // namespace kolam::transform
