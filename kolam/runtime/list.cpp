// Makes, views and compares nested ragged lists.
#include "kolam/runtime/list.h"

#include "kolam/support/error.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace kolam::runtime {
namespace {

std::string type_text(DType dtype, const std::vector<int64_t>& shape) {
  return std::string(name(dtype)) + shape_text(shape);
}

void require_depth(int64_t depth) {
  if (depth < 1 || depth > kDeepestList)
    fail(ErrorKind::value, "list-depth",
         "expected a depth from 1 to " + std::to_string(kDeepestList) + ", but got " +
             std::to_string(depth));
}

int64_t checked_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    fail(ErrorKind::value, "extent-overflow", "a list needs more than 2^63 - 1 elements");
  return sum;
}

[[noreturn]] void fail_offsets(int64_t level, const std::string& words) {
  fail(ErrorKind::value, "list-offsets",
       "offsets of level " + std::to_string(level) + ": " + words);
}

[[noreturn]] void fail_offset(int64_t level, int64_t place, int64_t offset,
                              const std::string& words) {
  fail_offsets(level, "expected " + words + " at place " + std::to_string(place) + ", but got " +
                          std::to_string(offset));
}

/// The offsets of a level as i64 that nobody else can write.
Array own_offsets(const Array& given, int64_t level) {
  const bool is_narrow = given.dtype() == DType::i32;
  if ((!is_narrow && given.dtype() != DType::i64) || given.rank() != 1)
    fail_offsets(level, "expected int64 or int32 of rank 1, but got " +
                            type_text(given.dtype(), given.shape()));
  if (given.size() == 0)
    fail_offsets(level, "expected at least one entry, but got none");
  if (is_narrow) {
    Array wide = Array::uninitialized(DType::i64, given.shape());
    std::ranges::copy(given.values<int32_t>(), wide.mutable_values<int64_t>().begin());
    return wide;
  }
  return given.buffer()->is_foreign() ? Array::copy_of(DType::i64, given.shape(), given.data())
                                      : given;
}

/// Throws unless 0 <= offsets[0] <= offsets[1] <= ... <= limit, the number of what is below.
void require_offsets(std::span<const int64_t> offsets, int64_t level, int64_t limit,
                     bool is_innermost) {
  if (offsets[0] < 0)
    fail_offset(level, 0, offsets[0], "at least 0");
  const auto decrease = std::ranges::adjacent_find(offsets, std::greater<>());
  if (decrease != offsets.end())
    fail_offset(level, decrease - offsets.begin() + 1, decrease[1],
                "at least " + std::to_string(*decrease) + ", the offset before,");
  const auto beyond = std::ranges::upper_bound(offsets, limit);
  if (beyond != offsets.end())
    fail_offset(
        level, beyond - offsets.begin(), *beyond,
        "at most " + std::to_string(limit) + ", the number of " +
            (is_innermost ? "leaves," : "lists of level " + std::to_string(level + 1) + ","));
}

[[noreturn]] void fail_type(size_t i, const std::string& expected, const std::string& actual) {
  fail(ErrorKind::type, "list-type",
       "xs[" + std::to_string(i) + "]: expected " + expected + ", as xs[0] is, but got " + actual);
}

void require_elements(size_t count) {
  if (count == 0)
    fail(ErrorKind::value, "list-type",
         "expected at least one element, whose type the list takes, but got none");
}

void require_one_type(std::span<const List> lists) {
  require_elements(lists.size());
  for (size_t i = 1; i < lists.size(); ++i)
    if (!lists[i].is_same_type(lists[0]))
      fail_type(i, lists[0].type().to_string(), lists[i].type().to_string());
}

std::vector<int64_t> with_outer(int64_t extent, std::vector<int64_t> shape) {
  shape.insert(shape.begin(), extent);
  return shape;
}

template <class T> bool is_equal(T a, T b) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    const uint16_t infinity = std::is_same_v<T, Float16> ? 0x7c00 : 0x7f80;
    if (((a.bits | b.bits) & 0x7fff) == 0)
      return true; // zeros of any sign
    return a == b && (a.bits & 0x7fff) <= infinity;
  } else {
    return a == b;
  }
}

bool same_structure(const List& a, const List& b) {
  if (!a.is_same_type(b) || a.size() != b.size())
    return false;
  for (int64_t level = 1; level < a.depth(); ++level)
    if (!same_bits(a.offsets(level), b.offsets(level)))
      return false;
  return true;
}

} // namespace

std::string ListType::to_string() const {
  std::string text = type_text(dtype, leaf_shape);
  for (int64_t level = 0; level < depth; ++level)
    text = "list<" + text + ">";
  return text;
}

