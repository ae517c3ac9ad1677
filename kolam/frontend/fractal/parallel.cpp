// What the parallel functions need of lists without types of their own.
#include "kolam/frontend/fractal/parallel.h"

namespace kolam::fractal::detail {

ScanResult scan_from_first(const std::vector<List>& lists, const ScanOptions& options,
                           const Body& body, Here where) {
  Scope scope(options.name, where);
  require(length(lists) >= 1, "list-empty",
          "expected an element or an initial value, but got an empty list", options.name);
  Data first = index(lists, options.reverse ? -1 : 0);
  Slice rest = options.reverse ? Slice{{}, -1} : Slice{1};
  ScanOptions after_first = options;
  after_first.after_first = true;
  ScanResult result = scan(first, slice(lists, rest), after_first, body, where);
  std::vector<List> firsts = single(first);
  for (size_t part = 0; part < lists.size(); ++part)
    result.all[part] = options.reverse ? join({{result.all[part]}, {firsts[part]}})[0]
                                       : join({{firsts[part]}, {result.all[part]}})[0];
  return result;
}

/// `number` as a leaf of `list`, where it is one.
static std::optional<Tensor> as_leaf(const Operand& number, const List& list) {
  bool fits = is_float(list.dtype()) || !std::holds_alternative<double>(number.value());
  if (list.depth() > 1 || !list.leaf_shape().empty() || !fits || !scalar_fits(number, list.dtype()))
    return std::nullopt;
  return full({}, number, list.dtype());
}

std::optional<Data> as_elements(const Data& states, const Numbers& numbers,
                                const std::vector<List>& lists) {
  Data results = states;
  for (size_t part = 0; part < lists.size(); ++part) {
    const List& list = lists[part];
    if (numbers[part]) {
      auto leaf = as_leaf(*numbers[part], list);
      if (!leaf)
        return std::nullopt;
      results[part] = *leaf;
      continue;
    }
    auto agrees = [&](int64_t depth, DType dtype, const Shape& shape) {
      return depth == list.depth() - 1 && dtype == list.dtype() && shape == list.leaf_shape();
    };
    auto* inner = std::get_if<List>(&states[part]);
    auto* tensor = std::get_if<Tensor>(&states[part]);
    if (inner ? !agrees(inner->depth(), inner->dtype(), inner->leaf_shape())
              : !agrees(0, tensor->dtype(), tensor->shape()))
      return std::nullopt;
  }
  return results;
}

} // namespace kolam::fractal::detail
