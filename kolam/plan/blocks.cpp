// Finds the blocks that tasks and transfers read.
#include "kolam/plan/blocks.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "kolam/plan/structure.h"
#include "kolam/space/box_index.h"
#include "kolam/support/checked.h"

namespace kolam::plans {
namespace {

constexpr size_t kFew = 8; // blocks that are looked at one by one

/// What blocks and reads must have in common to meet at all.
struct Shelf {
  int64_t worker, tensor, first_term, end_term;
  friend bool operator==(const Shelf&, const Shelf&) = default;
};
struct ShelfHash {
  size_t operator()(const Shelf& shelf) const {
    uint64_t hash = 0;
    for (int64_t part : {shelf.worker, shelf.tensor, shelf.first_term, shelf.end_term})
      hash = (hash ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15ull ^ (hash >> 29);
    return hash;
  }
};

struct Use {
  int64_t event;
  size_t read;
};

/// Lists by number, one after the other.
struct Lists {
  std::vector<size_t> first, items;
  size_t begin(size_t list) const { return first[list]; }
  size_t end(size_t list) const { return first[list + 1]; }
};
/// The numbers of items, by the list that each is in, in order.
Lists listed(const std::vector<size_t>& list_of_item, size_t lists) {
  Lists result{std::vector<size_t>(lists + 1, 0), std::vector<size_t>(list_of_item.size())};
  for (size_t list : list_of_item)
    ++result.first[list + 1];
  for (size_t i = 0; i < lists; ++i)
    result.first[i + 1] += result.first[i];
  std::vector<size_t> next(result.first.begin(), result.first.end() - 1);
  for (size_t i = 0; i < list_of_item.size(); ++i)
    result.items[next[list_of_item[i]]++] = i;
  return result;
}

class Finder {
public:
  Finder(const Plan& plan, const std::vector<Event>& events) : plan_(plan), events_(events) {}

  BlockTable run() {
    for (const Stage& stage : plan_.stages)
      tensors_.push_back(tensors_of(stage));
    for (size_t i = 0; i < events_.size(); ++i)
      add_event(static_cast<int64_t>(i));
    const Lists blocks = listed(shelf_of_block_, shelves_.size());
    const Lists uses = listed(shelf_of_use_, shelves_.size());
    for (size_t shelf = 0; shelf < shelves_.size(); ++shelf)
      match(blocks, uses, shelf);
    std::sort(table_.missing.begin(), table_.missing.end(),
              [](const MissingRead& a, const MissingRead& b) {
                return std::make_pair(a.event, a.read) < std::make_pair(b.event, b.read);
              });
    Lists used = listed(event_of_used_, events_.size());
    table_.first_used = std::move(used.first);
    for (size_t& item : used.items)
      item = used_[item];
    table_.used = std::move(used.items);
    return std::move(table_);
  }

private:
  void add_event(int64_t number) {
    const Event& event = events_[number];
    if (event.is_move) {
      const int64_t tensor = plan_.moves[event.family].tensor;
      add_use(number, 0, event.from, tensor, event.reads[0]);
      add_block(number, event.worker, tensor, event.writes[0]);
      return;
    }
    const StageTensors& tensors = tensors_[plan_.pieces[plan_.tasks[event.family].piece].stage];
    for (size_t i = 0; i < event.reads.size(); ++i)
      add_use(number, i, event.worker, tensors.read(i), event.reads[i]);
    for (size_t i = 0; i < event.writes.size(); ++i)
      add_block(number, event.worker, tensors.writes[i], event.writes[i]);
  }

  size_t shelf_of(int64_t worker, int64_t tensor, const Box& box) {
    const bool is_partial = plan_.tensors[tensor].partial_of >= 0;
    const Shelf shelf{worker, tensor, is_partial ? box.start()[0] : 0,
                      is_partial ? box.end()[0] : 0};
    return shelves_.emplace(shelf, shelves_.size()).first->second;
  }
  void add_use(int64_t event, size_t read, int64_t worker, int64_t tensor, const Box& box) {
    if (is_empty(box))
      return;
    shelf_of_use_.push_back(shelf_of(worker, tensor, box));
    uses_.push_back({event, read});
  }
  void add_block(int64_t event, int64_t worker, int64_t tensor, const Box& box) {
    if (is_empty(box))
      return;
    shelf_of_block_.push_back(shelf_of(worker, tensor, box));
    table_.blocks.push_back(
        {tensor, worker, box, block_bytes(plan_.tensors[tensor], box), event, -1});
  }

  /// Blocks of one box on a shelf: sorted_[first] and on, the earliest first.
  struct Copies {
    size_t first, end;
  };

  void match(const Lists& blocks, const Lists& uses, size_t shelf) {
    if (uses.begin(shelf) == uses.end(shelf))
      return;
    sort_copies(blocks, shelf);
    std::optional<space::BoxIndex> index;
    if (copies_.size() > kFew) {
      std::vector<Box> boxes;
      for (const Copies& copies : copies_)
        boxes.push_back(box_of(copies));
      index.emplace(std::move(boxes));
    }
    std::vector<size_t> near;
    for (size_t u = uses.begin(shelf); u < uses.end(shelf); ++u) {
      const Use& use = uses_[uses.items[u]];
      const Box& box = events_[use.event].reads[use.read];
      if (index)
        near = index->meeting(box);
      else
        near.clear();
      for (size_t i = 0; !index && i < copies_.size(); ++i)
        if (space::meet(box_of(copies_[i]), box))
          near.push_back(i);
      take(use, box, near);
    }
  }

