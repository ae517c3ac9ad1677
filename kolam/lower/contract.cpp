// Elements of kolam.contract: a loop over the summed indices.
#include "kolam/ir/contract_spec.h"
#include "kolam/lower/joined_runs.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/product_arithmetic.h"

namespace kolam::lower {

Values emit_cells(ir::ContractOp op, IndexSpan index, Emission& e) {
  ir::ContractSpec spec = *ir::parse_contract_spec(op.getSpec());
  Shape extents = spec.extents(ir::shape_of(op.getLhs()), ir::shape_of(op.getRhs()));
  Values summed;
  for (int i = spec.result_count; i < spec.index_count; ++i)
    summed.push_back(e.extent(extents[i]));

  const JoinedRuns runs = joined_runs(op, spec.result_count, summed, e);
  auto factors = [&](IndexSpan places) {
    Index all(index);
    all.resize(static_cast<size_t>(spec.index_count), Coordinate(e.i64(0)));
    for (auto [dim, place] : llvm::zip(runs.dims, places))
      all[dim] = place;
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
  Values sum = e.sums(product, ir::accumulate_of(op.getAccumulate()), runs.extents, 1, factors);
  return {product.result(sum[0])};
}

} // namespace kolam::lower
