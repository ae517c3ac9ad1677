// Schedules as text.
#include "kolam/nest/schedule.h"

#include "kolam/support/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <array>

namespace kolam::nest {
namespace {

using llvm::StringRef;

constexpr std::array<StringRef, 4> kKinds{"", "parallel", "unrolled", "runs"};
constexpr std::array<StringRef, 5> kRests{"", "peeled", "mask", "next", "fewer"};
constexpr std::array<StringRef, 10> kEmitters{"elements", "reduction", "columns",     "squares",
                                              "rows",     "tiles",     "interleaved", "products",
                                              "packing",  "whole"};
constexpr std::array<StringRef, 3> kSpaces{"registers", "row", "tile"};

template <class Enum, size_t n> StringRef name_of(const std::array<StringRef, n>& names, Enum e) {
  return names[static_cast<size_t>(e)];
}

/// The numbers of all ops but one.
std::vector<int> all_but(int op, size_t count) {
  std::vector<int> others;
  for (int other = 0; other < static_cast<int>(count); ++other)
    if (other != op)
      others.push_back(other);
  return others;
}

class Printer {
public:
  explicit Printer(const Schedule& schedule) : schedule_(schedule) {}

  std::string print() {
    line("ops " + llvm::join(schedule_.ops, " "));
    std::string dims;
    for (const ScheduleDim& dim : schedule_.dims)
      dims += (dims.empty() ? "dims " : ", ") + dim.name + " " + dim.extent.to_string();
    if (!dims.empty())
      line(dims);
    std::vector<std::string> blocks;
    for (const ScheduleDim& dim : schedule_.dims)
      blocks.push_back(dim.name);
    print(schedule_.nodes, blocks);
    return text_;
  }

private:
  void line(const std::string& text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }

  /// `blocks`: by dim what an inner loop goes over.
  void print(const std::vector<ScheduleNode>& nodes, const std::vector<std::string>& blocks) {
    for (const ScheduleNode& node : nodes)
      std::visit([&](const auto& what) { print(what, node, blocks); }, node.what);
  }
  void print(const ScheduleLoop& loop, const ScheduleNode& node, std::vector<std::string> blocks) {
    std::string text = "for " + loop.name + " in " + blocks[loop.dim];
    if (loop.step != Extent(1))
      text += " by " + loop.step.to_string();
    if (loop.kind != LoopKind::serial)
      text += " " + name_of(kKinds, loop.kind).str();
    if (loop.rest != Rest::none)
      text += " rest " + name_of(kRests, loop.rest).str();
    line(text);
    blocks[loop.dim] = loop.name;
    ++depth_;
    print(node.body, blocks);
    --depth_;
  }
  void print(const ScheduleStage& stage, const ScheduleNode&, const std::vector<std::string>&) {
    std::string text = schedule_.ops[stage.op];
    for (int op : stage.beside)
      text += (op == stage.beside.front() ? " beside " : " ") + schedule_.ops[op];
    if (stage.with.size() > 1 && stage.with == all_but(stage.op, schedule_.ops.size()))
      text += " with all";
    else
      for (int op : stage.with)
        text += (op == stage.with.front() ? " with " : " ") + schedule_.ops[op];
    text += " by " + name_of(kEmitters, stage.by).str();
    if (stage.lanes > 1)
      text += " lanes " + std::to_string(stage.lanes);
    line(text + (stage.past_caches ? " past caches" : ""));
  }
  void print(const ScheduleStore& store, const ScheduleNode&, const std::vector<std::string>&) {
    line("store " + schedule_.ops[store.op] + " " + std::to_string(store.count) + " in " +
         name_of(kSpaces, store.space).str());
  }
  void print(const ScheduleAhead& ahead, const ScheduleNode&, const std::vector<std::string>&) {
    line("ahead " + std::to_string(ahead.value) + " rows " + std::to_string(ahead.first_of_row));
  }

