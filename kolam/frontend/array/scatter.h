/// Windows combined into tensors at places given by data.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <functional>
#include <string_view>
#include <vector>

namespace kolam {

/// `operand` with one window of `update` per batch of `start_indices` combined in.
///
///     for each batch n, row-major, and each o:
///       result[start(n) + o] = f(result[start(n) + o], update[n..., o...])
///
/// Indices, `scatter_dims` and `batched_dims` are those of `gather`; the window is what `update`
/// has after the batch dims, full on dims that are not in `scatter_dims`. `rmw_op` names f:
/// "kUpdate" the update, "kAdd" and "kMul" sum and product (bf16 and f16 round after every update),
/// "kMin" and "kMax" the update only if it is smaller or larger (a NaN update is never inserted, a
/// NaN in the operand stays). Updates that hit one element act in batch order. `unique_indices`
/// promises that no element is hit twice; false is always right. A window not wholly inside: `mode`
/// "drop" leaves it out, "element" only its outside elements, "clip" moves its start inside, "wrap"
/// takes each place modulo the extent, "promise" is the caller's promise that there is none, and
/// "check" throws `[index-out-of-range]`.
/// Throws what `gather` throws, `[dtype-mismatch]` where the dtypes of operand and update differ,
/// and `[unknown-combiner]`. Source: SambaFlow's sn_scatter.
Tensor scatter(const Operand& operand, const Operand& update, const Operand& start_indices,
               const std::vector<int64_t>& scatter_dims, std::string_view rmw_op = "kUpdate",
               bool unique_indices = false, int64_t batched_dims = 0,
               std::string_view mode = "drop");

/// The same on several operands of one shape with one update each.
std::vector<Tensor> scatter(const std::vector<Operand>& operands,
                            const std::vector<Operand>& updates, const Operand& start_indices,
                            const std::vector<int64_t>& scatter_dims,
                            std::string_view rmw_op = "kUpdate", bool unique_indices = false,
                            int64_t batched_dims = 0, std::string_view mode = "drop");

/// f as a function of scalars: gets the element and the update as rank-0 tensors and gives the
/// element's next value, of the same dtype. Called once, on traced values; throws
/// `[combiner-mismatch]`.
Tensor scatter(const Operand& operand, const Operand& update, const Operand& start_indices,
               const std::vector<int64_t>& scatter_dims,
               const std::function<Tensor(Tensor, Tensor)>& combine, bool unique_indices = false,
               int64_t batched_dims = 0, std::string_view mode = "drop");

/// f over the elements of all operands together, and their updates: gives one next value per
/// operand.
using ScatterCombiner =
    std::function<std::vector<Tensor>(std::vector<Tensor> state, std::vector<Tensor> update)>;
std::vector<Tensor> scatter(const std::vector<Operand>& operands,
                            const std::vector<Operand>& updates, const Operand& start_indices,
                            const std::vector<int64_t>& scatter_dims,
                            const ScatterCombiner& combine, bool unique_indices = false,
                            int64_t batched_dims = 0, std::string_view mode = "drop");

} // namespace kolam
