// Keeps track of blocks.
#include "kolam/planner/blocks.h"

#include <algorithm>

namespace kolam::planner {

using space::Box;

void Blocks::add(int64_t tensor, const Box& box, int64_t worker) {
  of(tensor).blocks.push_back({box, worker});
}

void Blocks::for_each_meeting(int64_t tensor, const Box& box,
                              const std::function<void(size_t)>& f) {
  Tensor& own = of(tensor);
  if (own.indexed != own.blocks.size()) {
    std::vector<Box> boxes;
    for (const Block& block : own.blocks)
      boxes.push_back(block.box);
    own.index = space::BoxIndex(std::move(boxes));
    own.indexed = own.blocks.size();
  }
  for (size_t number : own.index.meeting(box))
    f(number);
}

bool Blocks::receive(int64_t tensor, const Box& box, int64_t worker) {
  std::vector<Box>& has = of(tensor).received[worker];
  if (std::ranges::any_of(has, [&](const Box& own) { return space::contains(own, box); }))
    return false;
  has.push_back(box);
  return true;
}

std::vector<Box> Blocks::missing(int64_t tensor, const Box& whole) {
  std::vector<Box> left{whole};
  for_each_meeting(tensor, whole, [&](size_t number) {
    std::vector<Box> next;
    for (const Box& part : left)
      for (const Box& rest : without(part, at(tensor, number).box))
        next.push_back(rest);
    left = std::move(next);
  });
  std::erase_if(left, [](const Box& box) { return space::is_empty(box); });
  return left;
}

namespace {

Box without_terms(const Box& box) {
  return {space::Point(box.start().begin() + 1, box.start().end()),
          space::Point(box.end().begin() + 1, box.end().end())};
}

} // namespace

std::vector<Overlay> overlaid(const std::vector<Block>& parts) {
  std::map<int64_t, std::vector<Block>> layers; // by first term
  for (const Block& part : parts)
    layers[part.box.start()[0]].push_back(part);
  std::vector<Overlay> overlays;
  for (const auto& [term, layer] : layers) {
    std::vector<Overlay> next;
    if (overlays.empty())
      for (const Block& block : layer)
        next.push_back({without_terms(block.box), {block}});
    std::vector<Box> boxes;
    for (const Block& block : layer)
      boxes.push_back(without_terms(block.box));
    const space::BoxIndex index(boxes);
    for (const Overlay& overlay : overlays)
      for (size_t number : index.meeting(overlay.elements)) {
        next.push_back({space::intersect(overlay.elements, boxes[number]), overlay.parts});
        next.back().parts.push_back(layer[number]);
      }
    overlays = std::move(next);
  }
  return overlays;
}

std::vector<Box> without(const Box& whole, const Box& box) {
  const Box common = space::intersect(whole, box);
  if (space::is_empty(common))
    return {whole};
  std::vector<Box> rest;
  Box inner = whole;
  for (int dim = 0; dim < whole.rank(); ++dim) {
    const auto at = static_cast<size_t>(dim);
    if (inner.start()[at] < common.start()[at])
      rest.push_back(space::with_range(inner, dim, inner.start()[at], common.start()[at]));
    if (common.end()[at] < inner.end()[at])
      rest.push_back(space::with_range(inner, dim, common.end()[at], inner.end()[at]));
    inner = space::with_range(inner, dim, common.start()[at], common.end()[at]);
  }
  return rest;
}

std::vector<Box> slices_of(const Box& box, int64_t count) {
  if (count <= 1 || box.rank() == 0 || space::is_empty(box))
    return {box};
  int longest = 0;
  for (int dim = 1; dim < box.rank(); ++dim)
    if (box.extent(dim) > box.extent(longest))
      longest = dim;
  if (box.extent(longest) >= count)
    return space::split_evenly(box, longest, count);
  // Fewer points than slices: a divisor of the count along this dim, the rest along the others.
  int64_t along = std::min(count, box.extent(longest));
  while (along > 1 && count % along != 0)
    --along;
  if (along <= 1)
    return {box};
  std::vector<Box> slices;
  for (const Box& part : space::split_evenly(box, longest, along))
    for (Box& slice : slices_of(part, count / along))
      slices.push_back(std::move(slice));
  return slices;
}

} // namespace kolam::planner
