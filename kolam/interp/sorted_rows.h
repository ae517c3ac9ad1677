/// The rows that sort and top_k order.
#pragma once

#include "kolam/interp/evaluation.h"
#include "kolam/runtime/sort.h"

namespace kolam::interp {

/// The rows of the last dim of `operand`, to be sorted into `values` and `indices`.
inline runtime::SortRows rows_of(const Array& operand, Array& values, Array& indices,
                                 bool descending, const Options& options) {
  int64_t rows = 1;
  for (int64_t dim = 0; dim + 1 < operand.rank(); ++dim)
    rows *= operand.shape()[dim];
  return {.dtype = operand.dtype(),
          .in = operand.data(),
          .values = values.mutable_data(),
          .indices = indices.mutable_data(),
          .index_width =
              indices.dtype() == DType::i64 ? runtime::IndexWidth::i64 : runtime::IndexWidth::i32,
          .rows = rows,
          .length = operand.shape().back(),
          .order = descending ? runtime::SortOrder::descending : runtime::SortOrder::ascending,
          .cancel = options.cancel};
}

} // namespace kolam::interp
