/// The rules of the data dimension that many ops share, over shapes and signatures.
#pragma once

#include "kolam/space/data_dim.h"
#include "kolam/space/signature.h"

#include <optional>
#include <string_view>

namespace kolam::space {

/// The profiles that there are, the default first: "seed" (the document), "vollo27" (its later
/// revision, where a batch dim is no data dimension of a product), "relaxed" (both sides of a
/// product may contract along D, and reductions to rank 0).
const std::vector<DataDimProfile>& data_dim_profiles();
/// The profile of this name, or null.
const DataDimProfile* find_data_dim_profile(const std::string& name);

/// "free", "close to free", "compute", "slower".
std::string to_string(DataDimCost cost);
/// "dot", "axpy", "outer"; empty for none.
std::string to_string(DataDimVariant variant);

/// Whether a word may name a dim: a letter or `_`, then letters, digits and `_`; not `_` alone.
/// Letters are those of every script.
bool is_dim_name(std::string_view word);

/// What the default needs of each operand and result, in the signature's order.
struct SignedPlace {
  DataDimPlace place;
  bool takes_part = true; ///< not so constants, and tensors of rank 0
};

/// Whether an op computes, or only moves elements: where these keep their places along D it is
/// free.
enum class Work : uint8_t { computes, moves };

/// A row for each index dim that stands for D in what walks it, and one for dims that every point
/// owns whole.
///
/// Where a tensor has several dims that one index dim walks, there is a row for each. Results are
/// all walked. An operand of which a point reads one element is walked, or another operand is; so
/// the new dim of an expand_dims is never D. An operand whose place depends on data is walked too:
/// elements move along the D that they have. Other operands may have any D.
/// Reduced dims are D only where the results are of rank 0 and the profile allows that.
DataDimTable rows_of_signature(const Signature& signature, const std::vector<SignedPlace>& places,
                               const DataDimProfile& profile, Work work);

/// The dims of a reshape's result that can be D where it was `dim`: those of the same stride, the
/// product of the extents to the right, counted as expressions, 0 as 1.
///
/// A reshape that only adds and removes dims of extent 1 keeps D by its place, where D stays; else
/// the leftmost dim is taken, to whose right the others have extent 1.
std::optional<int> reshaped_dim(const Shape& from, const Shape& to, int dim);
/// The product of the extents to the right of `dim`, where an extent of 0 counts as 1.
Extent stride_of(const Shape& shape, int dim);

/// A dim of a product's operand: summed, or at a place of the result; shared where the other
/// operand has it too.
struct ProductDim {
  int index = 0;   ///< of the signature
  int result = -1; ///< -1: it is summed
  bool is_batch = false;
};

/// A product of two operands, each of which has its own dims or those of both.
struct Product {
  std::vector<ProductDim> left, right;
  Shape result;
  /// A batch dim is walked as by a function of elements: without sums over other dims.
  bool is_elementwise_along_batches = false;
};

/// Rule R9: D of the left operand, the right one and the result, kAnyDim for constants.
///
/// One operand is loaded as weights, the other one is streamed. Streamed along a summed dim D goes
/// to a dim that the weights alone have (dot), along another one it stays (axpy). A constant is
/// loaded for free; a runtime operand as weights needs `allow_dynamic_weights`. Of two runtime
/// operands exactly one contracts along its D, or, where the profile says so, both.
/// Weights without a dim of their own give one of extent 1, which a reshape takes away again.
std::vector<DataDimRow> product_rows(const Product& product, bool left_is_constant,
                                     bool right_is_constant, const DataDimQuestion& question);

} // namespace kolam::space
