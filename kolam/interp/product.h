/// Sums of products, as contractions and convolutions need them.
#pragma once

#include "kolam/runtime/array.h"
#include "kolam/support/accumulate.h"

#include <functional>
#include <optional>

namespace kolam::interp {

/// Row-major element numbers of the two factors; -1 stands for a zero (padding).
struct CellPair {
  int64_t lhs, rhs;
};

/// Computes single result elements as sums of products in the op's accumulation order. bf16 and f16
/// factors accumulate in f32, bf16 as vdpbf16ps does (Note [bf16 pairs]); integers wrap in the
/// result's dtype.
class Products {
public:
  Products(const runtime::Array& lhs, const runtime::Array& rhs, const runtime::Array& result,
           const Accumulate& accumulate, bool fused);

  /// result[element] = sum over k < count of lhs * rhs at `factors(k)`; where that is nullopt, the
  /// term takes no part.
  void sum(int64_t cell, int64_t count,
           const std::function<std::optional<CellPair>(int64_t)>& factors);

  /// The result in its own dtype, rounded once.
  runtime::Array finish() const;

private:
  DType result_dtype_;
  bool bf16_;
  Accumulate accumulate_;
  bool fused_;
  runtime::Array lhs_, rhs_, sums_; // in the dtype of the accumulation
};

} // namespace kolam::interp
