/// Nested ragged lists of equal arrays: one buffer of leaves, and offsets that say where each list
/// starts.
#pragma once

#include "kolam/runtime/array.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kolam::runtime {

/// Bound: no list nests deeper.
inline constexpr int64_t kDeepestList = 64;

/// How deep a list nests and what its leaves are. Lengths are no part of it.
struct ListType {
  int64_t depth = 1;
  DType dtype = DType::f32;
  std::vector<int64_t> leaf_shape = {};

  friend bool operator==(const ListType&, const ListType&) = default;
  /// `list<list<float32[1, 512]>>`.
  std::string to_string() const;
};

/// A list of lists ... of arrays of one dtype and shape, its leaves; all of them lie equally deep.
///
///     [[a, b], [], [c]]    leaves [a, b, c], level 0: [0, 3], level 1: [0, 2, 2, 3]
///
/// A handle that is copied without its elements; a sub-list is a view. *Level* k holds the lists at
/// k brackets from the outside: level 0 the list itself, level depth - 1 the lists of leaves.
///
/// Invariants: 1 <= depth <= kDeepestList; the offsets of a level do not decrease, and stay within
/// the next level's lists or the buffer's leaves. They lie in memory of Kolam's own, which nobody
/// changes. A default-made List is the empty handle: it has no type and no elements.
class List {
public:
  List() = default;
  explicit operator bool() const { return static_cast<bool>(leaves_); }

  /// The list of depth 1 + offsets.size() whose leaves are those of `leaves`, [n, leaf...], never
  /// copied. `offsets` holds levels 1, 2, ...: rank 1, one entry more than the level has lists;
  /// list j of the level has the elements offsets[j] to offsets[j + 1] of the next. They may start
  /// above 0 and end below the next level's end. i64 is shared unless its memory is foreign, where
  /// somebody could change it later: that, and i32, is copied. Throws `[list-offsets]`, naming
  /// level and place, and `[list-depth]`.
  static List from_offsets(Array leaves, const std::vector<Array>& offsets);
  /// The list of depth 1 of copies of `leaves`, at least one. Throws `[list-type]` where they
  /// differ in dtype or shape.
  static List from_leaves(std::span<const Array> leaves);
  /// The list of `lists`, at least one, copied: one level deeper. Throws `[list-type]`.
  static List from_lists(std::span<const List> lists);
  /// The elements of `lists`, at least one, one after the other: join([x], [y, z]) = [x, y, z].
  /// Throws `[list-type]`.
  static List join(std::span<const List> lists);
  /// A list without elements. Throws `[list-depth]`.
  static List empty(const ListType& type);

  ListType type() const;
  int64_t depth() const { return static_cast<int64_t>(offsets_.size()) + 1; }
  DType dtype() const { return leaves_.dtype(); }
  std::vector<int64_t> leaf_shape() const;
  /// The outermost length.
  int64_t size() const { return size_; }
  int64_t leaf_count() const { return nodes(depth()).size; }
  bool is_same_type(const List& other) const { return type() == other.type(); }

  /// Its own leaves in order, [leaf_count, leaf...]: a view.
  Array leaves() const;
  /// Where the lists of a level start among the next level's, from 0 on: i64, one entry more than
  /// the level has lists; level 0 is [0, size]. A view where the offsets start at 0 already.
  Array offsets(int64_t level) const;
  /// The lengths of a level's lists: i64; level 0 is [size].
  Array lengths(int64_t level) const;

  /// Element i of a list of depth > 1: a view. Throws `[list-index]` (no negative places here) and
  /// `[list-depth]`.
  List sublist(int64_t i) const;
  /// Element i of a list of depth 1: a view. Throws as `sublist`.
  Array leaf(int64_t i) const;
  /// Elements begin to end - 1: a view. Needs 0 <= begin <= end <= size; throws `[list-index]`.
  List slice(int64_t begin, int64_t end) const;
  /// The elements at `places` in that order, copied. Throws `[list-index]`.
  List take(std::span<const int64_t> places) const;
  /// The elements of the elements, of a list of depth > 1: a view. Throws `[list-depth]`.
  List flattened() const;

  /// As nested brackets, the innermost lists as arrays: more than 1000 elements and lists are
  /// summarised to three at each edge.
  std::string to_string() const;

private:
  /// Places in a level's numbering, which counts all that the buffers hold.
  struct Nodes {
    int64_t first = 0;
    int64_t size = 0;
  };
  /// Some neighbouring elements of a list.
  struct Piece {
    const List* list;
    Nodes nodes;
  };

  List(Array leaves, std::vector<Array> offsets, Nodes elements)
      : leaves_(std::move(leaves)), offsets_(std::move(offsets)), first_(elements.first),
        size_(elements.size) {}

  /// What lies below `nodes` of level 1 <= `level` < depth, in the numbering of the next one.
  Nodes below(int64_t level, Nodes nodes) const;
  /// Its lists of a level, and at `depth` its leaves; level 0 has no numbering.
  Nodes nodes(int64_t level) const;
  /// The offsets of a level from 1 on, as stored.
  const int64_t* stored(int64_t level) const {
    return offsets_[static_cast<size_t>(level - 1)].values<int64_t>().data();
  }
  /// The elements of all pieces, which are of one type, in order: copied.
  static List gather(std::span<const Piece> pieces);
  void require_place(int64_t i) const;
  void require_lists() const;

  Array leaves_;               ///< [n, leaf...]: also those of other views
  std::vector<Array> offsets_; ///< of levels 1 to depth - 1, likewise
  int64_t first_ = 0;          ///< the number of the first element
  int64_t size_ = 0;
};

/// Equal types and lengths, and leaves that compare equal: -0 equals 0, NaN equals nothing. Two
/// empty handles are equal.
bool operator==(const List& a, const List& b);

/// Equal types and lengths, and leaves of equal bits or both NaN. Two empty handles are equal.
bool same_bits(const List& a, const List& b);

} // namespace kolam::runtime
