// Elements of kolam.contract: a loop over the summed indices.
#include "kolam/ir/contract_spec.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/product_arithmetic.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

namespace kolam::lower {

Values emit_cells(ir::ContractOp op, IndexSpan index, Emission& e) {
  ir::ContractSpec spec = *ir::parse_contract_spec(op.getSpec());
  Shape extents = spec.extents(ir::shape_of(op.getLhs()), ir::shape_of(op.getRhs()));
  Values summed;
  for (int i = spec.result_count; i < spec.index_count; ++i)
    summed.push_back(e.extent(extents[i]));

  auto or_zero = [&](Value counts, Value x) {
    ScalarBuilder s(e.b);
    const DType dtype = ir::dtype_of(op.getLhs());
    return elementwise<ScalarBuilder, Value>(s, Fn::where, dtype,
                                             Values{counts, x, e.constant(dtype, 0)});
  };
  auto factors = [&](IndexSpan places) {
    Index all(index);
    all.append(places.begin(), places.end());
    auto pick = [&](const std::vector<int>& letters) {
      Index picked;
      for (int letter : letters)
        picked.push_back(all[letter]);
      return picked;
    };
    Value x = e.cell(op.getLhs(), pick(spec.lhs)), y = e.cell(op.getRhs(), pick(spec.rhs));
    if (op.getWhere()) {
      Value counts = e.cell(op.getWhere(), pick(spec.where));
      x = or_zero(counts, x);
      y = or_zero(counts, y);
    }
    return std::pair(Values{x}, Values{y});
  };
  ProductArithmetic product(ir::dtype_of(op.getLhs()), ir::dtype_of(op.getResult()), e);
  Values sum = e.sums(product, ir::accumulate_of(op.getAccumulate()), summed, 1, factors);
  return {product.result(sum[0])};
}

} // namespace kolam::lower
