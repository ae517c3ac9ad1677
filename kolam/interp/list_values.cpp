// Lists from elements and back.
#include "kolam/interp/list_values.h"

#include "kolam/interp/check.h"
#include "kolam/interp/work.h"
#include "kolam/ir/location.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <span>

namespace kolam::interp {

runtime::ListType list_type_of(mlir::Type type, const Evaluation& e) {
  auto list = llvm::cast<ir::ListType>(type);
  return {list.depth(), ir::dtype_of(list.leaf()), e.sizes(list.leaf())};
}

/// The type of a list whose body has never run: an extent that only a run knows is 0.
static runtime::ListType type_without_elements(mlir::Type type, const Evaluation& e) {
  auto list = llvm::cast<ir::ListType>(type);
  std::vector<int64_t> leaf;
  for (Extent extent : ir::shape_of(mlir::Type(list.leaf()))) {
    for (const std::string& symbol : extent.symbols())
      if (!e.bound(symbol))
        extent = extent.substitute({{symbol, Extent(0)}});
    leaf.push_back(e.size(extent));
  }
  return {list.depth(), ir::dtype_of(list.leaf()), leaf};
}

List list_of(const Data& elements, mlir::Type type, const Evaluation& e) {
  spend(e.options(), kOpPoints * static_cast<double>(elements.size()));
  if (elements.empty())
    return List::empty(type_without_elements(type, e));
  if (std::holds_alternative<Array>(elements[0])) {
    std::vector<Array> leaves;
    for (const Datum& datum : elements)
      leaves.push_back(std::get<Array>(datum));
    return List::from_leaves(leaves);
  }
  std::vector<List> lists;
  for (const Datum& datum : elements)
    lists.push_back(std::get<List>(datum));
  return List::from_lists(lists);
}

Datum element(const List& list, int64_t i) {
  if (list.depth() > 1)
    return list.sublist(i);
  return list.leaf(i);
}

Data elements(const std::vector<List>& lists, int64_t i) {
  Data data;
  for (const List& list : lists)
    data.push_back(element(list, i));
  return data;
}

void fail_op(mlir::Operation* op, const Evaluation& e, ErrorKind kind, std::string_view slug,
             const std::string& message) {
  std::string function = ir::note_of(op->getLoc()); // none in a program from text
  std::string words = said_of(function, message);
  CallScope scope(function.empty() ? ir::name_of(op) : "", ir::to_source_location(op->getLoc()));
  fail(kind, slug, e.path().empty() ? words : words + " (" + at_path(e.path()) + ")");
}

/// `3 for xs[0]`, where the user reaches the lists, which are the last operands, by paths.
static std::string length_of(const std::vector<List>& lists, size_t number, mlir::Operation* op) {
  std::string length = std::to_string(lists[number].size());
  std::vector<std::string> paths = ir::paths_of(op->getLoc());
  if (paths.size() < lists.size())
    return length;
  auto of_lists = std::span(paths).last(lists.size());
  bool has_all = std::ranges::none_of(of_lists, &std::string::empty);
  return has_all ? length + " for " + of_lists[number] : length;
}

std::vector<List> equal_lists(mlir::ValueRange values, const Evaluation& e, mlir::Operation* op) {
  std::vector<List> lists;
  for (mlir::Value value : values)
    lists.push_back(e.get_list(value));
  for (size_t number = 1; number < lists.size(); ++number)
    if (lists[number].size() != lists[0].size())
      fail_op(op, e, ErrorKind::value, "list-lengths",
              "expected lists of one length, but got " + length_of(lists, 0, op) + " and " +
                  length_of(lists, number, op));
  return lists;
}

Data joined(std::initializer_list<Data> parts) {
  Data all;
  for (const Data& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace kolam::interp