List List::from_offsets(Array leaves, const std::vector<Array>& offsets) {
  require_depth(std::ssize(offsets) + 1);
  if (leaves.rank() == 0)
    fail(ErrorKind::value, "list-offsets",
         "expected leaves of rank at least 1, [n, leaf...], but got a rank-0 " +
             std::string(name(leaves.dtype())));
  std::vector<Array> own;
  for (size_t i = 0; i < offsets.size(); ++i)
    own.push_back(own_offsets(offsets[i], static_cast<int64_t>(i) + 1));
  for (size_t i = 0; i < own.size(); ++i) {
    const bool is_innermost = i + 1 == own.size();
    const int64_t limit = is_innermost ? leaves.shape()[0] : own[i + 1].size() - 1;
    require_offsets(own[i].values<int64_t>(), static_cast<int64_t>(i) + 1, limit, is_innermost);
  }
  const int64_t size = own.empty() ? leaves.shape()[0] : own[0].size() - 1;
  return List(std::move(leaves), std::move(own), {0, size});
}

List List::from_leaves(std::span<const Array> leaves) {
  require_elements(leaves.size());
  const DType dtype = leaves[0].dtype();
  const std::vector<int64_t>& shape = leaves[0].shape();
  for (size_t i = 1; i < leaves.size(); ++i)
    if (leaves[i].dtype() != dtype || leaves[i].shape() != shape)
      fail_type(i, type_text(dtype, shape), type_text(leaves[i].dtype(), leaves[i].shape()));
  Array all = Array::uninitialized(dtype, with_outer(std::ssize(leaves), shape));
  auto* to = static_cast<std::byte*>(all.mutable_data());
  const int64_t bytes = leaves[0].byte_count();
  for (size_t i = 0; i < leaves.size() && bytes > 0; ++i, to += bytes)
    std::memcpy(to, leaves[i].data(), static_cast<size_t>(bytes));
  const int64_t size = all.shape()[0];
  return List(std::move(all), {}, {0, size});
}

List List::from_lists(std::span<const List> lists) {
  List joined = join(lists);
  require_depth(joined.depth() + 1);
  Array starts = Array::uninitialized(DType::i64, {std::ssize(lists) + 1});
  int64_t* start = starts.mutable_values<int64_t>().data();
  *start = 0;
  for (const List& list : lists) {
    start[1] = start[0] + list.size();
    ++start;
  }
  joined.offsets_.insert(joined.offsets_.begin(), std::move(starts));
  joined.size_ = std::ssize(lists);
  return joined;
}

List List::join(std::span<const List> lists) {
  require_one_type(lists);
  std::vector<Piece> pieces;
  for (const List& list : lists)
    pieces.push_back({&list, {list.first_, list.size_}});
  return gather(pieces);
}

List List::empty(const ListType& type) {
  require_depth(type.depth);
  const std::vector<Array> offsets(static_cast<size_t>(type.depth) - 1,
                                   Array::zeros(DType::i64, {1}));
  return List(Array::zeros(type.dtype, with_outer(0, type.leaf_shape)), offsets, {});
}

ListType List::type() const { return {depth(), dtype(), leaf_shape()}; }

std::vector<int64_t> List::leaf_shape() const {
  const std::vector<int64_t>& shape = leaves_.shape();
  return {shape.begin() + (shape.empty() ? 0 : 1), shape.end()};
}

Array List::leaves() const {
  KOLAM_CHECK(leaves_);
  const Nodes own = nodes(depth());
  const std::vector<int64_t> leaf = leaf_shape();
  const int64_t bytes = checked_size(dtype(), leaf) * byte_width(dtype());
  return Array::view(leaves_.buffer(), leaves_.byte_offset() + own.first * bytes, dtype(),
                     with_outer(own.size, leaf));
}

Array List::offsets(int64_t level) const {
  KOLAM_CHECK(leaves_ && level >= 0 && level < depth());
  if (level == 0)
    return Array::of<int64_t>({0, size_});
  const Nodes own = nodes(level);
  const Array& all = offsets_[level - 1];
  Array view =
      Array::view(all.buffer(), all.byte_offset() + own.first * 8, DType::i64, {own.size + 1});
  const std::span<const int64_t> given = view.values<int64_t>();
  if (given[0] == 0)
    return view;
  Array rebased = Array::uninitialized(DType::i64, view.shape());
  std::ranges::transform(given, rebased.mutable_values<int64_t>().begin(),
                         [&](int64_t offset) { return offset - given[0]; });
  return rebased;
}

Array List::lengths(int64_t level) const {
  KOLAM_CHECK(leaves_ && level >= 0 && level < depth());
  if (level == 0)
    return Array::of<int64_t>({size_});
  const Nodes own = nodes(level);
  Array lengths = Array::uninitialized(DType::i64, {own.size});
  const int64_t* offsets = stored(level) + own.first;
  for (int64_t& length : lengths.mutable_values<int64_t>()) {
    length = offsets[1] - offsets[0];
    ++offsets;
  }
  return lengths;
}

