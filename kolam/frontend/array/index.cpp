// Calls indexing.
#include "kolam/frontend/array/index.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/creation.h"
#include "kolam/language/index_arrays.h"
#include "kolam/language/promotion.h"

namespace kolam {
namespace {

using language::Builder;
using language::Values;

/// Starts as values: tensors follow one another in `values` from `next` on; numbers are i64, never
/// the dtype of the tensors beside them.
Values starts_of(Builder& b, const Operands& starts, const Values& values, size_t next) {
  Values result;
  for (const Operand& start : starts.values()) {
    if (std::holds_alternative<Tensor>(start.value()))
      result.push_back(values[next++]);
    else if (auto* number = std::get_if<int64_t>(&start.value()))
      result.push_back(language::weak_constant(b, *number, DType::i64));
    else if (auto* extent = std::get_if<Extent>(&start.value()))
      result.push_back(language::extent_scalar(b, *extent, DType::i64));
    else
      language::fail_argument(ErrorKind::type, "dtype-mismatch", "starts", "integer scalars",
                              "a scalar of another kind");
  }
  return result;
}

void add_tensors(const Operands& starts, std::vector<Operand>& operands) {
  for (const Operand& start : starts.values())
    if (std::holds_alternative<Tensor>(start.value()))
      operands.push_back(with_dtype(start));
}

} // namespace

Tensor index(const Operand& x, const std::vector<Index>& items) {
  std::vector<Operand> operands{x};
  for (const Index& item : items)
    if (auto* place = std::get_if<Tensor>(&item.value()))
      operands.emplace_back(*place);
  return apply("index", operands, [&](Builder& b, const Values& v) {
    std::vector<language::IndexItem> resolved;
    size_t next = 1;
    for (const Index& item : items)
      resolved.push_back(std::visit(
          [&](const auto& value) -> language::IndexItem {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Tensor>)
              return v[next++];
            else
              return value;
          },
          item.value()));
    return Values{language::index_arrays(b, v[0], resolved)};
  })[0];
}

Tensor dynamic_slice(const Operand& x, const Operands& starts, const Shape& sizes) {
  std::vector<Operand> operands{traced_for(sizes, x)};
  add_tensors(starts, operands);
  return apply("dynamic_slice", operands, [&](Builder& b, const Values& v) {
    return Values{language::dynamic_slice(b, v[0], starts_of(b, starts, v, 1), sizes)};
  })[0];
}

Tensor dynamic_update_slice(const Operand& x, const Operand& update, const Operands& starts) {
  std::vector<Operand> operands{x, update};
  add_tensors(starts, operands);
  return apply("dynamic_update_slice", operands, [&](Builder& b, const Values& v) {
    return Values{language::dynamic_update_slice(b, v[0], v[1], starts_of(b, starts, v, 2))};
  })[0];
}

} // namespace kolam
