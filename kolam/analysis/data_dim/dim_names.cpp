// Lets names travel, op by op.
#include "kolam/analysis/data_dim/dim_names.h"

#include "kolam/support/short_location.h"

#include <algorithm>
#include <deque>

namespace kolam::analysis {
namespace {

/// A name that was given, and which op of the problem gave it.
struct Given {
  std::string text;
  Extent extent;
  int op = 0;
};

/// Of a dim: none, the one that it was given, or several whose product it is.
using Name = std::vector<Given>;

std::string to_text(const Name& name) {
  if (name.size() < 2)
    return name.empty() ? "" : name[0].text;
  std::string text;
  for (const Given& part : name)
    text += (text.empty() ? "(" : "*") + part.text;
  return text + ")";
}

/// A dim of extent 1 beside others says nothing of theirs.
bool is_unit(const Extent& extent) { return extent == Extent(1); }

class Naming {
public:
  explicit Naming(DataDimProblem& problem) : problem_(problem) {
    for (const DataDimValue& value : problem.values)
      names_.emplace_back(value.shape.size());
    touching_.resize(problem.values.size());
    for (size_t op = 0; op < problem.ops.size(); ++op)
      for (const SameDims& same : problem.ops[op].same)
        for (const DimRun& run : same)
          touching_[run.value].push_back(static_cast<int>(op));
  }

  void run() {
    const int count = static_cast<int>(problem_.ops.size());
    for (int op = 0; op < count && !failed(); ++op)
      visit(op, Direction::forwards);
    waits_.assign(problem_.ops.size(), true);
    for (int op = 0; op < count; ++op)
      waiting_.push_back(op);
    while (!waiting_.empty() && !failed()) {
      const int op = waiting_.front();
      waiting_.pop_front();
      waits_[op] = false;
      visit(op, Direction::both);
    }
    for (size_t value = 0; value < names_.size(); ++value)
      write(static_cast<int>(value));
  }

private:
  enum class Direction : uint8_t { forwards, both };

  bool failed() const { return problem_.two_names.has_value(); }

  void visit(int number, Direction direction) {
    const DataDimOp& op = problem_.ops[number];
    for (size_t dim = 0; dim < op.names.size(); ++dim)
      if (!op.names[dim].empty()) {
        const int value = op.operands.empty() ? op.results[0] : op.operands[0];
        set(number, value, dim, {{op.names[dim], problem_.values[value].shape[dim], number}}, true);
      }
    for (const SameDims& same : op.same)
      for (const DimRun& from : same) {
        std::optional<Name> parts = parts_of(from);
        if (!parts)
          continue;
        for (const DimRun& to : same)
          if (&from != &to)
            hand_on(number, *parts, to,
                    direction == Direction::both ||
                        std::ranges::find(op.results, to.value) != op.results.end());
      }
  }

  /// The names of a run, in order; none where one is missing.
  std::optional<Name> parts_of(const DimRun& run) const {
    Name parts;
    for (size_t dim = run.first; dim < run.first + run.count; ++dim) {
      const Name& name = names_[run.value][dim];
      if (run.count > 1 && is_unit(problem_.values[run.value].shape[dim]))
        continue;
      if (name.empty())
        return std::nullopt;
      parts.insert(parts.end(), name.begin(), name.end());
    }
    return parts.empty() ? std::nullopt : std::optional(parts);
  }

  /// Gives each dim of a run the names whose product its extent is; nothing where they do not fit.
  void hand_on(int op, const Name& parts, const DimRun& to, bool may_set) {
    const Shape& shape = problem_.values[to.value].shape;
    if (failed())
      return;
    if (parts.size() == 1 && to.count == 1) // of a block the extent may be another
      return set(op, to.value, to.first, {{parts[0].text, shape[to.first], parts[0].op}}, may_set);
    std::vector<Name> names;
    size_t next = 0;
    for (size_t dim = to.first; dim < to.first + to.count; ++dim) {
      Name name;
      Extent product(1);
      while (next < parts.size() && (name.empty() || !(product == shape[dim])) &&
             !(to.count > 1 && is_unit(shape[dim]))) {
        product = product * parts[next].extent;
        name.push_back(parts[next++]);
      }
      if (!(product == shape[dim]))
        return;
      names.push_back(std::move(name));
    }
    if (next != parts.size())
      return;
    for (size_t dim = 0; dim < to.count && !failed(); ++dim)
      if (!names[dim].empty())
        set(op, to.value, to.first + dim, names[dim], may_set);
  }

  /// A name that was given is kept, and is better than a joined one. Two of them contradict.
  void set(int op, int value, size_t dim, const Name& name, bool may_set) {
    Name& known = names_[value][dim];
    if (known.size() == 1 && name.size() == 1) {
      if (known[0].text != name[0].text)
        refuse(op, known[0], name[0]);
      return;
    }
    if (!may_set || known.size() == 1 || (!known.empty() && name.size() > 1))
      return;
    known = name;
    if (waits_.empty())
      return;
    for (int other : touching_[value])
      if (!waits_[other]) {
        waits_[other] = true;
        waiting_.push_back(other);
      }
  }

  std::string giver(const Given& name) const {
    const DataDimOp& op = problem_.ops[name.op];
    if (op.kind == DataDimOp::Kind::argument)
      return "input '" + op.name + "'";
    if (op.kind == DataDimOp::Kind::result)
      return "output " + op.name;
    const std::string line = short_location(op.where);
    return "a pin" + (line.empty() ? "" : " at " + line);
  }

  void refuse(int number, const Given& one, const Given& other) {
    if (other.op < one.op)
      return refuse(number, other, one);
    const DataDimOp& op = problem_.ops[number];
    for (const std::vector<int>* values : {&op.operands, &op.results})
      for (int value : *values)
        write(value);
    const PricedRow no_dims{
        std::vector<int>(op.operands.size() + op.results.size(), space::kAnyDim)};
    problem_.two_names = {op.where, op_text(problem_, op, no_dims) +
                                        ": expected one name for each dim, but got '" + one.text +
                                        "', given by " + giver(one) + ", and '" + other.text +
                                        "', given by " + giver(other)};
  }

  void write(int value) {
    std::vector<std::string>& names = problem_.values[value].names;
    names.clear();
    for (const Name& name : names_[value])
      names.push_back(to_text(name));
    if (std::ranges::all_of(names, [](const std::string& name) { return name.empty(); }))
      names.clear();
  }

  DataDimProblem& problem_;
  std::vector<std::vector<Name>> names_;   ///< by value and dim
  std::vector<std::vector<int>> touching_; ///< by value: ops
  std::deque<int> waiting_;
  std::vector<bool> waits_; ///< by op; empty while names go forwards
};

} // namespace

void name_dims(DataDimProblem& problem) { Naming(problem).run(); }

} // namespace kolam::analysis
