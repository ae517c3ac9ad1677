/// Sums in regions of kernels.
#pragma once

#include "kolam/language/builder.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::ir {
class ContractOp;
} // namespace kolam::ir

namespace kolam::transform::kernels {

/// x and y of x + y; null of another op.
std::pair<language::Value, language::Value> terms_of(language::Value value);
/// Whether all elements are +0.
bool is_zero(language::Value value);

/// The dims of a product's factors that it sums, and how many terms: one chain, whose sum is not
/// rounded to another dtype. nullopt of another product.
struct ChainOfTerms {
  int64_t left, right, length;
};
std::optional<ChainOfTerms> chain_of_terms(ir::ContractOp product);
/// The product whose chains of `length` terms are those of products like it, merged in order.
language::Value chains_in_order(language::Builder& b, ir::ContractOp like, language::Value left,
                                language::Value right, int64_t length);

/// Copies what values of a region need, up to what `mapping` knows.
void copy_slice(language::Builder& b, mlir::Region& region, const language::Values& values,
                mlir::IRMapping& mapping);

} // namespace kolam::transform::kernels
