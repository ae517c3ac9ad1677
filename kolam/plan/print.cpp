// Prints plans.
#include "kolam/plan/print.h"

#include <charconv>

#include "kolam/plan/blocks.h"
#include "kolam/plan/structure.h"

namespace kolam::plans {
namespace {

std::string text_of(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

/// i, j, k, l, m, n, then d6, d7 ...
std::string variable(size_t dim) {
  constexpr std::string_view letters = "ijklmn";
  return dim < letters.size() ? std::string(1, letters[dim]) : "d" + std::to_string(dim);
}

/// `10 i - j + 3`.
std::string text_of(const Affine& number) {
  std::string text;
  auto add = [&](int64_t value, const std::string& of) {
    if (value == 0)
      return;
    std::string digits = std::to_string(value);
    const bool is_negative = value < 0;
    if (is_negative && !text.empty())
      digits.erase(0, 1);
    if (!of.empty() && (value == 1 || value == -1))
      digits = is_negative && text.empty() ? "-" : "";
    text += text.empty() ? "" : is_negative ? " - " : " + ";
    text += digits + (digits.empty() || digits == "-" || of.empty() ? "" : " ") + of;
  };
  for (size_t dim = 0; dim < number.steps.size(); ++dim)
    add(number.steps[dim], variable(dim));
  add(number.first, "");
  return text.empty() ? "0" : text;
}

std::string text_of(const Boxes& boxes) {
  std::string text = "[";
  for (size_t dim = 0; dim < boxes.start.size(); ++dim)
    text += (dim == 0 ? "" : ", ") + text_of(boxes.start[dim]) + ":+" +
            (dim < boxes.extent.size() ? std::to_string(boxes.extent[dim]) : "?");
  return text + "]";
}

/// ` for (i, j) < (2, 3)`; nothing for a single one.
std::string domain_of(const Point& counts) {
  if (counts.empty())
    return {};
  std::string text;
  for (size_t dim = 0; dim < counts.size(); ++dim)
    text += (dim == 0 ? "" : ", ") + variable(dim);
  return " for (" + text + ") < " + space::to_string(counts);
}

template <class T, class F>
std::string joined(const std::vector<T>& items, F&& text, const char* between = ", ") {
  std::string result;
  for (size_t i = 0; i < items.size(); ++i)
    result += (i == 0 ? "" : between) + text(items[i], i);
  return result;
}

class Printer {
public:
  explicit Printer(const Plan& plan) : plan_(plan) {}

  std::string run() {
    line(0, "plan of " + plan_.program + ", kolam " + plan_.version + ": " +
                std::to_string(plan_.workers) + " workers" +
                (plan_.memory_per_worker == 0
                     ? ""
                     : " with " + std::to_string(plan_.memory_per_worker) + " bytes each") +
                (plan_.keeps_results ? ", results stay" : ""));
    for (const auto& [name, value] : plan_.cost)
      line(1, name + " " + text_of(value));
    section("choices", plan_.trace, [&](const Choice& choice) { print(choice); });
    section("tensors", plan_.tensors, [&](const Tensor& tensor) { print(tensor); });
    section("stages", plan_.stages, [&](const Stage& stage) { print(stage); });
    section("pieces", plan_.pieces, [&](const Piece& piece) { print(piece); });
    section("tasks", plan_.tasks, [&](const Family& family) { print(family); });
    section("transfers", plan_.moves, [&](const Moves& moves) { print(moves); });
    if (check_structure(plan_).empty())
      print_workers();
    return std::move(text_);
  }

private:
  void line(int depth, const std::string& text) {
    text_.append(static_cast<size_t>(2 * depth), ' ').append(text).append("\n");
  }
  template <class T, class F>
  void section(const char* name, const std::vector<T>& items, F&& print_item) {
    if (!items.empty())
      line(0, name);
    for (const T& item : items)
      print_item(item);
  }
  std::string tensor_name(int64_t number) const {
    const bool exists = number >= 0 && static_cast<uint64_t>(number) < plan_.tensors.size();
    return exists ? plan_.tensors[number].name : "?";
  }
  const Stage* stage_of(int64_t piece) const {
    if (piece < 0 || static_cast<uint64_t>(piece) >= plan_.pieces.size())
      return nullptr;
    const int64_t stage = plan_.pieces[piece].stage;
    return stage < 0 || static_cast<uint64_t>(stage) >= plan_.stages.size() ? nullptr
                                                                            : &plan_.stages[stage];
  }

  void print(const Choice& choice) {
    std::string text = choice.name + " of " + choice.stage;
    for (const auto& [name, value] : choice.parameters)
      text += ", " + name + " " + value;
    line(1, text + (choice.exact ? "" : ", reassociates"));
  }

  void print(const Tensor& tensor) {
    std::string text =
        tensor.name + " " + std::string(name(tensor.dtype)) + " " + space::to_string(tensor.shape);
    if (tensor.argument >= 0)
      text += ", argument " + std::to_string(tensor.argument);
    for (int64_t result : tensor.results)
      text += ", result " + std::to_string(result);
    if (tensor.partial_of != -1)
      text += ", terms of " + tensor_name(tensor.partial_of);
    line(1, text);
  }

  void print(const Stage& stage) {
    constexpr const char* works[] = {"load", "compute", "merge"};
    line(1, std::string(works[static_cast<int>(stage.work)]) + " " + stage.name + ": " +
                joined(stage.tensors, [&](int64_t tensor, size_t) { return tensor_name(tensor); }));
    if (stage.signature == space::Signature{})
      return;
    const std::string text = space::to_string(stage.signature);
    for (size_t start = 0; start < text.size();) {
      const size_t end = std::min(text.find('\n', start), text.size());
      line(2, text.substr(start, end - start));
      start = end + 1;
    }
  }

  void print(const Piece& piece) {
    const auto number = static_cast<int64_t>(&piece - plan_.pieces.data());
    const Stage* stage = stage_of(number);
    size_t lines = piece.program.empty() || piece.program.back() == '\n' ? 0 : 1;
    for (char character : piece.program)
      lines += character == '\n';
    line(1, std::to_string(number) + " of " + (stage ? stage->name : "?") + ": " +
                text_of(piece.flops) + " flops, " + text_of(piece.bytes) + " bytes" +
                (lines == 0 ? "" : ", " + std::to_string(lines) + " lines"));
  }

  void print(const Family& family) {
    const Stage* stage = stage_of(family.piece);
    std::string text = (stage ? stage->name : "?") + domain_of(family.counts) + ": piece " +
                       std::to_string(family.piece) + " at " + text_of(family.position) +
                       ", worker " + text_of(family.worker);
    if (!family.index.start.empty())
      text += ", index " + text_of(family.index);
    line(1, text);
    StageTensors tensors;
    if (stage && (stage->work != Work::merge || stage->tensors.size() == 2) &&
        (stage->work != Work::compute || stage->tensors.size() == stage->signature.operands.size()))
      tensors = tensors_of(*stage);
    auto box = [&](const std::vector<int64_t>& names, bool are_one) {
      return [this, &names, are_one](const Boxes& boxes, size_t i) {
        const size_t place = are_one ? 0 : i;
        return (place < names.size() ? tensor_name(names[place]) : "?") + " " + text_of(boxes);
      };
    };
    if (!family.reads.empty())
      line(2, "reads " + joined(family.reads, box(tensors.reads, tensors.merges)));
    if (!family.writes.empty())
      line(2, "writes " + joined(family.writes, box(tensors.writes, false)));
    if (!family.offsets.empty())
      line(2, "offsets " + joined(family.offsets,
                                  [](const Affine& offset, size_t) { return text_of(offset); }));
  }

  void print(const Moves& moves) {
    line(1, tensor_name(moves.tensor) + domain_of(moves.counts) + ": at " +
                text_of(moves.position) + ", worker " + text_of(moves.from) + " to " +
                text_of(moves.to) + ", " + text_of(moves.box));
  }

  void print_workers() {
    struct Duty {
      int64_t tasks = 0, blocks = 0, made = 0, moved = 0;
    };
    const std::vector<Event> events = expand(plan_);
    const BlockTable table = find_blocks(plan_, events);
    std::vector<Duty> duties(plan_.workers);
    for (const Event& event : events)
      duties[event.worker].tasks += !event.is_move;
    for (const Block& block : table.blocks) {
      Duty& duty = duties[block.worker];
      ++duty.blocks;
      (events[block.made_by].is_move ? duty.moved : duty.made) += block.bytes;
    }
    const std::vector<Peak> peaks = peaks_in_order(plan_, events, table);
    std::vector<std::string> lines;
    for (int64_t i = 0; i < plan_.workers; ++i)
      lines.push_back(std::to_string(duties[i].tasks) + " tasks, " +
                      std::to_string(duties[i].blocks) + " blocks, " +
                      std::to_string(duties[i].made) + " bytes made, " +
                      std::to_string(duties[i].moved) + " moved in, at most " +
                      std::to_string(peaks[i].bytes) + " held");
    line(0, "workers");
    for (size_t i = 0; i < lines.size();) {
      size_t end = i + 1;
      while (end < lines.size() && lines[end] == lines[i])
        ++end;
      line(1, std::to_string(i) + (end - i == 1 ? "" : " to " + std::to_string(end - 1)) + ": " +
                  lines[i]);
      i = end;
    }
  }

  const Plan& plan_;
  std::string text_;
};

} // namespace

std::string to_string(const Plan& plan) { return Printer(plan).run(); }

} // namespace kolam::plans
