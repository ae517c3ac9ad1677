// Cells of kolam.contract: a loop over the summed indices.
#include "kolam/ir/contract_spec.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/product.h"

namespace kolam::lower {

Values emit_cells(ir::ContractOp op, IndexSpan index, Emission& e) {
  ir::ContractSpec spec = *ir::parse_contract_spec(op.getSpec());
  Shape extents = spec.extents(ir::shape_of(op.getLhs()), ir::shape_of(op.getRhs()));
  Values summed;
  for (int i = spec.result_count; i < spec.index_count; ++i)
    summed.push_back(e.extent(extents[i]));
  Value count = e.i64(1);
  for (Value extent : summed)
    count = e.mul(count, extent);

  auto factors = [&](const Coordinate& k) {
    Index all(index);
    all.append(e.unravel(k, summed));
    auto pick = [&](const std::vector<int>& letters) {
      Index picked;
      for (int letter : letters)
        picked.push_back(all[letter]);
      return picked;
    };
    return std::pair(e.cell(op.getLhs(), pick(spec.lhs)), e.cell(op.getRhs(), pick(spec.rhs)));
  };
  return {emit_product_sum(ir::dtype_of(op.getLhs()), ir::dtype_of(op.getResult()),
                           ir::accumulate_of(op.getAccumulate()), count, factors, e)};
}

} // namespace kolam::lower
