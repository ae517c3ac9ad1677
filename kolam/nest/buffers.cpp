// Lays out the arena by lifetimes.
#include "kolam/nest/buffers.h"

#include "kolam/support/machine.h"

#include <algorithm>

namespace kolam::nest {
namespace {

constexpr int64_t kAlignment = Caches().line;

Extent byte_size(const BufferPlan& buffer) {
  Extent bytes = element_count(buffer.shape) * Extent(byte_width(buffer.dtype));
  return ceildiv(bytes, kAlignment) * Extent(kAlignment);
}

bool lies_in_arena(const BufferPlan& buffer) {
  return buffer.place == Place::arena && buffer.same_as < 0 && !buffer.is_late;
}

bool overlap(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

struct Placed {
  int64_t offset, bytes;
  Lifetime life;
};

/// The lowest offset at which `bytes` fit beside everything alive at the same time.
int64_t first_fit(std::vector<Placed> placed, int64_t bytes, const Lifetime& life) {
  std::erase_if(placed, [&](const Placed& p) { return !overlap(p.life, life); });
  std::sort(placed.begin(), placed.end(),
            [](const Placed& a, const Placed& b) { return a.offset < b.offset; });
  int64_t offset = 0;
  for (const Placed& p : placed) {
    if (offset + bytes <= p.offset)
      break;
    offset = std::max(offset, p.offset + p.bytes);
  }
  return offset;
}

/// One round of lengthening lifetimes; false where nothing changed.
bool extend(std::vector<Lifetime>& lifetimes, const std::vector<LoopRange>& loops,
            const std::vector<std::pair<int, int>>& exchanged) {
  bool changed = false;
  for (const LoopRange& loop : loops)
    for (Lifetime& life : lifetimes)
      if (life.first < loop.first && life.last >= loop.first && life.last < loop.last) {
        life.last = loop.last;
        changed = true;
      }
  for (auto [a, b] : exchanged) {
    Lifetime both{std::min(lifetimes[a].first, lifetimes[b].first),
                  std::max(lifetimes[a].last, lifetimes[b].last)};
    for (int buffer : {a, b})
      if (lifetimes[buffer].first != both.first || lifetimes[buffer].last != both.last) {
        lifetimes[buffer] = both;
        changed = true;
      }
  }
  return changed;
}

} // namespace

void extend_lifetimes(std::vector<Lifetime>& lifetimes, const std::vector<LoopRange>& loops,
                      const std::vector<std::pair<int, int>>& exchanged) {
  while (extend(lifetimes, loops, exchanged)) {
  }
}

Extent assign_offsets(std::vector<BufferPlan>& buffers, std::vector<Lifetime> lifetimes,
                      const std::vector<LoopRange>& loops,
                      const std::vector<std::pair<int, int>>& exchanged) {
  extend_lifetimes(lifetimes, loops, exchanged);

  std::vector<Placed> placed;
  int64_t fixed = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto bytes = byte_size(buffers[i]).constant();
    if (!lies_in_arena(buffers[i]) || !bytes)
      continue;
    int64_t offset = first_fit(placed, *bytes, lifetimes[i]);
    buffers[i].offset = offset;
    placed.push_back({offset, *bytes, lifetimes[i]});
    fixed = std::max(fixed, offset + *bytes);
  }
  Extent total = fixed;
  for (BufferPlan& buffer : buffers)
    if (lies_in_arena(buffer) && !byte_size(buffer).is_constant()) {
      buffer.offset = total;
      total = total + byte_size(buffer);
    }
  return total;
}

std::vector<std::vector<int>> group_late(const std::vector<BufferPlan>& buffers,
                                         const std::vector<int>& late,
                                         const std::vector<Lifetime>& extended) {
  std::vector<std::vector<int>> groups;
  for (int buffer : late) {
    if (buffers[buffer].place != Place::arena || buffers[buffer].same_as >= 0)
      continue;
    auto has_room = [&](const std::vector<int>& group) {
      if (buffers[buffer].grows || buffers[group[0]].grows)
        return false;
      return std::none_of(group.begin(), group.end(),
                          [&](int other) { return overlap(extended[buffer], extended[other]); });
    };
    auto group = std::find_if(groups.begin(), groups.end(), has_room);
    if (group == groups.end())
      groups.push_back({buffer});
    else
      group->push_back(buffer);
  }
  return groups;
}

void choose_donors(std::vector<BufferPlan>& buffers, std::vector<Lifetime> lifetimes,
                   const std::vector<LoopRange>& loops,
                   const std::set<std::pair<int, int>>& in_place,
                   const std::map<int, int>& carried) {
  std::set<int> reserved;
  for (auto [result, argument] : carried)
    reserved.insert(argument);
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].place == Place::argument)
      lifetimes[i].first = -1; // there from the start, also where a loop reads it first
  extend_lifetimes(lifetimes, loops, {});
  std::set<size_t> taken;
  for (size_t result = 0; result < buffers.size(); ++result) {
    if (buffers[result].place != Place::result)
      continue;
    auto own = carried.find(buffers[result].number);
    auto is_other_s = [&](const BufferPlan& argument) {
      return own != carried.end() ? own->second != argument.number
                                  : reserved.contains(argument.number);
    };
    for (size_t argument = 0; argument < buffers.size(); ++argument) {
      if (buffers[argument].place != Place::argument || buffers[argument].same_as >= 0 ||
          taken.contains(argument) || is_other_s(buffers[argument]) ||
          buffers[argument].dtype != buffers[result].dtype ||
          buffers[argument].shape != buffers[result].shape)
        continue;
      int64_t last = lifetimes[argument].last, first = lifetimes[result].first;
      bool one_step = last == first &&
                      in_place.contains({static_cast<int>(argument), static_cast<int>(result)});
      if (last >= first && !one_step)
        continue;
      buffers[result].donor = buffers[argument].number;
      taken.insert(argument);
      break;
    }
  }
}

} // namespace kolam::nest
