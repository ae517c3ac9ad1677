// Draws how a list lies in memory: the tree of its lists over the one buffer of leaves.
#include "kolam/runtime/list_picture.h"

namespace kolam::runtime {
namespace {

/// As many elements of a list, and of its offsets, are drawn at most.
constexpr int64_t kMostDrawn = 8;
/// And of leaves in a drawing.
constexpr int64_t kMostLeaves = 64;

std::string more(int64_t count) { return "... " + std::to_string(count - kMostDrawn) + " more"; }

std::string leaf_type(const List& list) {
  std::string text(name(list.dtype()));
  text += "[";
  std::vector<int64_t> shape = list.leaf_shape();
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(shape[dim]);
  return text + "]";
}

/// `leaves 3 to 5`, `leaf 3`, `empty`.
std::string leaves_text(int64_t first, int64_t count) {
  if (count == 0)
    return "empty";
  if (count == 1)
    return "leaf " + std::to_string(first);
  return "leaves " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

int64_t leaf_bytes(const List& list) {
  int64_t bytes = byte_width(list.dtype());
  for (int64_t extent : list.leaf_shape())
    bytes *= extent;
  return bytes;
}

std::string numbers(const Array& offsets) {
  std::string text;
  auto values = offsets.values<int64_t>();
  for (int64_t i = 0; i < std::min<int64_t>(std::ssize(values), kMostDrawn); ++i)
    text += " " + std::to_string(values[static_cast<size_t>(i)]);
  return text + (std::ssize(values) > kMostDrawn ? " " + more(std::ssize(values)) : "");
}

/// The lists inside, whose leaves begin with number `leaf` of the buffer.
void add_tree(const List& list, int64_t leaf, const std::string& indent, std::string& text) {
  for (int64_t i = 0; i < list.size(); ++i) {
    if (i == kMostDrawn) {
      text += indent + more(list.size()) + "\n";
      return;
    }
    List inner = list.sublist(i);
    text += indent + "[" + std::to_string(i) + "]";
    if (inner.depth() == 1) {
      text += " " + leaves_text(leaf, inner.size()) + "\n";
    } else {
      text += inner.size() == 0 ? " empty\n" : "\n";
      add_tree(inner, leaf, indent + "  ", text);
    }
    leaf += inner.leaf_count();
  }
}

class Drawing {
public:
  std::string draw(const List& list) {
    std::string root = node(std::to_string(list.size()));
    add(list, root, 0);
    std::string buffer = "  buffer [shape=record, label=\"";
    for (int64_t leaf = 0; leaf < leaves_; ++leaf)
      buffer += (leaf ? "|" : "") + cell(leaf);
    if (leaves_ < list.leaf_count())
      buffer += (leaves_ ? "|" : "") + std::string("... ") +
                std::to_string(list.leaf_count() - leaves_) + " more";
    return "digraph list {\n  node [shape=box];\n" + nodes_ + buffer + "\"];\n" + edges_ + "}\n";
  }

private:
  std::string node(const std::string& label) {
    std::string name = "n" + std::to_string(next_++);
    nodes_ += "  " + name + " [label=\"" + label + "\"];\n";
    return name;
  }
  static std::string cell(int64_t leaf) {
    return "<l" + std::to_string(leaf) + "> " + std::to_string(leaf);
  }

  /// The nodes of a list's elements; those of leaves are cells of the buffer. Leaves are drawn from
  /// the first one on without a gap.
  void add(const List& list, const std::string& from, int64_t leaf) {
    for (int64_t i = 0; i < std::min(list.size(), kMostDrawn); ++i) {
      if (list.depth() == 1) {
        if (leaf < kMostLeaves) {
          edges_ += "  " + from + " -> buffer:l" + std::to_string(leaf) + ";\n";
          leaves_ = std::max(leaves_, leaf + 1);
        }
        ++leaf;
        continue;
      }
      List inner = list.sublist(i);
      std::string name = node(std::to_string(inner.size()));
      edges_ += "  " + from + " -> " + name + " [label=\"" + std::to_string(i) + "\"];\n";
      add(inner, name, leaf);
      leaf += inner.leaf_count();
    }
  }

  std::string nodes_, edges_;
  int64_t leaves_ = 0; ///< drawn
  int next_ = 0;
};

} // namespace

std::string picture(const List& list) {
  if (!list)
    return "<empty handle>\n";
  std::string text = list.type().to_string() + "\n";
  for (int64_t level = 1; level < list.depth(); ++level)
    text += "offsets of level " + std::to_string(level) + ":" + numbers(list.offsets(level)) + "\n";
  if (list.depth() > 1)
    add_tree(list, 0, "", text);
  return text + "buffer: " + std::to_string(list.leaf_count()) + " of " + leaf_type(list) + ", " +
         std::to_string(leaf_bytes(list)) + " bytes each\n";
}

std::string as_dot(const List& list) { return list ? Drawing().draw(list) : "digraph list {\n}\n"; }

} // namespace kolam::runtime