  const Box& box_of(const Copies& copies) const { return table_.blocks[sorted_[copies.first]].box; }

  void sort_copies(const Lists& blocks, size_t shelf) {
    sorted_.assign(blocks.items.begin() + static_cast<std::ptrdiff_t>(blocks.begin(shelf)),
                   blocks.items.begin() + static_cast<std::ptrdiff_t>(blocks.end(shelf)));
    auto box = [&](size_t i) -> const Box& { return table_.blocks[sorted_[i]].box; };
    std::sort(sorted_.begin(), sorted_.end(), [&](size_t a, size_t b) {
      const Box &x = table_.blocks[a].box, &y = table_.blocks[b].box;
      return std::tie(x.start(), x.end(), a) < std::tie(y.start(), y.end(), b);
    });
    copies_.clear();
    for (size_t i = 0; i < sorted_.size(); ++i)
      if (i > 0 && box(i) == box(i - 1))
        copies_.back().end = i + 1;
      else
        copies_.push_back({i, i + 1});
  }

  /// `near` are the shelf's boxes that meet the read.
  void take(const Use& use, const Box& box, const std::vector<size_t>& near) {
    std::vector<size_t> earlier; // the latest copy of each before the read
    std::optional<size_t> best;
    for (size_t i : near) {
      size_t end = copies_[i].end;
      if (table_.blocks[sorted_[end - 1]].made_by >= use.event)
        end = static_cast<size_t>(
            std::partition_point(sorted_.begin() + static_cast<std::ptrdiff_t>(copies_[i].first),
                                 sorted_.begin() + static_cast<std::ptrdiff_t>(end),
                                 [&](size_t b) { return table_.blocks[b].made_by < use.event; }) -
            sorted_.begin());
      if (end == copies_[i].first)
        continue;
      const size_t block = sorted_[end - 1];
      earlier.push_back(block);
      if (contains(table_.blocks[block].box, box) && (!best || block > *best))
        best = block;
    }
    if (best)
      return mark(use, *best);
    std::vector<Box> there, ever;
    for (size_t block : earlier) {
      mark(use, block);
      there.push_back(table_.blocks[block].box);
    }
    if (space::covers(there, box))
      return;
    for (size_t i : near)
      ever.push_back(box_of(copies_[i]));
    table_.missing.push_back({use.event, use.read, space::covers(ever, box)});
  }

  void mark(const Use& use, size_t block) {
    event_of_used_.push_back(static_cast<size_t>(use.event));
    used_.push_back(block);
    int64_t& last = table_.blocks[block].last_use;
    last = std::max(last, use.event);
  }

  const Plan& plan_;
  const std::vector<Event>& events_;
  std::vector<StageTensors> tensors_; ///< by stage
  std::unordered_map<Shelf, size_t, ShelfHash> shelves_;
  std::vector<size_t> shelf_of_block_, shelf_of_use_;
  std::vector<Use> uses_;
  std::vector<size_t> event_of_used_, used_;
  std::vector<size_t> sorted_; ///< a shelf's blocks
  std::vector<Copies> copies_; ///< of the same shelf
  BlockTable table_;
};

} // namespace

BlockTable find_blocks(const Plan& plan, const std::vector<Event>& events) {
  return Finder(plan, events).run();
}

bool stays(const Plan& plan, const std::vector<Event>& events, const Block& block) {
  return plan.keeps_results && !plan.tensors[block.tensor].results.empty() &&
         !events[block.made_by].is_move;
}

std::vector<Peak> peaks_in_order(const Plan& plan, const std::vector<Event>& events,
                                 const BlockTable& table) {
  std::vector<size_t> freed_after;
  for (const Block& block : table.blocks)
    freed_after.push_back(stays(plan, events, block)
                              ? events.size()
                              : static_cast<size_t>(std::max(block.made_by, block.last_use)));
  const Lists freed = listed(freed_after, events.size() + 1);
  std::vector<Peak> peaks(plan.workers);
  std::vector<int64_t> held(plan.workers, 0);
  size_t next = 0; // blocks come in the order of events
  for (size_t e = 0; e < events.size(); ++e) {
    for (; next < table.blocks.size() && table.blocks[next].made_by == static_cast<int64_t>(e);
         ++next) {
      const Block& block = table.blocks[next];
      int64_t& here = held[block.worker];
      here = checked_add(here, block.bytes, "plan-overflow");
      if (here > peaks[block.worker].bytes)
        peaks[block.worker] = {here, static_cast<int64_t>(e)};
    }
    for (size_t i = freed.begin(e); i < freed.end(e); ++i)
      held[table.blocks[freed.items[i]].worker] -= table.blocks[freed.items[i]].bytes;
  }
  return peaks;
}

std::string name_of(const Plan& plan, const Event& event) {
  const std::string place = "' at position " + std::to_string(event.position);
  if (event.is_move)
    return "transfer of '" + plan.tensors[plan.moves[event.family].tensor].name + place;
  return "task '" + plan.stages[plan.pieces[plan.tasks[event.family].piece].stage].name + place;
}

} // namespace kolam::plans
