// Follows memory from step to step.
#include "kolam/nest/in_place.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/changes.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <numeric>

namespace kolam::nest {
namespace {

bool contains(const LoopRange& loop, int64_t time) { return loop.first < time && time < loop.last; }

/// The smallest loop around a time; null for none.
const LoopRange* loop_around(const std::vector<LoopRange>& loops, int64_t time) {
  const LoopRange* inner = nullptr;
  for (const LoopRange& loop : loops)
    if (contains(loop, time) && (!inner || contains(*inner, loop.first)))
      inner = &loop;
  return inner;
}

class Sharing {
public:
  Sharing(const std::vector<BufferPlan>& buffers, const Uses& uses,
          const std::vector<LoopRange>& loops, const std::vector<std::pair<int, int>>& exchanged)
      : buffers_(buffers), uses_(uses), loops_(loops), exchanged_(exchanged),
        kept_(uses.lifetimes) {
    extend_lifetimes(kept_, loops, {});
  }

  bool may_hand_over(const Handover& handover) const {
    auto [from, to, time] = handover;
    return from != to && !buffers_[from].grows && !buffers_[to].grows &&
           buffers_[from].place == Place::arena &&
           (buffers_[to].place == Place::arena || buffers_[to].place == Place::result) &&
           buffers_[from].dtype == buffers_[to].dtype &&
           buffers_[from].shape == buffers_[to].shape && is_dead_behind(from, time) &&
           is_unused_before(to, time);
  }

  /// Whether two times lie in different parts of one branch, so that no run has both.
  bool exclude(int64_t time, int64_t other) const {
    return std::any_of(uses_.branches.begin(), uses_.branches.end(), [&](const auto& branch) {
      const LoopRange *own = part_around(branch, time), *others = part_around(branch, other);
      return own && others && own != others;
    });
  }

  bool is_in_branch(int64_t time) const {
    return std::any_of(uses_.branches.begin(), uses_.branches.end(),
                       [&](const auto& branch) { return part_around(branch, time) != nullptr; });
  }

  /// Whether two buffers may share memory in the turn of a loop that a time lies in: in each run
  /// one is used before the other, but for steps that may write the one in the memory of the other.
  bool are_apart(int a, int b, int64_t time, const std::vector<Handover>& handovers) const {
    const LoopRange* turn = loop_around(loops_, time);
    const std::vector<int64_t> others = times_in_turn(b, turn);
    bool is_before = false, is_behind = false;
    for (int64_t at : times_in_turn(a, turn))
      for (int64_t other : others) {
        if (exclude(at, other))
          continue;
        is_before |= at < other;
        is_behind |= at > other;
        auto in_place = [&](const Handover& handover) {
          return handover.time == at && ((handover.from == a && handover.to == b) ||
                                         (handover.from == b && handover.to == a));
        };
        if (at == other && std::none_of(handovers.begin(), handovers.end(), in_place))
          return false;
      }
    return !(is_before && is_behind);
  }

  /// Whether a buffer is used in turns of the loop alone that exchanges another one.
  bool is_of_turn(int buffer, int exchanged) const {
    const LoopRange* turn = loop_around(loops_, uses_.exchanged_at.at(exchanged));
    return turn && buffers_[buffer].place == Place::arena && !buffers_[buffer].is_late &&
           !uses_.exchanged_at.contains(buffer) && !uses_.wholes.contains(buffer) &&
           std::all_of(uses_.times[buffer].begin(), uses_.times[buffer].end(),
                       [&](int64_t time) { return contains(*turn, time); });
  }

  /// Whether a time lies in a turn of the loop that exchanges the buffer.
  bool is_in_turn(int buffer, int64_t time) const { return own_turn(buffer, time) != nullptr; }

private:
  static const LoopRange* part_around(const BranchRange& branch, int64_t time) {
    for (const LoopRange& part : branch.parts)
      if (part.first <= time && time < part.last)
        return &part;
    return nullptr;
  }

  /// When a buffer is used in a turn; whenever, where that is null. A state holds what the turn
  /// before has written from the beginning, and the next one what the turn behind reads to the end.
  std::vector<int64_t> times_in_turn(int buffer, const LoopRange* turn) const {
    std::vector<int64_t> times = uses_.times[buffer];
    if (!turn)
      return times;
    std::erase_if(times, [&](int64_t time) { return !contains(*turn, time); });
    for (auto [state, next] : exchanged_)
      if ((buffer == state || buffer == next) && contains(*turn, uses_.exchanged_at.at(buffer)))
        times.push_back(buffer == state ? turn->first : turn->last);
    return times;
  }

