// Prints nested lists as nested brackets, the innermost ones as arrays.
#include "kolam/runtime/list.h"

#include <algorithm>

namespace kolam::runtime {
namespace {

constexpr int64_t kSummaryThreshold = 1000;
constexpr int64_t kEdgeItems = 3;

/// What would be shown, counted no further than matters: the elements of all leaves, and the lists.
bool is_large(const List& list) {
  int64_t count = std::max(list.leaves().size(), list.leaf_count());
  for (int64_t level = 1; level < list.depth() && count <= kSummaryThreshold; ++level)
    count += list.lengths(level).size();
  return count > kSummaryThreshold;
}

/// Writes a list whose opening bracket stands in column `column`.
class ListWriter {
public:
  explicit ListWriter(bool is_summarised) : is_summarised_(is_summarised) {}

  void write(const List& list, size_t column) {
    if (list.depth() == 1)
      write_leaves(list.leaves(), column);
    else
      write_lists(list, column);
  }

  std::string text;

private:
  void write_leaves(const Array& leaves, size_t column) {
    if (leaves.size() == 0 && leaves.shape()[0] > 0)
      return write_empty_leaves(leaves.shape()[0]);
    for (char c : is_summarised_ ? leaves.summary() : leaves.to_string()) {
      if (c != '\n' && !text.empty() && text.back() == '\n')
        text.append(column, ' ');
      text += c;
    }
  }

  /// A pair of brackets each: an array without elements would not show how many there are.
  void write_empty_leaves(int64_t count) {
    const bool is_cut = is_summarised_ && count > 2 * kEdgeItems;
    text += "[[]";
    for (int64_t i = 1; i < (is_cut ? kEdgeItems : count); ++i)
      text += " []";
    if (is_cut)
      text += " ... [] [] []";
    text += ']';
  }

  void write_lists(const List& list, size_t column) {
    // As between the rows of an array: a blank line for each dim of the rows beyond one.
    const auto element_rank = static_cast<size_t>(list.depth()) - 1 + list.leaf_shape().size();
    const std::string gap = std::string(element_rank, '\n') + std::string(column + 1, ' ');
    const bool is_cut = is_summarised_ && list.size() > 2 * kEdgeItems;
    text += '[';
    for (int64_t i = 0; i < list.size(); ++i) {
      if (i > 0)
        text += gap;
      if (is_cut && i == kEdgeItems) {
        text += "..." + gap;
        i = list.size() - kEdgeItems;
      }
      write(list.sublist(i), column + 1);
    }
    text += ']';
  }

  bool is_summarised_;
};

} // namespace

std::string List::to_string() const {
  if (!leaves_)
    return "<empty handle>";
  ListWriter writer(is_large(*this));
  writer.write(*this, 0);
  return std::move(writer.text);
}

} // namespace kolam::runtime