List::Nodes List::below(int64_t level, Nodes nodes) const {
  const int64_t* offsets = stored(level) + nodes.first;
  return {offsets[0], offsets[nodes.size] - offsets[0]};
}

List::Nodes List::nodes(int64_t level) const {
  Nodes nodes = {first_, size_};
  for (int64_t above = 1; above < level; ++above)
    nodes = below(above, nodes);
  return nodes;
}

void List::require_place(int64_t i) const {
  if (i < 0 || i >= size_)
    fail(ErrorKind::index, "list-index",
         "expected a place in a list of length " + std::to_string(size_) + ", but got " +
             std::to_string(i));
}

void List::require_lists() const {
  if (depth() == 1)
    fail(ErrorKind::value, "list-depth",
         "expected a list of depth at least 2, but got " + type().to_string() +
             ", whose elements are leaves");
}

List List::sublist(int64_t i) const {
  require_lists();
  require_place(i);
  return List(leaves_, {offsets_.begin() + 1, offsets_.end()}, below(1, {first_ + i, 1}));
}

Array List::leaf(int64_t i) const {
  if (depth() != 1)
    fail(ErrorKind::value, "list-depth",
         "expected a list of depth 1, but got " + type().to_string() +
             ", whose elements are lists");
  require_place(i);
  return leaves_.slice_outer(first_ + i);
}

List List::slice(int64_t begin, int64_t end) const {
  if (begin < 0 || begin > end || end > size_)
    fail(ErrorKind::index, "list-index",
         "expected a range within a list of length " + std::to_string(size_) + ", but got " +
             std::to_string(begin) + " to " + std::to_string(end));
  return List(leaves_, offsets_, {first_ + begin, end - begin});
}

List List::take(std::span<const int64_t> places) const {
  std::vector<Piece> pieces = {{this, {first_, 0}}}; // no places: an empty list of this type
  for (const int64_t place : places) {
    require_place(place);
    pieces.push_back({this, {first_ + place, 1}});
  }
  return gather(pieces);
}

List List::flattened() const {
  require_lists();
  return List(leaves_, {offsets_.begin() + 1, offsets_.end()}, below(1, {first_, size_}));
}

List List::gather(std::span<const Piece> pieces) {
  const List& model = *pieces[0].list;
  std::vector<Nodes> nodes;
  for (const Piece& piece : pieces)
    nodes.push_back(piece.nodes);
  const auto count = [&] {
    return std::accumulate(nodes.begin(), nodes.end(), int64_t{0},
                           [](int64_t sum, Nodes some) { return checked_sum(sum, some.size); });
  };

  const int64_t size = count();
  std::vector<Array> levels;
  for (int64_t level = 1; level < model.depth(); ++level) {
    Array offsets = Array::uninitialized(DType::i64, {checked_sum(count(), 1)});
    int64_t* offset = offsets.mutable_values<int64_t>().data();
    *offset = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const int64_t* given = pieces[i].list->stored(level) + nodes[i].first;
      for (int64_t j = 0; j < nodes[i].size; ++j, ++offset)
        offset[1] = checked_sum(offset[0], given[j + 1] - given[j]);
      nodes[i] = pieces[i].list->below(level, nodes[i]);
    }
    levels.push_back(std::move(offsets));
  }

  const std::vector<int64_t> leaf = model.leaf_shape();
  Array leaves = Array::uninitialized(model.dtype(), with_outer(count(), leaf));
  const int64_t bytes = checked_size(model.dtype(), leaf) * byte_width(model.dtype());
  auto* to = static_cast<std::byte*>(leaves.mutable_data());
  for (size_t i = 0; i < pieces.size() && bytes > 0; ++i) {
    const auto* from = static_cast<const std::byte*>(pieces[i].list->leaves_.data());
    if (nodes[i].size > 0)
      std::memcpy(to, from + nodes[i].first * bytes, static_cast<size_t>(nodes[i].size * bytes));
    to += nodes[i].size * bytes;
  }
  return List(std::move(leaves), std::move(levels), {0, size});
}

bool operator==(const List& a, const List& b) {
  if (!a || !b)
    return !a && !b;
  if (!same_structure(a, b))
    return false;
  const Array x = a.leaves(), y = b.leaves();
  return visit_dtype(a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return std::ranges::equal(x.values<T>(), y.values<T>(), is_equal<T>);
  });
}

bool same_bits(const List& a, const List& b) {
  if (!a || !b)
    return !a && !b;
  return same_structure(a, b) && same_bits(a.leaves(), b.leaves());
}

} // namespace kolam::runtime
