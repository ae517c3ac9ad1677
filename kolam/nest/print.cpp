// Prints nest lists.
#include "kolam/nest/in_place.h"

#include "kolam/ir/argument_names.h"
#include "kolam/ir/op_name.h"
#include "kolam/ir/ops.h"

namespace kolam::nest {
namespace {

std::string_view place_name(Place place) {
  constexpr std::string_view names[] = {"argument", "result", "constant",
                                        "prepared", "arena",  "view"};
  return names[static_cast<int>(place)];
}

std::string fused_text(const Nest& nest) {
  std::string text = nest.fused.empty() ? "" : " with";
  for (mlir::Operation* op : nest.fused)
    text += " " + ir::user_name(op);
  return text;
}

/// Prints the tree of steps, two spaces a level.
class Printer {
public:
  explicit Printer(const NestList& nests) : nests_(nests) {}

  std::string print() {
    for (auto [number, buffer] : llvm::enumerate(nests_.program.buffers)) {
      text_ += "b" + std::to_string(number) + ": " + std::string(name(buffer.dtype)) +
               to_string(buffer.shape) + " " +
               (buffer.place == Place::argument
                    ? ir::argument_text(nests_.arguments[static_cast<size_t>(buffer.number)])
                    : std::string(place_name(buffer.place)));
      if (buffer.same_as >= 0)
        text_ += " in b" + std::to_string(buffer.same_as) +
                 (buffer.offset == Extent(0) ? "" : " at " + buffer.offset.to_string());
      else if (buffer.is_late)
        text_ += " late";
      else if (buffer.place == Place::arena)
        text_ += " at " + buffer.offset.to_string();
      else if (buffer.place != Place::view && buffer.place != Place::argument)
        text_ += " " + std::to_string(buffer.number);
      if (!buffer.strides.empty())
        text_ += " strides " + to_string(buffer.strides);
      text_ += "\n";
    }
    text_ += "arena: " + nests_.program.arena_bytes.to_string() + " bytes\n";
    print_preparation();
    print(nests_.program.steps);
    return text_;
  }

private:
  void line(const std::string& text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }
  static std::string buffer(int number) { return "b" + std::to_string(number); }

  /// Its buffers are those of the program of the same place and number.
  void print_preparation() {
    const StepProgram& preparation = nests_.preparation;
    for (const Step& step : preparation.steps) {
      const auto& packing = std::get<NestStep>(step.what);
      const Nest& nest = nests_.nests[packing.nest];
      int number = preparation.buffers[packing.buffers[0]].number;
      line("once " + nest.name + ": prepared " + std::to_string(number) + " = " +
           (nest.packs ? "packed columns of " : "") + ir::user_name(nest.root) +
           " over [0:" + packing.parallel.to_string() + "]" + fused_text(nest));
    }
  }

  void print(const Steps& steps) {
    for (const Step& step : steps)
      std::visit([&](const auto& what) { print(what); }, step.what);
  }

  void print(const NestStep& step) {
    const Nest& nest = nests_.nests[step.nest];
    std::string text = nest.name + ": ";
    for (size_t i = 0; i < nest.outputs.size(); ++i)
      text += (i ? ", " : "") + buffer(step.buffers[i]);
    text += (nest.outputs.empty() ? "" : " = ") + ir::user_name(nest.root) + "(";
    for (size_t i = nest.outputs.size(); i < step.buffers.size(); ++i)
      text += (i > nest.outputs.size() ? ", " : "") + buffer(step.buffers[i]);
    text += ") over [0:" + step.parallel.to_string() + "]";
    text += fused_text(nest);
    if (!nest.products.empty())
      text +=
          nest.products[0].dims.is_grouped ? ", in tiles of rows with one weight" : ", in tiles";
    for (unsigned number = 0; number < nest.outputs.size(); ++number)
      if (mlir::Value changed = changed_input(nest, number))
        text += place_of_change(nest, step, number, changed);
    line(text);
  }

  /// Whether a result lies where the input that it changes does.
  std::string place_of_change(const Nest& nest, const NestStep& step, unsigned number,
                              mlir::Value changed) const {
    const std::vector<BufferPlan>& buffers = nests_.program.buffers;
    auto input = llvm::find(nest.inputs, changed) - nest.inputs.begin();
    int from = step.buffers[nest.outputs.size() + static_cast<size_t>(input)];
    int to = memory_of(buffers, step.buffers[number]);
    if (to == memory_of(buffers, from))
      return ", in place of " + buffer(from);
    bool may_take =
        buffers[from].place == Place::argument && buffers[to].donor == buffers[from].number;
    return may_take ? ", in place of " + buffer(from) + " where that is donated"
                    : ", on a copy of " + buffer(from);
  }
  void print(const BindStep& step) {
    std::string text = step.symbol.to_string() + " = " +
                       (step.size >= 0 ? buffer(step.size) : step.extent.to_string());
    for (const std::vector<int>& group : step.groups) {
      text += &group == &step.groups.front() ? ", memory for " : ", ";
      for (size_t i = 0; i < group.size(); ++i)
        text += (i ? " or " : "") + buffer(group[i]);
    }
    if (step.grown >= 0)
      text += ", " + buffer(step.behind) + " behind what is in " + buffer(step.grown);
    line(text);
  }
  void print(const CopyStep& step) { line(buffer(step.to) + " = copy " + buffer(step.from)); }
  void print(const SwapStep& step) { line("swap " + buffer(step.a) + ", " + buffer(step.b)); }
  void print(const LoopStep& step) {
    std::string range = step.lower >= 0 ? "[" + buffer(step.lower) + ":" + buffer(step.upper) + "]"
                                        : "[0:" + step.length.to_string() + "]";
    line("for " + range + (step.reverse ? " reversed" : "") +
         (step.is_shared ? ", turns shared by threads" + own_text(step) : ""));
    ++depth_;
    for (const SliceView& view : step.views)
      line(buffer(view.view) + " = slice of " + buffer(view.whole));
    print(step.body);
    --depth_;
  }
  static std::string own_text(const LoopStep& step) {
    std::string text;
    for (int own : step.own)
      text += (text.empty() ? ", each with its own " : " ") + buffer(own);
    return text;
  }
  void print(const WhileStep& step) {
    line("while");
    ++depth_;
    print(step.condition);
    line("until not " + buffer(step.holds));
    print(step.body);
    --depth_;
  }
  void print(const BranchStep& step) {
    for (auto [number, branch] : llvm::enumerate(step.branches)) {
      line("branch " + std::to_string(number) + " of " + buffer(step.selector));
      ++depth_;
      print(branch);
      --depth_;
    }
  }
  void print(const RowStep& step) {
    line((step.values < 0 ? "_" : buffer(step.values)) + ", " +
         (step.places < 0 ? "_" : buffer(step.places)) + " = " +
         (step.function == RowFunction::sort ? "sort" : "top_k") + "(" + buffer(step.input) + ")");
  }
  void print(const CallStep& step) {
    std::string outputs, inputs;
    for (int output : step.outputs)
      outputs += (outputs.empty() ? "" : ", ") + buffer(output);
    for (int input : step.inputs)
      inputs += (inputs.empty() ? "" : ", ") + buffer(input);
    line(outputs + (outputs.empty() ? "" : " = ") + "call " + step.callee + "(" + inputs + ")");
  }

  const NestList& nests_;
  std::string text_;
  int depth_ = 0;
};

} // namespace

std::string to_string(const NestList& nests) { return Printer(nests).print(); }

} // namespace kolam::nest
