/// An index over many boxes: which of them meet a box, whether they overlap, what they cover.
#pragma once

#include <functional>
#include <vector>

#include "kolam/space/box.h"

namespace kolam::space {

/// Whether two boxes of one rank have a common element.
bool meet(const Box& a, const Box& b);

/// A tree over boxes of one rank, each node with the bounds of what is below it (a k-d recursion
/// over their middles). n boxes take O(n log n) time to build; a query among disjoint boxes of
/// similar form takes O(log n) and its outcome.
///
/// Guards: equal ranks (`[space-rank]`), and bounds that hold all below. Empty boxes keep their
/// numbers and meet nothing.
class BoxIndex {
public:
  BoxIndex() = default;
  explicit BoxIndex(std::vector<Box> boxes);

  const std::vector<Box>& boxes() const { return boxes_; }
  /// Calls `f` with the number of each box that has an element in common with `query`, in no
  /// certain order, until it answers false. Says whether it never did.
  bool for_each_meeting(const Box& query, const std::function<bool(size_t)>& f) const;
  /// The numbers of these boxes, ascending.
  std::vector<size_t> meeting(const Box& query) const;

private:
  struct Node {
    size_t first, last; ///< of `order_`
    size_t right;       ///< the node of the second half; the first half's comes next; 0 in a leaf
  };
  void build(size_t first, size_t last);
  void bound(size_t first, size_t last);
  bool meets(const int64_t* bounds, const Box& query) const;

  int rank_ = 0;
  std::vector<Box> boxes_;
  std::vector<size_t> order_;
  std::vector<Node> nodes_;
  std::vector<int64_t> bounds_; ///< of each node: the starts, then the ends
};

/// Two boxes with a common element, by their numbers.
struct Overlap {
  size_t first, second;
  friend bool operator==(const Overlap&, const Overlap&) = default;
};
/// The pairs of boxes that overlap, at most `most` of them: ordered by the first dim's start, then
/// by number, of their boxes, the lesser one first.
std::vector<Overlap> overlaps(const std::vector<Box>& boxes, size_t most);
bool are_disjoint(const std::vector<Box>& boxes);

/// Whether every element of `whole` is in some of the boxes, which may overlap.
bool covers(const std::vector<Box>& boxes, const Box& whole);

} // namespace kolam::space
