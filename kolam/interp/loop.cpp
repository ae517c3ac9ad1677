// Moves arrays in and out of regions.
#include "kolam/interp/loop.h"

#include "kolam/ir/late.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <cstring>

namespace kolam::interp {

int64_t integer_of(const Array& scalar) {
  return visit_dtype(scalar.dtype(), [&](auto tag) -> int64_t {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, uint64_t>)
      return static_cast<int64_t>(std::min<uint64_t>(scalar.item<T>(), INT64_MAX));
    else if constexpr (std::is_integral_v<T>)
      return static_cast<int64_t>(scalar.item<T>());
    else
      KOLAM_CHECK(!"an integer scalar");
    return 0;
  });
}

Array scalar_of(int64_t value, DType dtype) {
  return visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      return Array::scalar(static_cast<T>(value));
    else
      KOLAM_CHECK(!"an integer dtype");
    return Array();
  });
}

std::vector<Array> arrays_of(mlir::ValueRange values, const Evaluation& evaluation) {
  std::vector<Array> arrays;
  for (mlir::Value value : values)
    arrays.push_back(evaluation.get(value));
  return arrays;
}

void set_all(mlir::ValueRange results, const std::vector<Array>& arrays, Evaluation& evaluation) {
  KOLAM_CHECK(results.size() == arrays.size());
  for (auto [result, array] : llvm::zip(results, arrays))
    evaluation.set(result, array);
}

void set_all(mlir::ValueRange results, const Data& data, Evaluation& evaluation) {
  KOLAM_CHECK(results.size() == data.size());
  for (auto [result, datum] : llvm::zip(results, data))
    evaluation.set_datum(result, datum);
}

void bind_late(mlir::Operation* op, const Data& data, Evaluation& evaluation) {
  for (size_t number = 0; number < data.size(); ++number)
    if (auto symbol = ir::late_symbol(op, number))
      evaluation.bind(*symbol, std::get<Array>(data[number]).shape()[0]);
}

/// The rows of `behind` behind those of `rows`.
static Array appended(const Array& rows, const Array& behind) {
  std::vector<int64_t> shape = rows.shape();
  shape[0] += behind.shape()[0];
  Array result = Array::uninitialized(rows.dtype(), shape);
  auto* cells = static_cast<std::byte*>(result.mutable_data());
  if (rows.byte_count())
    std::memcpy(cells, rows.data(), rows.byte_count());
  if (behind.byte_count())
    std::memcpy(cells + rows.byte_count(), behind.data(), behind.byte_count());
  return result;
}

void take_turn(mlir::Operation* op, Data& state, Data next) {
  for (size_t number = 0; number < state.size(); ++number)
    state[number] =
        ir::is_appended(op, number)
            ? Datum(appended(std::get<Array>(state[number]), std::get<Array>(next[number])))
            : next[number];
}

std::vector<Array> joined(std::initializer_list<std::vector<Array>> lists) {
  std::vector<Array> all;
  for (const std::vector<Array>& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

void poll_cancel(const Options& options) {
  if (options.cancel && __atomic_load_n(options.cancel, __ATOMIC_RELAXED))
    throw Error(ErrorKind::runtime, "cancelled", "stopped on request");
}

} // namespace kolam::interp