  void print(const ScheduleWhen& when, const ScheduleNode& node,
             const std::vector<std::string>& blocks) {
    line("when " + blocks[when.dim] + (when.is_more ? " over " : " up to ") +
         std::to_string(when.most));
    ++depth_;
    print(node.body, blocks);
    --depth_;
  }

  void print(const ScheduleParts& parts, const ScheduleNode& node,
             const std::vector<std::string>& blocks) {
    std::string text = "parts of " + blocks[parts.dim];
    for (const Extent& at : parts.at)
      text += (&at == &parts.at.front() ? " at " : ", ") + at.to_string();
    line(text);
    ++depth_;
    print(node.body, blocks);
    --depth_;
  }

  void print(const ScheduleSegments& segments, const ScheduleNode& node,
             const std::vector<std::string>& blocks) {
    line("segments of " + blocks[segments.dim] + " by " + schedule_.ops[segments.op] +
         (segments.whole ? " whole" : ""));
    ++depth_;
    print(node.body, blocks);
    --depth_;
  }

  const Schedule& schedule_;
  std::string text_;
  int depth_ = 0;
};

/// Reads a text line by line. The tree follows from how far lines are indented.
class Parser {
public:
  explicit Parser(StringRef text) {
    int number = 0;
    for (StringRef line : llvm::split(text, '\n')) {
      ++number;
      StringRef content = line.split('#').first.rtrim();
      if (content.ltrim().empty())
        continue;
      size_t indent = content.size() - content.ltrim(' ').size();
      if (lines_.empty())
        all_ = indent; // the whole text may stand further in
      lines_.push_back({number, indent - std::min(indent, all_), content.ltrim(' ')});
    }
  }

  Schedule parse() {
    words("ops");
    while (!rest_.empty())
      schedule_.ops.push_back(word("a name").str());
    if (schedule_.ops.empty())
      refuse("a name");
    ++at_;
    if (at_ < lines_.size() && lines_[at_].text.starts_with("dims "))
      parse_dims();
    std::vector<std::string> blocks;
    for (const ScheduleDim& dim : schedule_.dims)
      blocks.push_back(dim.name);
    schedule_.nodes = parse_body(0, blocks);
    if (at_ < lines_.size())
      refuse("a line that is not indented");
    return std::move(schedule_);
  }

private:
  struct Line {
    int number;
    size_t indent;
    StringRef text;
  };

  [[noreturn]] void refuse(const std::string& expected) const {
    std::string got = at_ < lines_.size() ? "'" + lines_[at_].text.str() + "' in line " +
                                                std::to_string(lines_[at_].number)
                                          : "the end of the text";
    fail(ErrorKind::value, "bad-schedule", "expected " + expected + ", but got " + got);
  }
  /// Starts a line, whose first word is known.
  void words(StringRef first) {
    if (at_ >= lines_.size())
      refuse("'" + first.str() + "'");
    rest_ = lines_[at_].text;
    if (word("'" + first.str() + "'") != first)
      refuse("'" + first.str() + "'");
  }
  StringRef word(const std::string& expected) {
    auto [first, rest] = rest_.split(' ');
    rest_ = rest.ltrim();
    if (first.empty())
      refuse(expected);
    return first;
  }
  bool takes(StringRef text) {
    auto [first, rest] = rest_.split(' ');
    if (first != text)
      return false;
    rest_ = rest.ltrim();
    return true;
  }
  void end_line() {
    if (!rest_.empty())
      refuse("the end of the line before '" + rest_.str() + "'");
    ++at_;
  }
  int64_t number(const std::string& expected) {
    int64_t value = 0;
    if (word(expected).getAsInteger(10, value) || value < 0 || value > (int64_t{1} << 40))
      refuse(expected);
    return value;
  }
  Extent extent(StringRef text) {
    std::optional<Extent> extent = Extent::parse({text.data(), text.size()});
    if (!extent)
      refuse("an extent");
    return *extent;
  }
  int op(StringRef name) {
    auto found = llvm::find(schedule_.ops, name);
    if (found == schedule_.ops.end())
      refuse("an op of the first line");
    return static_cast<int>(found - schedule_.ops.begin());
  }
  template <size_t n> size_t name(const std::array<StringRef, n>& names) {
    std::string expected;
    for (StringRef known : names)
      expected += (expected.empty() ? "" : ", ") + known.str();
    StringRef got = word("one of " + expected);
    auto found = llvm::find(names, got);
    if (found == names.end())
      refuse("one of " + expected);
    return static_cast<size_t>(found - names.begin());
  }

