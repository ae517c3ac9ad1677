// Makes lists from elements and offsets, prints and compares them.
#include "kolam/frontend/fractal/fractal_tensor.h"

#include "kolam/frontend/array/shape.h"
#include "kolam/frontend/fractal/places.h"
#include "kolam/language/builder.h"
#include "kolam/runtime/list_picture.h"

#include <algorithm>
#include <limits>

namespace kolam::fractal::detail {

std::string to_string(const Parts& parts, const std::vector<std::string>& paths) {
  std::string text;
  for (size_t part = 0; part < parts.size(); ++part) {
    const List& list = parts[part];
    if (part > 0)
      text += "\n";
    if (!paths[part].empty())
      text += paths[part] + ": ";
    text += list.type_text() + (list.is_traced() ? ", traced" : "\n" + list.host().to_string());
  }
  return text;
}

std::string picture(const Parts& parts, const std::vector<std::string>& paths) {
  std::string text;
  for (size_t part = 0; part < parts.size(); ++part)
    text += (paths[part].empty() ? "" : paths[part] + ": ") + runtime::picture(parts[part].host());
  return text;
}

std::string as_dot(const Parts& parts) {
  std::string text;
  for (const List& list : parts)
    text += runtime::as_dot(list.host());
  return text;
}

bool equal(const Parts& a, const Parts& b) {
  return std::ranges::equal(a, b,
                            [](const List& x, const List& y) { return x.host() == y.host(); });
}

const runtime::List& host(const Parts& parts, Here where) {
  Scope scope("FractalTensor", where);
  return parts[0].host();
}

void set_paths(Parts& parts, const std::vector<std::string>& paths) {
  for (size_t part = 0; part < parts.size(); ++part)
    parts[part].set_path(parts.size() > 1 ? "xs" + paths[part] : "");
}

const Parts& require_parts(const Parts& parts) {
  if (parts.empty())
    fail(ErrorKind::value, "empty-tensor", "expected a list, but got an empty handle");
  return parts;
}

/// The last element of a part is of the type of the first. Throws `[list-type]`, with its path.
static void require_type(const Data& column, const std::string& path) {
  if (std::visit([](const auto& value) { return value.is_empty(); }, column.back()))
    fail(ErrorKind::value, "empty-tensor", "expected elements, but got an empty handle");
  if (describe(column.back()) != describe(column[0]))
    fail(ErrorKind::type, "list-type",
         "xs[" + std::to_string(column.size() - 1) + "]" + path + ": expected " +
             describe(column[0]) + ", as xs[0]" + path + " is, but got " + describe(column.back()));
}

Parts list_of_rows(const std::vector<Data>& rows, const std::vector<std::string>& paths,
                   Here where) {
  Scope scope("FractalTensor", where);
  if (rows.empty())
    fail(ErrorKind::value, "list-type",
         "expected at least one element, whose type the list takes, but got none");
  Parts parts;
  for (size_t part = 0; part < rows[0].size(); ++part) {
    Data column;
    for (const Data& row : rows) {
      column.push_back(row[part]);
      require_type(column, paths[part]);
    }
    parts.push_back(list_of(column));
  }
  return parts;
}

List from_offsets(const Array& values, const std::vector<Array>& offsets, int64_t depth,
                  Here where) {
  Scope scope("from_offsets", where);
  auto levels = static_cast<int64_t>(offsets.size());
  if (levels != depth - 1)
    fail(ErrorKind::value, "list-depth",
         "expected offsets of " + std::to_string(depth - 1) + " levels for a list of depth " +
             std::to_string(depth) + ", but got " + std::to_string(levels));
  return runtime::List::from_offsets(values, offsets);
}

static Array narrowed(const Array& offsets) {
  std::span<const int64_t> wide = offsets.values<int64_t>();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (wide.back() > kMost)
    fail(ErrorKind::value, "list-offsets",
         "expected at most " + std::to_string(kMost) + " leaves for int32, but got " +
             std::to_string(wide.back()));
  Array narrow = Array::uninitialized(DType::i32, offsets.shape());
  std::ranges::copy(wide, narrow.mutable_values<int32_t>().begin());
  return narrow;
}

std::pair<Array, std::vector<Array>> to_offsets(const List& list, DType dtype, Here where) {
  Scope scope("to_offsets", where);
  if (dtype != DType::i64 && dtype != DType::i32)
    language::fail_argument(ErrorKind::type, "argument-type", "index_dtype", "int64 or int32",
                            std::string(name(dtype)));
  const runtime::List& host = list.host();
  std::vector<Array> offsets;
  for (int64_t level = 1; level < host.depth(); ++level)
    offsets.push_back(dtype == DType::i64 ? host.offsets(level) : narrowed(host.offsets(level)));
  return {host.leaves(), std::move(offsets)};
}

/// The level of the lists of depth `d` in one of `depth`. Throws `[list-depth]`.
static int64_t level_of(int64_t d, int64_t depth) {
  int64_t from_leaves = d < 0 ? depth + d + 1 : d;
  if (from_leaves < 1 || from_leaves > depth)
    fail(ErrorKind::value, "list-depth",
         "argument 'd': expected 1 to " + std::to_string(depth) + ", or -" + std::to_string(depth) +
             " to -1, but got " + std::to_string(d));
  return depth - from_leaves;
}

std::vector<int64_t> widths(const runtime::List& list, int64_t d, int64_t depth, Here where) {
  Scope scope("width_by_depth", where);
  Array lengths = list.lengths(level_of(d, depth));
  return {lengths.values<int64_t>().begin(), lengths.values<int64_t>().end()};
}

List width_by_depth(const Parts& xs, int64_t d, int64_t depth, Here where) {
  Scope scope("width_by_depth", where);
  require_one_length(xs);
  int64_t level = level_of(d, depth);
  if (!xs[0].is_traced())
    return pack(xs[0].host().lengths(level), {});
  if (level == 0)
    return pack(expand_dims(list_length(xs[0]), 0), {});
  List lists = xs[0];
  for (int64_t outer = 1; outer < level; ++outer)
    lists = list_flatten(lists);
  SourceLocation user = CallScope::current_location();
  return map({lists}, [&](const Data& element) {
    CallScope inner("width_by_depth", user);
    return Data{list_length(std::get<List>(element[0]))};
  })[0];
}

void append_tensors(const Parts& parts, std::vector<Tensor>& tensors, bool is_static) {
  require_one_length(parts);
  for (const List& list : parts) {
    std::vector<Tensor> all = unpack(list);
    all[0] = all[0].of_list(static_cast<int64_t>(all.size()));
    size_t outermost = all.size() > 1 ? 1 : 0; // whose extent tells the list's length
    for (size_t number = 0; number < all.size(); ++number)
      tensors.push_back(is_static && number == outermost ? all[number] : all[number].counted());
  }
}

List take_list(int64_t depth, const Tensor*& next) {
  Tensor leaves = *next++;
  std::vector<Tensor> offsets(next, next + depth - 1);
  next += depth - 1;
  return pack(leaves, offsets);
}

} // namespace kolam::fractal::detail
