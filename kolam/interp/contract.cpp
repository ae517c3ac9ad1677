// kolam.contract: result[free] = sum over the summed indices of lhs * rhs, in the op's accumulation
// order.
#include "kolam/interp/accumulation.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/interp/product.h"
#include "kolam/ir/contract_spec.h"

namespace kolam::interp {
namespace {

/// The operand's row-major element numbers as a function of the indices: number = sum stride[index]
/// * value.
std::vector<int64_t> index_strides(const std::vector<int>& letters,
                                   const std::vector<int64_t>& shape, int index_count) {
  std::vector<int64_t> strides(index_count, 0);
  int64_t stride = 1;
  for (size_t dim = letters.size(); dim-- > 0; stride *= shape[dim])
    strides[letters[dim]] += stride;
  return strides;
}

int64_t dot(const Index& index, const std::vector<int64_t>& strides) {
  int64_t sum = 0;
  for (size_t i = 0; i < index.size(); ++i)
    sum += index[i] * strides[i];
  return sum;
}

} // namespace

void evaluate_op(ir::ContractOp op, Evaluation& e) {
  const Array& lhs = e.get(op.getLhs());
  const Array& rhs = e.get(op.getRhs());
  Array result = e.make(op.getResult());
  ir::ContractSpec spec = *ir::parse_contract_spec(op.getSpec());
  std::vector<int64_t> extents(spec.index_count);
  for (size_t dim = 0; dim < spec.rhs.size(); ++dim)
    extents[spec.rhs[dim]] = rhs.shape()[dim];
  for (size_t dim = 0; dim < spec.lhs.size(); ++dim)
    extents[spec.lhs[dim]] = lhs.shape()[dim];
  std::vector<int64_t> lhs_strides = index_strides(spec.lhs, lhs.shape(), spec.index_count);
  std::vector<int64_t> rhs_strides = index_strides(spec.rhs, rhs.shape(), spec.index_count);

  const Array where = op.getWhere() ? e.get(op.getWhere()) : Array();
  std::vector<int64_t> where_strides;
  if (spec.has_where)
    where_strides = index_strides(spec.where, where.shape(), spec.index_count);

  // The summed elements as offsets, in the order they are added.
  std::vector<int64_t> summed(extents.begin() + spec.result_count, extents.end());
  struct Offsets {
    int64_t lhs, rhs, where;
  };
  std::vector<Offsets> offsets;
  Index full(spec.index_count, 0);
  for_each_index(e, summed, [&](const Index& k) {
    std::copy(k.begin(), k.end(), full.begin() + spec.result_count);
    offsets.push_back({dot(full, lhs_strides), dot(full, rhs_strides),
                       spec.has_where ? dot(full, where_strides) : 0});
  });

  std::fill(full.begin(), full.end(), 0);
  int64_t out = 0;
  Products products(lhs, rhs, result, ir::accumulate_of(op.getAccumulate()),
                    e.options().fused_multiply_add);
  for_each_index(e, result.shape(), [&](const Index& free) {
    std::copy(free.begin(), free.end(), full.begin());
    int64_t a = dot(full, lhs_strides), b = dot(full, rhs_strides);
    int64_t m = spec.has_where ? dot(full, where_strides) : 0;
    auto factors = [&](int64_t k) -> std::optional<CellPair> {
      poll_cancel(e.options());
      if (spec.has_where && !where.values<bool>()[m + offsets[k].where])
        return std::nullopt;
      return CellPair{a + offsets[k].lhs, b + offsets[k].rhs};
    };
    products.sum(out++, static_cast<int64_t>(offsets.size()), factors);
  });
  e.set(op.getResult(), products.finish());
}

} // namespace kolam::interp