  void parse_dims() {
    words("dims");
    for (StringRef dim : split_between_extents(rest_)) {
      auto [name, size] = dim.trim().split(' ');
      if (name.empty() || size.empty())
        refuse("a name and an extent for each dim");
      if (llvm::any_of(schedule_.dims, [&](const ScheduleDim& d) { return d.name == name; }))
        refuse("each dim once");
      schedule_.dims.push_back({name.str(), extent(size)});
    }
    ++at_;
  }

  std::vector<ScheduleNode> parse_body(size_t indent, const std::vector<std::string>& blocks) {
    constexpr size_t kMostIndent = 400; // bound: far more loops than any nest has
    std::vector<ScheduleNode> nodes;
    while (at_ < lines_.size() && lines_[at_].indent >= indent) {
      if (lines_[at_].indent != indent || indent > kMostIndent)
        refuse("a line indented by " + std::to_string(indent) + " spaces");
      rest_ = lines_[at_].text;
      if (takes("for"))
        nodes.push_back(parse_loop(indent, blocks));
      else if (takes("when"))
        nodes.push_back(parse_when(indent, blocks));
      else if (takes("parts"))
        nodes.push_back(parse_parts(indent, blocks));
      else if (takes("segments"))
        nodes.push_back(parse_segments(indent, blocks));
      else if (takes("store"))
        nodes.push_back(parse_store());
      else if (takes("ahead"))
        nodes.push_back(parse_ahead());
      else
        nodes.push_back(parse_stage());
    }
    return nodes;
  }

  ScheduleNode parse_loop(size_t indent, std::vector<std::string> blocks) {
    ScheduleLoop loop;
    loop.name = word("a name").str();
    if (!takes("in"))
      refuse("'in'");
    loop.dim = block(blocks);
    if (llvm::is_contained(blocks, loop.name))
      refuse("a name of its own for the loop");
    if (takes("by")) {
      size_t end = std::min({rest_.find(" parallel"), rest_.find(" unrolled"), rest_.find(" runs"),
                             rest_.find(" rest ")});
      loop.step = extent(rest_.take_front(end));
      rest_ = end == StringRef::npos ? StringRef() : rest_.drop_front(end).ltrim();
    }
    for (LoopKind kind : {LoopKind::parallel, LoopKind::unrolled, LoopKind::runs})
      if (takes(name_of(kKinds, kind)))
        loop.kind = kind;
    if (takes("rest"))
      loop.rest = static_cast<Rest>(name(kRests));
    end_line();
    blocks[loop.dim] = loop.name;
    ScheduleNode node{std::move(loop)};
    node.body = parse_body(indent + 2, blocks);
    return node;
  }

  /// The dim whose block is named.
  int block(const std::vector<std::string>& blocks) {
    auto dim = llvm::find(blocks, word("a dim or the loop around it"));
    if (dim == blocks.end())
      refuse("a dim, or the innermost loop over it");
    return static_cast<int>(dim - blocks.begin());
  }

  ScheduleNode parse_when(size_t indent, const std::vector<std::string>& blocks) {
    ScheduleWhen when;
    when.dim = block(blocks);
    when.is_more = takes("over");
    if (!when.is_more && !(takes("up") && takes("to")))
      refuse("'up to' or 'over'");
    when.most = number("a number of elements");
    end_line();
    return {when, parse_body(indent + 2, blocks)};
  }