  /// Whether nothing is kept for longer than a branch around the time, in whose turns of loops it
  /// lies: then only its own part may still use it.
  bool ends_with_branch(int buffer, int64_t time) const {
    return std::any_of(uses_.branches.begin(), uses_.branches.end(), [&](const auto& branch) {
      return part_around(branch, time) && kept_[buffer].last <= branch.whole.last &&
             loop_around(loops_, time) == loop_around(loops_, branch.whole.first);
    });
  }

  /// The loop that exchanges a buffer, where the time lies in it, and in none inside.
  const LoopRange* own_turn(int buffer, int64_t time) const {
    auto exchange = uses_.exchanged_at.find(buffer);
    if (exchange == uses_.exchanged_at.end())
      return nullptr;
    const LoopRange* loop = loop_around(loops_, exchange->second);
    return loop && loop == loop_around(loops_, time) ? loop : nullptr;
  }

  /// What the next turn reads of an exchanged buffer is what this one has written: the next state
  /// is kept to its end.
  bool is_dead_behind(int buffer, int64_t time) const {
    const LoopRange* turn = own_turn(buffer, time);
    if (turn && std::any_of(exchanged_.begin(), exchanged_.end(),
                            [&](const auto& pair) { return pair.second == buffer; }))
      return false;
    if (!turn && kept_[buffer].last <= time)
      return true;
    if (!turn && !ends_with_branch(buffer, time))
      return false;
    return std::none_of(uses_.times[buffer].begin(), uses_.times[buffer].end(), [&](int64_t use) {
      return (!turn || contains(*turn, use)) && use > time && !exclude(time, use);
    });
  }

  bool is_unused_before(int buffer, int64_t time) const {
    return std::none_of(uses_.times[buffer].begin(), uses_.times[buffer].end(),
                        [&](int64_t use) { return use < time && !exclude(time, use); });
  }

  const std::vector<BufferPlan>& buffers_;
  const Uses& uses_;
  const std::vector<LoopRange>& loops_;
  const std::vector<std::pair<int, int>> exchanged_;
  std::vector<Lifetime> kept_;
};

/// Buffers in groups that are one memory; each goes by its result, or else by the last buffer of
/// its chain of handovers.
class Groups {
public:
  explicit Groups(const std::vector<BufferPlan>& buffers)
      : buffers_(buffers), parents_(buffers.size()) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }
  int of(int number) const {
    while (parents_[number] != number)
      number = parents_[number];
    return number;
  }
  void join(int from, int to) {
    int inner = of(from), outer = of(to);
    if (is_result(inner))
      std::swap(inner, outer);
    if (inner != outer)
      parents_[inner] = outer;
  }
  /// Results have memory of their own, each.
  bool has_two_results(int from, int to) const {
    return of(from) != of(to) && is_result(of(from)) && is_result(of(to));
  }
  /// Whether `are_apart` holds of all members of one group and all of the other.
  template <class F> bool may_join(int from, int to, F are_apart) const {
    if (of(from) == of(to))
      return true;
    const std::vector<int> others = members(to);
    for (int a : members(from))
      if (!std::all_of(others.begin(), others.end(), [&](int b) { return are_apart(a, b); }))
        return false;
    return true;
  }

  std::vector<int> members(int of_group) const {
    std::vector<int> all;
    for (int number = 0; number < static_cast<int>(parents_.size()); ++number)
      if (of(number) == of(of_group))
        all.push_back(number);
    return all;
  }

private:
  bool is_result(int buffer) const { return buffers_[buffer].place == Place::result; }

