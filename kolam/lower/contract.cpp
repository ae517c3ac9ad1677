// Elements of kolam.contract: a loop over the summed indices.
#include "kolam/ir/contract_spec.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/product_arithmetic.h"

namespace kolam::lower {

Values emit_cells(ir::ContractOp op, IndexSpan index, Emission& e) {
  ir::ContractSpec spec = *ir::parse_contract_spec(op.getSpec());
  Shape extents = spec.extents(ir::shape_of(op.getLhs()), ir::shape_of(op.getRhs()));
  Values summed;
  for (int i = spec.result_count; i < spec.index_count; ++i)
    summed.push_back(e.extent(extents[i]));

  auto factors = [&](IndexSpan places) {
    Index all(index);
    all.append(places.begin(), places.end());
    auto pick = [&](const std::vector<int>& letters) {
      Index picked;
      for (int letter : letters)
        picked.push_back(all[letter]);
      return picked;
    };
    Terms terms{{e.cell(op.getLhs(), pick(spec.lhs))}, {e.cell(op.getRhs(), pick(spec.rhs))}, {}};
    if (op.getWhere())
      terms.counts = {e.cell(op.getWhere(), pick(spec.where))};
    return terms;
  };
  ProductArithmetic product(ir::dtype_of(op.getLhs()), ir::dtype_of(op.getResult()), e);
  Values sum = e.sums(product, ir::accumulate_of(op.getAccumulate()), summed, 1, factors);
  return {product.result(sum[0])};
}

} // namespace kolam::lower
