// Finds what the turns of a loop write.
#include "kolam/nest/shared_turns.h"

#include "kolam/nest/in_place.h"

namespace kolam::nest {
namespace {

/// What the steps of a body do to memory; buffers stand for the memory in which they lie.
class BodyUse {
public:
  BodyUse(const NestList& list, const IndependentLoop& independent)
      : list_(list), buffers_(list.program.buffers) {
    for (int state : independent.states)
      states_.insert(memory_of(buffers_, state));
  }

  void visit(const Steps& steps) {
    for (const Step& step : steps)
      std::visit([&](const auto& what) { visit(what); }, step.what);
  }

  bool is_sharable() const { return is_sharable_; }
  const std::set<int>& written() const { return written_; }
  bool binds(int buffer) const { return bound_.contains(buffer); }

private:
  /// A slice lies in what it is a slice of.
  int memory(int buffer) const {
    for (auto whole = wholes_.find(buffer); whole != wholes_.end(); whole = wholes_.find(buffer))
      buffer = whole->second;
    return memory_of(buffers_, buffer);
  }
  void read(int buffer) { is_sharable_ &= !states_.contains(memory(buffer)); }
  void write(int buffer) {
    read(buffer);
    written_.insert(memory(buffer));
  }

  /// What a nest reads of a state are elements of the turn's own.
  void visit(const NestStep& step) {
    const Nest& nest = list_.nests[step.nest];
    if (nest.packs) { // its first buffer, which is no value
      write(step.buffers[0]);
      for (int input : llvm::drop_begin(step.buffers))
        read(input);
      return;
    }
    for (unsigned number = 0; number < nest.outputs.size(); ++number) {
      int output = memory(step.buffers[number]);
      mlir::Value input = changed_input(nest, number);
      if (!input || !states_.contains(output)) {
        write(step.buffers[number]);
        continue;
      }
      auto place = static_cast<size_t>(llvm::find(nest.inputs, input) - nest.inputs.begin());
      is_sharable_ &= memory(step.buffers[nest.outputs.size() + place]) == output;
    }
  }
  void visit(const BindStep& step) {
    if (step.size >= 0)
      read(step.size);
    if (step.grown >= 0) {
      read(step.behind);
      write(step.grown);
    }
    bound_.insert(step.buffers.begin(), step.buffers.end());
  }
  void visit(const CopyStep& step) {
    read(step.from);
    write(step.to);
  }
  void visit(const SwapStep& step) {
    write(step.a);
    write(step.b);
  }
  void visit(const LoopStep& step) {
    for (int bound : {step.lower, step.upper})
      if (bound >= 0)
        read(bound);
    if (step.counter >= 0)
      write(step.counter);
    for (const SliceView& view : step.views)
      wholes_[view.view] = view.whole;
    visit(step.body);
  }
  void visit(const WhileStep& step) {
    visit(step.condition);
    read(step.holds);
    visit(step.body);
  }
  void visit(const BranchStep& step) {
    read(step.selector);
    for (const Steps& branch : step.branches)
      visit(branch);
  }
  void visit(const RowStep& step) {
    read(step.input);
    for (int output : {step.values, step.places})
      if (output >= 0)
        write(output);
  }
  void visit(const CallStep&) { is_sharable_ = false; }

  const NestList& list_;
  const std::vector<BufferPlan>& buffers_;
  std::set<int> states_, written_, bound_;
  std::map<int, int> wholes_; ///< of slices
  bool is_sharable_ = true;
};

} // namespace

void share_turns(LoopStep& loop, const IndependentLoop& independent, const NestList& list,
                 const std::vector<Lifetime>& lifetimes) {
  const std::vector<BufferPlan>& buffers = list.program.buffers;
  BodyUse use(list, independent);
  use.visit(loop.body);
  std::set<int> own = use.written();
  own.insert(memory_of(buffers, loop.counter));
  auto is_own = [&](int buffer) {
    const Lifetime& life = lifetimes[buffer];
    return buffers[buffer].place == Place::arena && life.first >= independent.times.first &&
           life.last <= independent.times.last;
  };
  if (!use.is_sharable() || !llvm::all_of(own, is_own))
    return;
  loop.is_shared = true;
  llvm::copy_if(own, std::back_inserter(loop.own), [&](int buffer) { return !use.binds(buffer); });
}

} // namespace kolam::nest
