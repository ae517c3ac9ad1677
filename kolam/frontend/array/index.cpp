// Calls indexing.
#include "kolam/frontend/array/index.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/counted.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/language/broadcast.h"
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

const Tensor* mask_of(const Index& item) {
  auto* tensor = std::get_if<Tensor>(&item.value());
  return tensor && !tensor->is_empty() && tensor->dtype() == DType::boolean ? tensor : nullptr;
}

/// How many dims of the indexed tensor an item stands for; an ellipsis for none.
int64_t dims_of(const Index& item) {
  if (const Tensor* mask = mask_of(item))
    return mask->rank();
  return std::holds_alternative<NewAxis>(item.value()) ||
                 std::holds_alternative<Ellipsis>(item.value())
             ? 0
             : 1;
}

/// The coordinates of the true elements of a mask that stands for dims of these extents, the first
/// of them dim `dim` of the indexed tensor.
std::vector<Tensor> places_of(const Tensor& mask, const Shape& extents, int64_t dim) {
  Operand operand = traced_for(extents, mask);
  return apply("index", {&operand, 1}, [&](Builder& b, const Values& v) {
    Shape shape = ir::shape_of(v[0]);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == Extent(0))
        continue; // which takes nothing, whatever it stands for
      if (shape[d].is_constant() && extents[d].is_constant() && shape[d] != extents[d])
        language::fail_argument(ErrorKind::index, "shape-mismatch", "index",
                                "a mask of extent " + extents[d].to_string() + " in dim " +
                                    std::to_string(d),
                                shape[d].to_string());
      shape[d] = language::unify(b, extents[d], shape[d],
                                 "argument 'index', a mask, dim " + std::to_string(dim + d));
    }
    return language::nonzero(b, language::with_shape(b, v[0], shape), count_of({}), {0});
  });
}

/// x[items...] as what is indexed and items without masks.
struct Unmasked {
  Operand x;
  std::vector<Index> items;
};

Unmasked without_masks(const Operand& x, const std::vector<Index>& items) {
  Unmasked result{x, {}};
  auto* tensor = std::get_if<Tensor>(&x.value());
  Shape shape = tensor && !tensor->is_empty() ? tensor->shape() : Shape();
  auto rank = static_cast<int64_t>(shape.size());
  int64_t named = 0, dim = 0, added = 0;
  for (const Index& item : items)
    named += dims_of(item);
  if (named > rank)
    language::fail_argument(ErrorKind::index, "rank-mismatch", "index",
                            "items for at most " + std::to_string(rank) + " dims",
                            "items for " + std::to_string(named));
  for (const Index& item : items) {
    const Tensor* mask = mask_of(item);
    if (!mask) {
      result.items.push_back(item);
    } else if (mask->rank() == 0) {
      result.x = expand_dims(result.x, dim + added++);
      result.items.emplace_back(places_of(expand_dims(*mask, 0), {1}, dim)[0]);
    } else {
      Shape extents(shape.begin() + dim, shape.begin() + dim + mask->rank());
      for (Tensor& places : places_of(*mask, extents, dim))
        result.items.emplace_back(std::move(places));
    }
    dim += std::holds_alternative<Ellipsis>(item.value()) ? rank - named : dims_of(item);
  }
  return result;
}

} // namespace

Tensor index(const Operand& x, const std::vector<Index>& items) {
  CallScope scope("index", x.where());
  if (std::any_of(items.begin(), items.end(), mask_of)) {
    Unmasked unmasked = without_masks(x, items);
    return index(unmasked.x, unmasked.items);
  }
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
