// What the parallel functions need of lists without types of their own.
#include "kolam/frontend/fractal/parallel.h"

namespace kolam::fractal::detail {

ScanResult scan_from_first(const std::vector<List>& lists, const ScanOptions& options,
                           const Body& body, Seen states, Here where) {
  Scope scope(options.name, where);
  const int64_t end = options.reverse ? -1 : 0;
  Data first;
  if (states == Seen::last) {
    require(length(lists) >= 1, "list-empty",
            "expected an element or an initial value, but got an empty list", options.name);
    first = index(lists, end);
  } else {
    require_one_length(lists);
    for (const List& list : lists)
      first.push_back(list_end(list, end));
  }
  Slice rest = options.reverse ? Slice{{}, -1} : Slice{1};
  ScanOptions after_first = options;
  after_first.after_first = true;
  ScanResult result = scan(first, slice(lists, rest), after_first, body, where);
  if (states == Seen::last)
    return result;
  std::vector<List> firsts = slice(lists, options.reverse ? Slice{-1} : Slice{{}, 1});
  for (size_t part = 0; part < lists.size(); ++part)
    result.all[part] = options.reverse ? join({{result.all[part]}, {firsts[part]}})[0]
                                       : join({{firsts[part]}, {result.all[part]}})[0];
  return result;
}

/// `number` as a leaf of `list`; a float is none of integers.
static std::optional<Tensor> as_leaf(const Operand& number, const List& list) {
  bool is_of_its_kind = is_float(list.dtype()) || !std::holds_alternative<double>(number.value());
  if (list.depth() > 1 || !list.leaf_shape().empty() || !is_of_its_kind)
    return std::nullopt;
  return full({}, number, list.dtype());
}

std::optional<Data> as_elements(const std::vector<Given>& states, const std::vector<List>& lists) {
  Data results;
  for (size_t part = 0; part < lists.size(); ++part) {
    const List& list = lists[part];
    if (auto* number = std::get_if<Operand>(&states[part])) {
      auto leaf = as_leaf(*number, list);
      if (!leaf)
        return std::nullopt;
      results.emplace_back(*leaf);
      continue;
    }
    auto agrees = [&](int64_t depth, DType dtype, const Shape& shape) {
      return depth == list.depth() - 1 && dtype == list.dtype() && shape == list.leaf_shape();
    };
    const Datum& state = std::get<Datum>(states[part]);
    auto* inner = std::get_if<List>(&state);
    auto* tensor = std::get_if<Tensor>(&state);
    if (inner ? !agrees(inner->depth(), inner->dtype(), inner->leaf_shape())
              : !agrees(0, tensor->dtype(), tensor->shape()))
      return std::nullopt;
    results.push_back(state);
  }
  return results;
}

std::vector<bool> numbers_among(const std::vector<Given>& states) {
  std::vector<bool> are_numbers;
  for (const Given& state : states)
    are_numbers.push_back(std::holds_alternative<Operand>(state));
  return are_numbers;
}

} // namespace kolam::fractal::detail
