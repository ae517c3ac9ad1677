// Builds the parts of signatures.
#include "kolam/ir/signature_parts.h"

#include "kolam/ir/pointwise.h"

#include "kolam/ir/dialect.h"
#include "kolam/ir/signed_op.h"

namespace kolam::ir {

std::vector<space::IndexDim> map_dims(const Shape& shape) {
  std::vector<space::IndexDim> dims;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    dims.push_back(space::map_dim("i" + std::to_string(dim), shape[dim]));
  return dims;
}

Shape signature_shape(mlir::Value value) {
  if (llvm::isa<ListType>(value.getType()))
    return {Extent::symbol("L")};
  if (auto ref = llvm::dyn_cast<RefType>(value.getType()))
    return shape_of(ref.getValue());
  return shape_of(value);
}

space::Operand read(std::string name, mlir::Value value, space::Projection projection,
                    space::Policy policy) {
  return {std::move(name), space::Role::in, signature_shape(value), std::move(projection), policy};
}

space::Operand read_anywhere(std::string name, mlir::Value value, space::Projection projection,
                             space::Policy policy) {
  space::Operand operand = read(std::move(name), value, std::move(projection), policy);
  operand.indirect = true;
  return operand;
}

space::Operand write(std::string name, mlir::Value value, space::Projection projection) {
  return {std::move(name), space::Role::out, signature_shape(value), std::move(projection)};
}

space::Projection whole(int64_t index_rank, mlir::Value value) {
  Shape shape = signature_shape(value);
  return space::fixed(static_cast<int>(index_rank), Shape(shape.size()), shape);
}

space::Projection direct_where(const std::vector<bool>& direct, mlir::Value value) {
  std::vector<int> dims;
  for (size_t dim = 0; dim < direct.size(); ++dim)
    dims.push_back(direct[dim] ? static_cast<int>(dim) : space::kWhole);
  return space::axial(static_cast<int>(direct.size()), dims, shape_of(value));
}

space::AffineRow row(int64_t index_rank, llvm::ArrayRef<Term> terms, const Extent& offset) {
  space::AffineRow result{std::vector<int64_t>(index_rank, 0), offset};
  for (const Term& term : terms)
    result.coefficients[term.dim] = term.coefficient;
  return result;
}

space::Projection cells(int64_t index_rank, std::vector<space::AffineRow> rows) {
  Shape size(rows.size(), Extent(1));
  return space::projection({static_cast<int>(index_rank), std::move(rows)}, size);
}

space::Signature over_result(mlir::Operation* op, std::vector<space::Operand> reads) {
  mlir::Value result = op->getResult(0);
  space::Signature signature{name_of(op), map_dims(shape_of(result)), std::move(reads)};
  signature.operands.push_back(
      write("result", result, space::identity(static_cast<int>(rank_of(result)))));
  return signature;
}

space::Signature cell_by_cell(mlir::Operation* op) {
  std::vector<space::Operand> reads;
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    reads.push_back(read("operand" + std::to_string(number), operand,
                         space::identity(static_cast<int>(rank_of(operand)))));
  return over_result(op, std::move(reads));
}

space::Signature opaque_signature(mlir::Operation* op) {
  space::Signature signature{name_of(op), {}, {}};
  signature.opaque = true;
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    signature.operands.push_back(
        read("operand" + std::to_string(number), operand, whole(0, operand)));
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    signature.operands.push_back(
        write("result" + std::to_string(number), result, whole(0, result)));
  return signature;
}

std::string name_of(mlir::Operation* op) { return op->getName().stripDialect().str(); }

double rough_count(const Shape& shape) {
  double product = 1;
  for (const Extent& extent : shape)
    product *= static_cast<double>(extent.constant().value_or(1000));
  return product;
}

double region_flops(mlir::Region& region) {
  double flops = 0;
  for (mlir::Operation& op : region.getOps())
    if (auto signed_op = llvm::dyn_cast<SignedOp>(op))
      flops += flops_per_point(&op) * rough_count(space::index_shape(signed_op.signature()));
  return flops;
}

} // namespace kolam::ir
