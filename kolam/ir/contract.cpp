// kolam.contract: sum of products over shared dimensions.
#include "kolam/ir/contract_spec.h"
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/monoid.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult ContractOp::verify() {
  std::optional<ContractSpec> spec = parse_contract_spec(getSpec().str());
  if (!spec)
    return emitOpError("expected a contraction such as 'ij,jk->ik', but got '") << getSpec() << "'";
  if (failed(expect_rank(*this, getLhs(), spec->lhs.size(), "the first operand")) ||
      failed(expect_rank(*this, getRhs(), spec->rhs.size(), "the second operand")))
    return mlir::failure();
  Shape lhs = shape_of(getLhs()), rhs = shape_of(getRhs());
  Shape extents = spec->extents(lhs, rhs);
  for (auto [dim, index] : llvm::enumerate(spec->rhs))
    if (!(extents[index] == rhs[dim]))
      return emitOpError("expected extent ")
             << extents[index].to_string() << " in dim " << dim
             << " of the second operand, but got " << rhs[dim].to_string();
  if (spec->has_where != static_cast<bool>(getWhere()))
    return emitOpError("expected letters for each operand, but got '") << getSpec() << "'";
  if (mlir::Value where = getWhere()) {
    Shape own;
    for (int index : spec->where)
      own.push_back(extents[index]);
    if (failed(expect_dtype(*this, where, DType::boolean, "where")) ||
        failed(expect_shape(*this, where, own, "where")))
      return mlir::failure();
  }
  extents.resize(spec->result_count);
  if (failed(expect_shape(*this, getResult(), extents, "the result")) ||
      failed(expect_factors(*this, getLhs(), getRhs(), getResult())))
    return mlir::failure();
  return expect_even_chunks(*this, getLhs(), accumulate_of(getAccumulate()));
}

space::Signature ContractOp::signature() {
  ContractSpec spec = *parse_contract_spec(getSpec().str());
  Shape extents = spec.extents(shape_of(getLhs()), shape_of(getRhs()));
  space::Signature signature{name_of(*this), map_dims(extents), {}};
  for (int index = spec.result_count; index < spec.index_count; ++index)
    signature.dims[index] =
        space::reduce_dim("i" + std::to_string(index), extents[index],
                          sum_monoid(dtype_of(getLhs()), dtype_of(getResult())));
  auto along = [&](const std::vector<int>& indices, mlir::Value value) {
    return space::axial(spec.index_count, indices, shape_of(value));
  };
  signature.operands = {read("lhs", getLhs(), along(spec.lhs, getLhs())),
                        read("rhs", getRhs(), along(spec.rhs, getRhs()))};
  if (getWhere())
    signature.operands.push_back(read("where", getWhere(), along(spec.where, getWhere())));
  signature.operands.push_back(write("result", getResult(), along(spec.result, getResult())));
  return signature;
}

double ContractOp::flops_per_point() { return 2; }

/// Rule R9; `where` may have any D.
std::vector<space::DataDimTable> ContractOp::data_dim_rows(const space::DataDimQuestion& question) {
  ContractSpec spec = *parse_contract_spec(getSpec().str());
  auto dims = [&](const std::vector<int>& own, const std::vector<int>& other) {
    std::vector<space::ProductDim> dims;
    for (int index : own)
      dims.push_back({index, index < spec.result_count ? index : -1,
                      index < spec.result_count && llvm::is_contained(other, index)});
    return dims;
  };
  space::Product product{dims(spec.lhs, spec.rhs), dims(spec.rhs, spec.lhs), shape_of(getResult())};
  auto is_constant = [&](size_t number) {
    return number < question.constants.size() && question.constants[number];
  };
  return {{{operand_place(0), operand_place(1), result_place(0)},
           space::product_rows(product, is_constant(0), is_constant(1), question)}};
}

} // namespace kolam::ir
