// Finds where choices apply, and takes them.
#include "kolam/rewrite/choice.h"

#include "kolam/ir/location.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/rewrite/choice_parts.h"
#include "kolam/runtime/long_work.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

#include <charconv>
#include <sstream>

namespace kolam::rewrite {
namespace {

using language::Builder;
using mlir::Operation;

[[noreturn]] void fail_choice(const std::string& message) {
  fail(ErrorKind::value, "plan-choice", message);
}

std::vector<Operation*> ops_of(mlir::func::FuncOp main) {
  std::vector<Operation*> ops;
  for (Operation& op : main.getBody().front().without_terminator())
    ops.push_back(&op);
  return ops;
}

std::string describe(Operation* op) {
  const SourceLocation where = ir::to_source_location(op->getLoc());
  std::string text = ir::name_of(op);
  return where ? text + " at " + where.file + ":" + std::to_string(where.line) : text;
}

bool keeps_bits(const Choice& choice, Operation* op, const Parameters& parameters) {
  return choice.keeps == Keeps::exact || (choice.is_exact && choice.is_exact(op, parameters));
}

const Choice& choice_of(const std::string& name) {
  if (const Choice* choice = find_choice(name))
    return *choice;
  std::string known;
  for (const Choice& choice : all_choices())
    known += (known.empty() ? "" : ", ") + std::string(choice.name);
  fail_choice("expected the name of a choice, one of " + known + ", but got '" + name + "'");
}

std::optional<int64_t> as_number(std::string_view text) {
  int64_t number = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && stop == text.data() + text.size()
             ? std::optional(number)
             : std::nullopt;
}

/// Names of parameters stand before colons in the row's words.
void require_parameters(const Choice& choice, const Step& step) {
  for (const auto& [name, numbers] : step.parameters) {
    if (choice.parameters.find(name + ": ") == std::string_view::npos)
      fail_choice("choice '" + to_string(step) + "': expected the parameters (" +
                  std::string(choice.parameters) + "), but got '" + name + "'");
    if (static_cast<int64_t>(numbers.size()) >= kMostParts)
      fail_choice("choice '" + step.name + "': expected fewer than " + std::to_string(kMostParts) +
                  " numbers for '" + name + "', but got " + std::to_string(numbers.size()));
  }
}

/// Erases ops that nobody needs, and gives those that are left of `ops`.
llvm::DenseSet<Operation*> swept(mlir::Block& block) {
  llvm::DenseSet<Operation*> left;
  for (Operation& op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
    else
      left.insert(&op);
  return left;
}

} // namespace

mlir::Value Sample::argument(DType dtype, const Shape& shape) {
  mlir::Block& block = *b.getInsertionBlock();
  return block.addArgument(language::tensor_type(b, dtype, shape), b.getLoc());
}

const std::vector<Choice>& all_choices() {
  static const std::vector<Choice> all = [] {
    std::vector<Choice> rows;
    for (std::span<const Choice> family :
         {convolution_choices(), group_choices(), part_choices(), place_choices(),
          product_choices(), scan_choices(), statistics_choices(), sum_choices()})
      rows.insert(rows.end(), family.begin(), family.end());
    return rows;
  }();
  return all;
}

const Choice* find_choice(std::string_view name) {
  for (const Choice& choice : all_choices())
    if (choice.name == name)
      return &choice;
  return nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp> sample_of(const Choice& choice, mlir::MLIRContext* context,
                                            uint64_t seed) {
  std::mt19937_64 random(seed);
  const mlir::Location at = ir::to_location(context, {"sample.py", 1});
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(at);
  mlir::OpBuilder outer = mlir::OpBuilder::atBlockEnd(module->getBody());
  auto main = mlir::func::FuncOp::create(outer, at, "main", outer.getFunctionType({}, {}));
  mlir::Block* block = main.addEntryBlock();
  Builder b(at, mlir::OpBuilder::atBlockEnd(block));
  Sample sample{b, random};
  const mlir::Value result = choice.sample(sample);
  mlir::func::ReturnOp::create(b, mlir::ValueRange{result});
  main.setFunctionType(b.getFunctionType(block->getArgumentTypes(), {result.getType()}));
  return module;
}

std::string to_string(const Step& step) {
  std::string text = step.name + " " + std::to_string(step.op);
  for (const auto& [name, numbers] : step.parameters) {
    text += " " + name + "=";
    for (size_t i = 0; i < numbers.size(); ++i)
      text += (i ? "," : "") + std::to_string(numbers[i]);
  }
  return text;
}

Step parse_step(const std::string& text) {
  std::istringstream words(text);
  Step step;
  step.op = -1;
  words >> step.name;
  choice_of(step.name);
  auto fail_form = [&] {
    fail_choice("expected a choice as 'name', or 'name op parameter=1,2', but got '" + text + "'");
  };
  std::string word;
  if (words >> word) {
    const std::optional<int64_t> number = as_number(word);
    if (!number || *number < 0)
      fail_form();
    step.op = *number;
  }
  while (words >> word) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      fail_form();
    std::vector<int64_t>& numbers = step.parameters[word.substr(0, equals)];
    std::istringstream parts(word.substr(equals + 1));
    for (std::string part; std::getline(parts, part, ',');) {
      const std::optional<int64_t> number = as_number(part);
      if (!number)
        fail_form();
      numbers.push_back(*number);
    }
  }
  return step;
}

namespace {

/// Where the row applies to the op.
void add_steps(const Choice& choice, Operation* op, int64_t number, int64_t workers, Keeps keeps,
               std::vector<Possible>& steps) {
  for (Parameters& way : choice.ways(op, std::max<int64_t>(workers, 2))) {
    const bool is_exact = keeps_bits(choice, op, way);
    if (is_exact || keeps == Keeps::reassociates)
      steps.push_back({{std::string(choice.name), number, std::move(way)}, is_exact, describe(op)});
  }
}

} // namespace

std::vector<Possible> possible_steps(mlir::func::FuncOp main, std::span<const std::string> wanted,
                                     int64_t workers, Keeps keeps) {
  std::vector<const Choice*> rows;
  for (const std::string& name : wanted)
    rows.push_back(&choice_of(name));
  if (wanted.empty())
    for (const Choice& choice : all_choices())
      if (choice.is_searched)
        rows.push_back(&choice);
  std::vector<Possible> steps;
  const std::vector<Operation*> ops = ops_of(main);
  for (size_t number = 0; number < ops.size(); ++number) {
    runtime::stop_if_cancelled();
    for (const Choice* choice : rows)
      add_steps(*choice, ops[number], static_cast<int64_t>(number), workers, keeps, steps);
  }
  return steps;
}

Taken take(mlir::func::FuncOp main, const Step& step, Keeps keeps) {
  const Choice& choice = choice_of(step.name);
  const std::vector<Operation*> before = ops_of(main);
  if (step.op < 0 || step.op >= static_cast<int64_t>(before.size()))
    fail_choice("choice '" + step.name + "': expected an op below " +
                std::to_string(before.size()) + ", but got " + std::to_string(step.op));
  require_parameters(choice, step);
  Operation* op = before[static_cast<size_t>(step.op)];
  Taken taken{.step = step,
              .is_exact = keeps_bits(choice, op, step.parameters),
              .what = describe(op),
              .ops = std::vector<std::vector<int64_t>>(before.size())};
  if (keeps == Keeps::exact && !taken.is_exact)
    fail_choice("choice '" + to_string(step) + "': expected one that keeps every bit of " +
                taken.what + ", but it reassociates (allow=\"reassociate\" permits that)");
  Builder b(op->getLoc(), mlir::OpBuilder(op));
  const std::vector<Replacement> replacements = choice.apply(op, step.parameters, b);
  if (replacements.empty())
    fail_choice("choice '" + to_string(step) + "': expected " + std::string(choice.condition) +
                " (parameters: " + std::string(choice.parameters) + "), but got " + taken.what);
  llvm::DenseSet<Operation*> old(before.begin(), before.end()), left_side{op};
  for (const Replacement& replacement : replacements) {
    if (Operation* maker = replacement.old.getDefiningOp())
      left_side.insert(maker);
    mlir::Value stays = replacement.old;
    stays.replaceAllUsesWith(replacement.made);
  }
  mlir::Block& block = main.getBody().front();
  std::vector<Operation*> made;
  for (Operation& own : block.without_terminator())
    if (!old.contains(&own))
      made.push_back(&own);
  const llvm::DenseSet<Operation*> left = swept(block);
  mlir::sortTopologically(&block);
  llvm::DenseMap<Operation*, int64_t> numbers;
  for (Operation* own : ops_of(main))
    numbers.try_emplace(own, static_cast<int64_t>(numbers.size()));
  for (size_t number = 0; number < before.size(); ++number) {
    if (left.contains(before[number]))
      taken.ops[number] = {numbers.lookup(before[number])};
    else if (left_side.contains(before[number]))
      for (Operation* own : made)
        if (left.contains(own))
          taken.ops[number].push_back(numbers.lookup(own));
  }
  return taken;
}

std::vector<Taken> take_all(mlir::func::FuncOp main, std::span<const std::string> texts,
                            int64_t workers, Keeps keeps) {
  std::vector<Taken> all;
  for (const std::string& text : texts) {
    Step step = parse_step(text);
    if (step.op >= 0) {
      all.push_back(take(main, step, keeps));
      continue;
    }
    // From the last op on: those before it keep their numbers.
    bool is_found = false;
    for (auto number = static_cast<int64_t>(ops_of(main).size()) - 1; number >= 0; --number) {
      const std::vector<Operation*> ops = ops_of(main);
      number = std::min(number, static_cast<int64_t>(ops.size()) - 1);
      std::vector<Possible> steps;
      add_steps(choice_of(step.name), ops[static_cast<size_t>(number)], number, workers, keeps,
                steps);
      if (steps.empty())
        continue;
      runtime::stop_if_cancelled();
      all.push_back(take(main, steps[0].step, keeps));
      is_found = true;
    }
    if (!is_found)
      fail_choice("choice '" + step.name + "': expected an op with " +
                  std::string(choice_of(step.name).condition) + ", but the program has none");
  }
  return all;
}

} // namespace kolam::rewrite
