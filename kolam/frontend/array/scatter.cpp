// Calls scatter.
#include "kolam/frontend/array/scatter.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/scatter.h"

namespace kolam {
namespace {

/// Calls `make(b, operands, updates, start_indices)` on the values of all arguments.
template <class Make>
std::vector<Tensor> apply_scatter(const std::vector<Operand>& operands,
                                  const std::vector<Operand>& updates,
                                  const Operand& start_indices, Make make) {
  std::vector<Operand> all = operands;
  all.insert(all.end(), updates.begin(), updates.end());
  all.push_back(start_indices);
  size_t count = operands.size();
  return apply("scatter", all, [&](language::Builder& b, const language::Values& v) {
    return make(b, language::Values(v.begin(), v.begin() + count),
                language::Values(v.begin() + count, v.end() - 1), v.back());
  });
}

/// The region that calls `combine` on the cells of all operands and their updates.
language::CombinerRegion trace_combiner(language::Builder& b, const language::Values& operands,
                                        const ScatterCombiner& combine) {
  std::vector<mlir::Type> types;
  for (int turn = 0; turn < 2; ++turn)
    for (mlir::Value operand : operands)
      types.push_back(language::tensor_type(b, ir::dtype_of(operand), {}));
  size_t count = operands.size();
  Trace::Region traced = Trace::current()->region(types, [&](std::vector<Tensor> arguments) {
    std::vector<Tensor> state(arguments.begin(), arguments.begin() + count);
    return combine(state, {arguments.begin() + count, arguments.end()});
  });
  return {std::move(traced.region), std::move(traced.captures)};
}

} // namespace

std::vector<Tensor> scatter(const std::vector<Operand>& operands,
                            const std::vector<Operand>& updates, const Operand& start_indices,
                            const std::vector<int64_t>& scatter_dims, std::string_view rmw_op,
                            bool unique_indices, int64_t batched_dims, std::string_view mode) {
  language::ScatterSpec spec{scatter_dims, rmw_op, unique_indices, batched_dims, mode};
  return apply_scatter(operands, updates, start_indices,
                       [&](language::Builder& b, const language::Values& cells,
                           const language::Values& changes, mlir::Value indices) {
                         return language::scatter(b, cells, changes, indices, spec);
                       });
}

std::vector<Tensor> scatter(const std::vector<Operand>& operands,
                            const std::vector<Operand>& updates, const Operand& start_indices,
                            const std::vector<int64_t>& scatter_dims,
                            const ScatterCombiner& combine, bool unique_indices,
                            int64_t batched_dims, std::string_view mode) {
  language::ScatterSpec spec{scatter_dims, "user", unique_indices, batched_dims, mode};
  return apply_scatter(operands, updates, start_indices,
                       [&](language::Builder& b, const language::Values& cells,
                           const language::Values& changes, mlir::Value indices) {
                         return language::scatter(b, cells, changes, indices, spec,
                                                  trace_combiner(b, cells, combine));
                       });
}

Tensor scatter(const Operand& operand, const Operand& update, const Operand& start_indices,
               const std::vector<int64_t>& scatter_dims, std::string_view rmw_op,
               bool unique_indices, int64_t batched_dims, std::string_view mode) {
  return scatter(std::vector{operand}, std::vector{update}, start_indices, scatter_dims, rmw_op,
                 unique_indices, batched_dims, mode)[0];
}

Tensor scatter(const Operand& operand, const Operand& update, const Operand& start_indices,
               const std::vector<int64_t>& scatter_dims,
               const std::function<Tensor(Tensor, Tensor)>& combine, bool unique_indices,
               int64_t batched_dims, std::string_view mode) {
  ScatterCombiner one = [&](std::vector<Tensor> state, std::vector<Tensor> change) {
    return std::vector{combine(state[0], change[0])};
  };
  return scatter(std::vector{operand}, std::vector{update}, start_indices, scatter_dims, one,
                 unique_indices, batched_dims, mode)[0];
}

} // namespace kolam