  ScheduleNode parse_parts(size_t indent, const std::vector<std::string>& blocks) {
    ScheduleParts parts;
    if (!takes("of"))
      refuse("'of'");
    parts.dim = block(blocks);
    if (!takes("at"))
      refuse("'at'");
    for (StringRef at : split_between_extents(rest_))
      parts.at.push_back(extent(at.trim()));
    ++at_;
    return {std::move(parts), parse_body(indent + 2, blocks)};
  }

  ScheduleNode parse_segments(size_t indent, const std::vector<std::string>& blocks) {
    ScheduleSegments segments;
    if (!takes("of"))
      refuse("'of'");
    segments.dim = block(blocks);
    if (!takes("by"))
      refuse("'by' and the ids");
    segments.op = op(word("an op"));
    segments.whole = takes("whole");
    end_line();
    return {segments, parse_body(indent + 2, blocks)};
  }

  ScheduleNode parse_stage() {
    ScheduleStage stage;
    stage.op = op(word("an op"));
    auto parse_ops = [&](std::vector<int>& ops) {
      do
        ops.push_back(op(word("an op")));
      while (!rest_.empty() && !rest_.starts_with("by ") && !rest_.starts_with("with "));
    };
    if (takes("beside"))
      parse_ops(stage.beside);
    bool has_with = takes("with");
    if (has_with && takes("all"))
      stage.with = all_but(stage.op, schedule_.ops.size());
    else if (has_with)
      parse_ops(stage.with);
    if (!takes("by"))
      refuse("'by' and how the stage is computed");
    stage.by = static_cast<Emitter>(name(kEmitters));
    if (takes("lanes"))
      stage.lanes = static_cast<int>(std::min<int64_t>(number("a number of lanes"), 1 << 20));
    if (takes("past"))
      stage.past_caches = takes("caches") ? true : (refuse("'past caches'"), false);
    end_line();
    return {std::move(stage)};
  }

  ScheduleNode parse_store() {
    ScheduleStore store;
    store.op = op(word("an op"));
    store.count = number("a number of elements");
    if (!takes("in"))
      refuse("'in'");
    store.space = static_cast<StoreSpace>(name(kSpaces));
    end_line();
    return {store};
  }

  ScheduleNode parse_ahead() {
    ScheduleAhead ahead;
    ahead.value = static_cast<int>(std::min<int64_t>(number("a parameter's number"), 1 << 20));
    if (!takes("rows"))
      refuse("'rows'");
    ahead.first_of_row = number("a dim");
    end_line();
    return {ahead};
  }

  std::vector<Line> lines_;
  size_t all_ = 0; ///< spaces in front of every line
  size_t at_ = 0;
  StringRef rest_; ///< of the line
  Schedule schedule_;
};

} // namespace

std::string to_string(const Schedule& schedule) { return Printer(schedule).print(); }

Schedule parse_schedule(std::string_view text) {
  return Parser(StringRef(text.data(), text.size())).parse();
}

std::vector<StringRef> split_between_extents(StringRef text) {
  std::vector<StringRef> parts;
  size_t from = 0;
  int depth = 0;
  for (auto [at, letter] : llvm::enumerate(text)) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == ',' && depth <= 0) {
      parts.push_back(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push_back(text.substr(from));
  return parts;
}

std::optional<int64_t> inner_step(const Schedule& schedule) {
  std::optional<int64_t> step;
  for_each_node(schedule.nodes, [&](const ScheduleNode& node, const auto&) {
    if (auto* loop = std::get_if<ScheduleLoop>(&node.what); loop && loop->kind == LoopKind::serial)
      step = loop->step.constant();
  });
  return step;
}

const ScheduleStage* root_stage(const Schedule& schedule) {
  const ScheduleStage* root = nullptr;
  for_each_node(schedule.nodes, [&](const ScheduleNode& node, const auto&) {
    if (auto* stage = std::get_if<ScheduleStage>(&node.what); stage && stage->op == 0)
      root = stage;
  });
  return root;
}

} // namespace kolam::nest