  const std::vector<BufferPlan>& buffers_;
  std::vector<int> parents_;
};

Groups group(const std::vector<Handover>& handovers, const std::vector<BufferPlan>& buffers) {
  Groups groups(buffers);
  for (const Handover& handover : handovers)
    groups.join(handover.from, handover.to);
  return groups;
}

/// Of a state whose partner lies elsewhere: takes out its handovers, and gives by buffer what is to
/// be the next state from the start. In a turn that is one memory, which the exchange moves.
std::map<int, int> take_next_states(std::vector<Handover>& taken, int state, int next,
                                    const std::vector<BufferPlan>& buffers,
                                    const Sharing& sharing) {
  auto is_one = [&](int buffer) { return buffer == state || buffer == next; };
  std::vector<Handover> to_next;
  for (const Handover& handover : taken)
    if (handover.to == next && !is_one(handover.from))
      to_next.push_back(handover);
  std::erase_if(taken, [&](const Handover& handover) {
    return is_one(handover.from) || is_one(handover.to);
  });
  std::map<int, int> renamed;
  for (const Handover& handover : to_next) {
    const std::vector<int> chain = group(taken, buffers).members(handover.from);
    if (!std::all_of(chain.begin(), chain.end(),
                     [&](int buffer) { return sharing.is_of_turn(buffer, next); }))
      continue;
    for (int buffer : chain)
      renamed[buffer] = next;
    std::erase_if(taken, [&](const Handover& inside) { return renamed.contains(inside.from); });
  }
  return renamed;
}

/// The last state that takes memory over in the rotation to which a next state belongs; -1 where
/// that has one state only.
int last_of_rotation(int next, const std::vector<std::pair<int, int>>& exchanged) {
  int count = 0, last = -1;
  for (auto [state, other] : exchanged)
    if (other == next) {
      ++count;
      last = state;
    }
  return count > 1 ? last : -1;
}

/// Of rotations whose next state may be computed in the memory of the last state, which nobody
/// takes over: gives by buffer what is to be that state from the start, as exchanges move its
/// memory.
///
///     next = f(x, before); swap next, x; swap next, before
///     before = f(x, before); swap before, x
std::map<int, int> compute_in_last_states(std::vector<Handover>& taken,
                                          const std::vector<std::pair<int, int>>& exchanged,
                                          const std::vector<BufferPlan>& buffers,
                                          const Sharing& sharing) {
  std::map<int, int> renamed;
  for (int next : llvm::SetVector<int>(llvm::from_range, llvm::make_second_range(exchanged))) {
    const int last = last_of_rotation(next, exchanged);
    if (last < 0 || group(taken, buffers).of(last) != group(taken, buffers).of(next))
      continue;
    std::erase_if(taken, [&](const Handover& handover) { // outside of the turn
      return (handover.from == last || handover.to == last) &&
             !sharing.is_in_turn(last, handover.time);
    });
    const std::vector<int> members = group(taken, buffers).members(last);
    if (!llvm::is_contained(members, next) || !llvm::all_of(members, [&](int buffer) {
          return buffer == last || buffer == next || sharing.is_of_turn(buffer, next);
        }))
      continue;
    for (int buffer : members)
      if (buffer != last)
        renamed[buffer] = last;
    std::erase_if(taken, [&](const Handover& handover) {
      return llvm::is_contained(members, handover.from);
    });
  }
  return renamed;
}

/// Other buffers in the place of some.
void rename_pairs(const std::map<int, int>& renamed, std::vector<std::pair<int, int>>& pairs) {
  for (auto& [state, next] : pairs)
    if (auto found = renamed.find(next); found != renamed.end())
      next = found->second;
  std::erase_if(pairs, [](const auto& pair) { return pair.first == pair.second; });
}

} // namespace

std::map<int, int> share_memory(std::vector<BufferPlan>& buffers, Uses uses,
                                const std::vector<LoopRange>& loops,
                                std::vector<std::pair<int, int>>& exchanged,
                                const std::vector<Handover>& handovers) {
  Sharing sharing(buffers, uses, loops, exchanged);
  std::vector<Handover> taken;
  Groups sharers(buffers);
  for (const Handover& handover : handovers) {
    // A state is handed over in each turn, and behind the loop.
    const bool in_turn = sharing.is_in_turn(handover.from, handover.time);
    bool is_alone = true, excludes_others = true;
    for (const Handover& other : taken)
      if (other.to == handover.to ||
          (other.from == handover.from && sharing.is_in_turn(other.from, other.time) == in_turn)) {
        is_alone = false;
        excludes_others &= sharing.exclude(handover.time, other.time);
      }
    if (!excludes_others || !sharing.may_hand_over(handover) ||
        sharers.has_two_results(handover.from, handover.to))
      continue;
    auto are_apart = [&](int a, int b) {
      return sharing.are_apart(a, b, handover.time, handovers);
    };
    if ((!is_alone || sharing.is_in_branch(handover.time)) &&
        !sharers.may_join(handover.from, handover.to, are_apart))
      continue;
    sharers.join(handover.from, handover.to);
    taken.push_back(handover);
  }
  std::map<int, int> renamed = compute_in_last_states(taken, exchanged, buffers, sharing);
  rename_pairs(renamed, exchanged);
  // An exchange must leave all memory where it is: buffers whose partner is elsewhere share none.
  for (size_t before = taken.size() + 1; before != taken.size();) {
    before = taken.size();
    Groups groups = group(taken, buffers);
    for (auto [state, next] : exchanged)
      if (groups.of(state) != groups.of(next))
        renamed.merge(take_next_states(taken, state, next, buffers, sharing));
  }
  for (auto [buffer, next] : renamed)
    uses.lifetimes[buffer] = {};
  Groups groups = group(taken, buffers);
  for (int buffer = 0; buffer < static_cast<int>(buffers.size()); ++buffer) {
    int shared = groups.of(buffer);
    if (shared == buffer)
      continue;
    buffers[buffer].same_as = shared;
    Lifetime& life = uses.lifetimes[shared];
    life.first = std::min(life.first, uses.lifetimes[buffer].first);
    life.last = std::max(life.last, uses.lifetimes[buffer].last);
  }
  return renamed;
}

