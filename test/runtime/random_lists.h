/// Random nested lists beside trees of plain vectors, their models.
#pragma once

#include "kolam/runtime/list.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace kolam::runtime {

using Shape = std::vector<int64_t>;

/// The model of a list: a number as a leaf, or elements.
struct Tree {
  int32_t value = 0;
  std::vector<Tree> elements = {};
};

/// A leaf of a shape: the number, one more, two more...
inline Array leaf_of(int32_t value, const Shape& shape) {
  Array leaf = Array::uninitialized(DType::i32, shape);
  for (int32_t& element : leaf.mutable_values<int32_t>())
    element = value++;
  return leaf;
}

inline std::string text(const Array& leaf) {
  std::string text = "(";
  for (int32_t value : leaf.values<int32_t>())
    text += std::to_string(value) + ",";
  return text + shape_text(leaf.shape()) + ")";
}

inline std::string text(const Tree& tree, int64_t depth, const Shape& shape) {
  if (depth == 0)
    return text(leaf_of(tree.value, shape));
  std::string elements = "[";
  for (const Tree& element : tree.elements)
    elements += text(element, depth - 1, shape);
  return elements + "]";
}

inline std::string text(const List& list) {
  std::string elements = "[";
  for (int64_t i = 0; i < list.size(); ++i)
    elements += list.depth() == 1 ? text(list.leaf(i)) : text(list.sublist(i));
  return elements + "]";
}

inline List list_of(const Tree& tree, int64_t depth, const Shape& shape) {
  if (tree.elements.empty())
    return List::empty({depth, DType::i32, shape});
  if (depth == 1) {
    std::vector<Array> leaves;
    for (const Tree& element : tree.elements)
      leaves.push_back(leaf_of(element.value, shape));
    return List::from_leaves(leaves);
  }
  std::vector<List> lists;
  for (const Tree& element : tree.elements)
    lists.push_back(list_of(element, depth - 1, shape));
  return List::from_lists(lists);
}

inline uint64_t choose_seed() {
  const char* given = std::getenv("KOLAM_SEED");
  return given ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

/// Random trees, lists as they lie in memory, and what was drawn.
class RandomLists {
public:
  explicit RandomLists(uint64_t seed) : random_(seed) {}

  int64_t below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit));
  }

  Shape shape() {
    const Shape shapes[] = {{}, {1}, {2}, {2, 3}, {0}};
    return shapes[below(5)];
  }

  Tree tree(int64_t depth) {
    Tree tree = {static_cast<int32_t>(below(1000)), {}};
    const int64_t lengths[] = {0, 1, 2, 3, 5, 7};
    for (int64_t i = depth == 0 ? 0 : lengths[below(6)]; i > 0; --i)
      tree.elements.push_back(this->tree(depth - 1));
    return tree;
  }

  /// The list as a view within a larger one, so that no offsets start at 0.
  List within(const Tree& tree, int64_t depth, const Shape& shape) {
    const Tree surrounded = {0, {this->tree(depth), tree, this->tree(depth)}};
    return list_of(surrounded, depth + 1, shape).sublist(1);
  }

private:
  std::mt19937_64 random_;
};

/// Runs `check` on 500 random lists of depth 1 to 4, each also as a view within a larger one.
template <class Check> void on_random_lists(const Check& check) {
  const uint64_t seed = choose_seed();
  SCOPED_TRACE("KOLAM_SEED=" + std::to_string(seed));
  RandomLists random(seed);
  for (int i = 0; i < 500 && !testing::Test::HasFailure(); ++i) {
    const int64_t depth = 1 + i % 4;
    const Shape shape = random.shape();
    const Tree tree = random.tree(depth);
    check(tree, list_of(tree, depth, shape), random);
    check(tree, random.within(tree, depth, shape), random);
  }
}

} // namespace kolam::runtime
