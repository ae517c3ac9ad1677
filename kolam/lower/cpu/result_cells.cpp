// Computes and stores results.
#include "kolam/lower/cpu/result_cells.h"

#include "llvm/ADT/bit.h"

namespace kolam::lower::cpu {

void emit_result_cells(IndexSpan index, Emission& e) {
  mlir::Operation* root = e.nest().root;
  Values values = e.cells(root, index);
  for (auto [cell, result] : llvm::zip(values, root->getResults())) // what is stacked is stored
    e.store_result(result, index, cell);
}

void with_cells(int lanes, Value active, Emission& e, llvm::function_ref<void(int lanes)> body) {
  auto known = active ? constant_of(active) : std::nullopt;
  if (known && *known >= 1 && *known < lanes)
    lanes = static_cast<int>(llvm::bit_ceil(static_cast<uint64_t>(*known)));
  e.with_lanes(lanes, lanes == 1 || known == lanes ? Value() : active, [&] { body(lanes); });
}

} // namespace kolam::lower::cpu

// Note [One lane]
// LLVM 22 turns a masked store whose mask holds one constant lane into a store of that lane. Where
// the stored vector was narrowed just before (f16 and bf16 results), it stores the wide lane, over
// the next element. A single element is scalar code here, so such masks do not come up.
