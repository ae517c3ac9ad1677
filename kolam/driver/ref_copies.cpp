// Follows the memory of copies to values of loops and branches that know their Refs.
#include "kolam/driver/ref_copies.h"

#include "kolam/ir/ops.h"
#include "kolam/nest/in_place.h"
#include "kolam/transform/kernels.h"

#include <map>
#include <set>

namespace kolam::driver {
namespace {

/// The Ref of a state of a loop, or of a result of a loop or branch.
std::string ref_of(mlir::Value value) {
  if (auto result = llvm::dyn_cast<mlir::OpResult>(value))
    return transform::ref_name(result);
  auto argument = llvm::cast<mlir::BlockArgument>(value);
  mlir::Operation* loop = argument.getOwner()->getParentOp();
  if (!loop || llvm::isa<ir::CondOp>(loop)) // a branch has captures alone
    return "";
  const unsigned first = llvm::isa<ir::ForOp>(loop) ? 1 : 0; // behind the counter
  const unsigned number = argument.getArgNumber();
  return number < first || number - first >= loop->getNumResults()
             ? ""
             : transform::ref_name(loop->getResult(number - first));
}

/// The result of a loop or branch that a body yields a value as; null where it yields none.
mlir::Value taken_by(mlir::OpOperand& use) {
  mlir::Operation* owner = use.getOwner();
  if (!owner->hasTrait<mlir::OpTrait::IsTerminator>())
    return {};
  mlir::Operation* around = owner->getParentOp();
  const unsigned number = use.getOperandNumber();
  const bool is_result = number < around->getNumResults() &&
                         around->getResult(number).getType() == use.get().getType();
  return is_result ? mlir::Value(around->getResult(number)) : mlir::Value();
}

class RefCopies {
public:
  explicit RefCopies(const nest::NestList& nests) : nests_(nests) {
    for_each_step(nests.program.steps, [&](const Step& step) {
      if (auto* own = std::get_if<NestStep>(&step.what))
        note_refs(*own);
    });
    // What a turn copies is of the Ref that it becomes.
    for_each_step(nests.program.steps, [&](const Step& step) {
      if (auto* loop = std::get_if<LoopStep>(&step.what))
        note_copied(loop->body);
    });
  }

  std::string run() {
    describe(nests_.program.steps, Where::outside);
    return std::move(text_);
  }

private:
  enum class Where : uint8_t { outside, loop, branch };

  const std::vector<BufferPlan>& buffers() const { return nests_.program.buffers; }
  int memory_of(int buffer) const { return nest::memory_of(buffers(), buffer); }

  void note_refs(const NestStep& step) {
    const nest::Nest& own = nests_.nests[step.nest];
    std::vector<mlir::Value> values(own.outputs.begin(), own.outputs.end());
    values.insert(values.end(), own.inputs.begin(), own.inputs.end());
    for (size_t i = 0; i < std::min(values.size(), step.buffers.size()); ++i)
      note_ref(values[i], step.buffers[i]);
    // What a nest changes is yielded by the body that knows it.
    for (auto [number, output] : llvm::enumerate(own.outputs))
      for (mlir::OpOperand& use : output.getUses())
        if (mlir::Value taken = taken_by(use))
          note_ref(taken, step.buffers[number]);
  }

  void note_copied(const Steps& steps) {
    for_each_step(steps, [&](const Step& step) {
      if (auto* copy = std::get_if<CopyStep>(&step.what); copy && refs_of(copy->from).empty())
        if (auto found = refs_.find(memory_of(copy->to)); found != refs_.end())
          refs_[memory_of(copy->from)] = std::set(found->second);
    });
  }

  void note_ref(mlir::Value value, int buffer) {
    if (std::string ref = ref_of(value); !ref.empty())
      refs_[memory_of(buffer)].insert(ref);
  }

  std::string refs_of(int buffer) const {
    std::string text;
    if (auto found = refs_.find(memory_of(buffer)); found != refs_.end())
      for (const std::string& ref : found->second)
        text += (text.empty() ? "" : " or ") + ref;
    return text;
  }

  void add(int from, int to, const std::string& why) {
    std::string refs = refs_of(to);
    if (refs.empty())
      refs = refs_of(from);
    if (!refs.empty())
      text_ += "b" + std::to_string(to) + " = copy b" + std::to_string(from) + ": " + refs +
               ", as " + why + "\n";
  }

  void describe(const Steps& steps, Where where) {
    for (const Step& step : steps)
      std::visit([&](const auto& what) { describe_step(what, where); }, step.what);
  }
  template <class T> void describe_step(const T&, Where) {}
  void describe_step(const LoopStep& step, Where) { describe(step.body, Where::loop); }
  void describe_step(const WhileStep& step, Where) {
    describe(step.condition, Where::loop);
    describe(step.body, Where::loop);
  }
  void describe_step(const BranchStep& step, Where) {
    for (const Steps& branch : step.branches)
      describe(branch, Where::branch);
  }
  void describe_step(const CopyStep& step, Where where) {
    const BufferPlan& from = buffers()[static_cast<size_t>(step.from)];
    const BufferPlan& to = buffers()[static_cast<size_t>(memory_of(step.to))];
    const bool may_take = from.place == Place::argument && to.donor == from.number;
    add(step.from, step.to,
        may_take ? "the array that is passed keeps its elements unless it is donated"
        : from.place == Place::argument ? "the array that is passed keeps its elements"
        : where == Where::branch ? "a branch leaves it as it is, and another one makes all of it"
        : where == Where::loop   ? "its elements from before a turn are used in another place"
                                 : "its first elements are used again");
  }
  void describe_step(const NestStep& step, Where) {
    if (step.changed >= 0 && memory_of(step.changed) != memory_of(step.buffers[0]))
      add(step.changed, step.buffers[0], "elements from before a change are read behind it");
  }

  const nest::NestList& nests_;
  std::map<int, std::set<std::string>> refs_; ///< by memory
  std::string text_;
};

} // namespace

std::string ref_copies(const nest::NestList& nests) { return RefCopies(nests).run(); }

} // namespace kolam::driver