void rename_buffers(const std::map<int, int>& renamed, Steps& steps) {
  if (renamed.empty())
    return;
  auto name = [&](int& buffer) {
    if (auto found = renamed.find(buffer); found != renamed.end())
      buffer = found->second;
  };
  auto all = [&](std::vector<int>& buffers) {
    for (int& buffer : buffers)
      name(buffer);
  };
  struct Visit {
    decltype(name)& one;
    decltype(all)& each;
    void operator()(NestStep& step) const {
      each(step.buffers);
      one(step.changed);
    }
    void operator()(BindStep& step) const {
      one(step.size);
      one(step.grown);
      one(step.behind);
      each(step.buffers);
      for (std::vector<int>& group : step.groups)
        each(group);
    }
    void operator()(CopyStep& step) const {
      one(step.from);
      one(step.to);
    }
    void operator()(SwapStep& step) const {
      one(step.a);
      one(step.b);
    }
    void operator()(LoopStep& step) const {
      for (int* bound : {&step.lower, &step.upper, &step.counter})
        one(*bound);
      for (SliceView& view : step.views) {
        one(view.view);
        one(view.whole);
      }
      each(step.own);
    }
    void operator()(WhileStep& step) const { one(step.holds); }
    void operator()(BranchStep& step) const { one(step.selector); }
    void operator()(RowStep& step) const {
      for (int* buffer : {&step.input, &step.values, &step.places})
        one(*buffer);
    }
    void operator()(CallStep& step) const {
      each(step.inputs);
      each(step.outputs);
    }
  };
  for_each_step(steps, [&](Step& step) { std::visit(Visit{name, all}, step.what); });
}

void drop_idle_moves(const std::vector<BufferPlan>& buffers, Steps& steps) {
  auto is_one = [&](int a, int b) { return memory_of(buffers, a) == memory_of(buffers, b); };
  std::erase_if(steps, [&](Step& step) {
    if (auto* copy = std::get_if<CopyStep>(&step.what))
      return is_one(copy->from, copy->to);
    if (auto* swap = std::get_if<SwapStep>(&step.what))
      return is_one(swap->a, swap->b);
    if (auto* loop = std::get_if<LoopStep>(&step.what)) {
      drop_idle_moves(buffers, loop->body);
    } else if (auto* loop = std::get_if<WhileStep>(&step.what)) {
      drop_idle_moves(buffers, loop->condition);
      drop_idle_moves(buffers, loop->body);
    } else if (auto* branch = std::get_if<BranchStep>(&step.what)) {
      for (Steps& part : branch->branches)
        drop_idle_moves(buffers, part);
    }
    return false;
  });
}

int memory_of(const std::vector<BufferPlan>& buffers, int buffer) {
  return buffers[buffer].same_as < 0 ? buffer : buffers[buffer].same_as;
}

llvm::DenseSet<mlir::Value> read_elsewhere(const NestRelation& relation) {
  llvm::DenseSet<mlir::Value> elsewhere;
  const analysis::RelationIndex& own = relation.access().indices(0).front();
  for (const analysis::RelationUse& use : relation.access().uses())
    if (use.at != own)
      elsewhere.insert(relation.value_of(use));
  return elsewhere;
}

mlir::Value changed_input(const Nest& nest, unsigned number) {
  mlir::ValueRange all = changed_by(nest.root);
  if (number >= all.size() || !llvm::is_contained(nest.inputs, all[number]))
    return {};
  mlir::Value changed = all[number];
  int64_t reads = llvm::count(nest.root->getOperands(), changed);
  for (mlir::Operation* op : nest.fused)
    reads += llvm::count(op->getOperands(), changed);
  return reads == 1 ? changed : mlir::Value();
}

} // namespace kolam::nest
