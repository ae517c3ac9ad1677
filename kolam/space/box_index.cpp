// Builds and asks a tree of boxes.
#include "kolam/space/box_index.h"

#include <algorithm>
#include <numeric>

namespace kolam::space {
namespace {

constexpr size_t kLeaf = 8;

/// Twice a middle could overflow; half of each end does not.
int64_t middle(const Box& box, int dim) { return (box.start()[dim] >> 1) + (box.end()[dim] >> 1); }

/// A place to cut: [.., at) and [at, ..) along `dim`.
struct Cut {
  int dim;
  int64_t at;
};

/// The median of the boxes' faces inside `whole`, in the dim that has most of them. Needs a face.
Cut median_face(const std::vector<const Box*>& boxes, const Box& whole) {
  Cut cut{0, 0};
  std::vector<int64_t> most, faces;
  for (int d = 0; d < whole.rank(); ++d) {
    faces.clear();
    for (const Box* box : boxes)
      for (int64_t face : {box->start()[d], box->end()[d]})
        if (face > whole.start()[d] && face < whole.end()[d])
          faces.push_back(face);
    if (faces.size() <= most.size())
      continue;
    most.swap(faces);
    cut.dim = d;
  }
  const auto middle = most.begin() + static_cast<std::ptrdiff_t>(most.size() / 2);
  std::nth_element(most.begin(), middle, most.end());
  cut.at = *middle;
  return cut;
}

/// Halves `whole` until a box contains the rest. A box that meets it and contains it not has a face
/// inside it.
bool covers_half(const std::vector<const Box*>& boxes, const Box& whole) {
  std::vector<const Box*> near;
  for (const Box* box : boxes)
    if (meet(*box, whole)) {
      if (contains(*box, whole))
        return true;
      near.push_back(box);
    }
  if (near.empty())
    return false;
  const Cut cut = median_face(near, whole);
  return covers_half(near, with_range(whole, cut.dim, whole.start()[cut.dim], cut.at)) &&
         covers_half(near, with_range(whole, cut.dim, cut.at, whole.end()[cut.dim]));
}

} // namespace

bool meet(const Box& a, const Box& b) {
  for (int d = 0; d < a.rank(); ++d)
    if (std::max(a.start()[d], b.start()[d]) >= std::min(a.end()[d], b.end()[d]))
      return false;
  return true;
}

BoxIndex::BoxIndex(std::vector<Box> boxes) : boxes_(std::move(boxes)) {
  rank_ = boxes_.empty() ? 0 : boxes_.front().rank();
  for (size_t i = 0; i < boxes_.size(); ++i) {
    check_rank(boxes_[i].rank(), rank_, "a box");
    if (!is_empty(boxes_[i]))
      order_.push_back(i);
  }
  if (!order_.empty())
    build(0, order_.size());
}

void BoxIndex::bound(size_t first, size_t last) {
  const size_t at = bounds_.size();
  for (int d = 0; d < 2 * rank_; ++d)
    bounds_.push_back(d < rank_ ? INT64_MAX : INT64_MIN);
  for (size_t i = first; i < last; ++i)
    for (int d = 0; d < rank_; ++d) {
      const Box& box = boxes_[order_[i]];
      bounds_[at + d] = std::min(bounds_[at + d], box.start()[d]);
      bounds_[at + rank_ + d] = std::max(bounds_[at + rank_ + d], box.end()[d]);
    }
}

/// Halves the boxes by their middles in the dim in which those lie furthest apart.
void BoxIndex::build(size_t first, size_t last) {
  const size_t node = nodes_.size();
  nodes_.push_back({first, last, 0});
  bound(first, last);
  if (last - first <= kLeaf)
    return;
  int dim = 0;
  uint64_t widest = 0;
  for (int d = 0; d < rank_; ++d) {
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    for (size_t i = first; i < last; ++i) {
      least = std::min(least, middle(boxes_[order_[i]], d));
      greatest = std::max(greatest, middle(boxes_[order_[i]], d));
    }
    const uint64_t spread = static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least);
    if (spread > widest) {
      widest = spread;
      dim = d;
    }
  }
  if (widest == 0 && rank_ == 0)
    return;
  const size_t half = first + (last - first) / 2;
  auto place = [&](size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(place(first), place(half), place(last), [&](size_t a, size_t b) {
    return std::make_pair(middle(boxes_[a], dim), a) < std::make_pair(middle(boxes_[b], dim), b);
  });
  build(first, half);
  nodes_[node].right = nodes_.size();
  build(half, last);
}

bool BoxIndex::meets(const int64_t* bounds, const Box& query) const {
  for (int d = 0; d < rank_; ++d)
    if (std::max(bounds[d], query.start()[d]) >= std::min(bounds[rank_ + d], query.end()[d]))
      return false;
  return true;
}

bool BoxIndex::for_each_meeting(const Box& query, const std::function<bool(size_t)>& f) const {
  if (nodes_.empty() || is_empty(query))
    return true;
  check_rank(query.rank(), rank_, "a query");
  size_t waiting[128]; // halves of halves: never deeper than 64 bits count
  size_t count = 0;
  waiting[count++] = 0;
  while (count > 0) {
    const size_t at = waiting[--count];
    const Node& node = nodes_[at];
    if (!meets(bounds_.data() + at * 2 * rank_, query))
      continue;
    if (node.right != 0) {
      waiting[count++] = node.right;
      waiting[count++] = at + 1;
      continue;
    }
    for (size_t i = node.first; i < node.last; ++i)
      if (meet(boxes_[order_[i]], query) && !f(order_[i]))
        return false;
  }
  return true;
}

std::vector<size_t> BoxIndex::meeting(const Box& query) const {
  std::vector<size_t> found;
  for_each_meeting(query, [&](size_t i) {
    found.push_back(i);
    return true;
  });
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Overlap> overlaps(const std::vector<Box>& boxes, size_t most) {
  const BoxIndex index(boxes);
  auto rank_of = [&](size_t i) {
    return std::make_pair(boxes[i].rank() == 0 ? 0 : boxes[i].start()[0], i);
  };
  auto comes_first = [&](size_t a, size_t b) { return rank_of(a) < rank_of(b); };
  std::vector<size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), comes_first);
  std::vector<Overlap> found;
  for (size_t first : order) {
    std::vector<size_t> partners;
    index.for_each_meeting(boxes[first], [&](size_t second) {
      if (comes_first(first, second))
        partners.push_back(second);
      return true;
    });
    std::sort(partners.begin(), partners.end(), comes_first);
    for (size_t second : partners) {
      if (found.size() == most)
        return found;
      found.push_back({first, second});
    }
  }
  return found;
}

bool are_disjoint(const std::vector<Box>& boxes) { return overlaps(boxes, 1).empty(); }

bool covers(const std::vector<Box>& boxes, const Box& whole) {
  std::vector<const Box*> places;
  for (const Box& box : boxes) {
    check_rank(box.rank(), whole.rank(), "a box");
    places.push_back(&box);
  }
  return is_empty(whole) || covers_half(places, whole);
}

} // namespace kolam::space
