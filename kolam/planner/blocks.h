/// Blocks of tensors while a plan is written: where each was made, and who received what.
#pragma once

#include "kolam/space/box.h"
#include "kolam/space/box_index.h"

#include <functional>
#include <map>
#include <vector>

namespace kolam::planner {

struct Block {
  space::Box box;
  int64_t worker = 0;
};

class Blocks {
public:
  void add_tensor() { tensors_.emplace_back(); }
  void add(int64_t tensor, const space::Box& box, int64_t worker);
  size_t count(int64_t tensor) const { return of(tensor).blocks.size(); }
  const Block& at(int64_t tensor, size_t number) const { return of(tensor).blocks[number]; }
  /// Calls `f` with the number of each block that meets the box, ascending.
  void for_each_meeting(int64_t tensor, const space::Box& box,
                        const std::function<void(size_t)>& f);
  /// Notes that a worker gets a box of a tensor; false where it has it already.
  bool receive(int64_t tensor, const space::Box& box, int64_t worker);
  /// Boxes of `whole` that no block holds.
  std::vector<space::Box> missing(int64_t tensor, const space::Box& whole);

private:
  struct Tensor {
    std::vector<Block> blocks;
    space::BoxIndex index; ///< over the first `indexed`
    size_t indexed = 0;
    std::map<int64_t, std::vector<space::Box>> received; ///< by worker
  };
  const Tensor& of(int64_t tensor) const { return tensors_[static_cast<size_t>(tensor)]; }
  Tensor& of(int64_t tensor) { return tensors_[static_cast<size_t>(tensor)]; }
  std::vector<Tensor> tensors_;
};

/// Elements and the blocks of a partial tensor that hold parts of their sums, by terms.
struct Overlay {
  space::Box elements;
  std::vector<Block> parts;
};
/// Boxes of elements, each as large as all of them have the same blocks. Blocks with the same terms
/// hold all elements together.
std::vector<Overlay> overlaid(const std::vector<Block>& parts);

/// The elements of `whole` outside `box`, as boxes.
std::vector<space::Box> without(const space::Box& whole, const space::Box& box);
/// At most `count` boxes that share `box` evenly, along its longest dims.
std::vector<space::Box> slices_of(const space::Box& box, int64_t count);

} // namespace kolam::planner
