// Finds, checks, runs and simulates plans for the command line.
#include "plan_commands.h"

#include "words.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>

const char* const kPlanUsage =
    R"(  kolam plan FILE.mlir [--workers N] [--memory BYTES] [--objective ENTRY] [--limit ENTRY=NUMBER ...]
             [--machine FILE.json] [--allow exact|reassociate] [--seed N] [--seconds S] [--steps N]
             [--choice CHOICE ...] [--output PLAN.json]
      Finds a plan of the program's first function for N workers, 2 if not said, and prints what it
      costs and why others lost. ENTRY is time, work, bytes_in, peak_memory, wasted or workers.
      With --choice the program is rewritten first; the search takes others only with '--choice search'.
  kolam choices [FILE.mlir] [--workers N] [--allow exact|reassociate] [--choice NAME ...]
      Prints the choices that apply to a program, of the rows named or of those that searches try;
      without a file the table.
  kolam check-plan PLAN.json [--program FILE.mlir]
      Prints every rule that a plan breaks; with --program also what differs from the plan that its
      trace gives for that program. The exit status is 1 where there is anything.
  kolam run-plan PLAN.json FILE.npy ... [--output NUMBER=FILE.npy ...]
      Runs a plan on arrays in files, in the order of the program's arguments, box by box. Results
      without --output are printed.
  kolam simulate-plan PLAN.json [MACHINE.json]
      Says what a run takes on a machine, on this one if none is given.
)";

namespace {

using Words = std::vector<std::string>;

/// Words that are no options, and the values of options by name.
struct Parsed {
  Words words;
  std::map<std::string, Words> options;

  std::optional<std::string> option(const std::string& name) const {
    auto found = options.find(name);
    return found == options.end() ? std::nullopt : std::optional(found->second.back());
  }
};

/// Options in `several` may come more than once.
Parsed parse(const std::string& command, const Words& words, const std::set<std::string>& known,
             const std::set<std::string>& several = {}) {
  Parsed parsed;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i];
    if (!word.starts_with("--")) {
      parsed.words.push_back(word);
      continue;
    }
    if (!known.contains(word))
      fail_usage(command + ": expected the options that `kolam help` lists, but got '" + word +
                 "'");
    Words& values = parsed.options[word];
    if (!values.empty() && !several.contains(word))
      fail_usage(word + ": expected it once, but got it twice");
    values.push_back(value_of_option(words, i));
  }
  return parsed;
}

template <class T> T number_of(const std::string& option, const std::string& text) {
  T number{};
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end)
    fail_usage(option + ": expected a number, but got '" + text + "'");
  return number;
}

std::pair<std::string, std::string> halves_of(const std::string& option, const std::string& text,
                                              const char* form) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    fail_usage(option + ": expected " + form + ", but got '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string single_file(const std::string& command, const Parsed& parsed, const char* what) {
  if (parsed.words.size() != 1)
    fail_usage(command + ": expected one " + what + ", but got " +
               std::to_string(parsed.words.size()));
  return parsed.words[0];
}

void print_numbers(const char* name, const auto& numbers) {
  std::cout << name;
  for (const auto& number : numbers)
    std::cout << ' ' << number;
  std::cout << '\n';
}

} // namespace

void plan_command(const Words& words) {
  const Parsed parsed = parse("plan", words,
                              {"--workers", "--memory", "--objective", "--limit", "--machine",
                               "--allow", "--seed", "--seconds", "--steps", "--choice", "--output"},
                              {"--limit", "--choice"});
  kolam::PlanOptions options;
  auto set = [&](const std::string& name, const std::function<void(const std::string&)>& take) {
    if (auto value = parsed.option(name))
      take(*value);
  };
  set("--workers", [&](auto& text) { options.workers = number_of<int64_t>("--workers", text); });
  set("--memory",
      [&](auto& text) { options.memory_per_worker = number_of<int64_t>("--memory", text); });
  set("--objective", [&](auto& text) { options.objective = text; });
  set("--allow", [&](auto& text) { options.allow = text; });
  set("--seed", [&](auto& text) { options.seed = number_of<uint64_t>("--seed", text); });
  set("--seconds", [&](auto& text) { options.seconds = number_of<double>("--seconds", text); });
  set("--steps", [&](auto& text) { options.steps = number_of<int64_t>("--steps", text); });
  set("--machine",
      [&](auto& text) { options.machine = kolam::plans::machine_from_json(read_text(text)); });
  if (auto limits = parsed.options.find("--limit"); limits != parsed.options.end())
    for (const std::string& limit : limits->second) {
      auto [entry, value] = halves_of("--limit", limit, "ENTRY=NUMBER");
      options.limits[entry] = number_of<double>("--limit", value);
    }
  if (auto choices = parsed.options.find("--choice"); choices != parsed.options.end())
    options.choices = choices->second;
  const kolam::Plan plan =
      kolam::plan(read_program(single_file("plan", parsed, "program file")), options);
  std::cout << plan.explain();
  set("--output", [&](auto& path) { plan.save(path); });
}

void choices_command(const Words& words) {
  const Parsed parsed = parse("choices", words, {"--workers", "--allow", "--choice"}, {"--choice"});
  if (parsed.words.empty()) {
    for (const kolam::ChoiceRow& row : kolam::choice_rows())
      std::cout << row.name << (row.is_exact ? " (exact)" : " (reassociates)")
                << (row.is_searched ? ", searched" : "") << "\n  " << row.equation << "\n  of "
                << row.condition << "\n  parameters: " << row.parameters << '\n';
    return;
  }
  const auto workers = parsed.option("--workers");
  const auto names = parsed.options.find("--choice");
  for (const kolam::PossibleChoice& one :
       kolam::possible_choices(read_program(single_file("choices", parsed, "program file")),
                               names == parsed.options.end() ? Words() : names->second,
                               workers ? number_of<int64_t>("--workers", *workers) : 2,
                               parsed.option("--allow").value_or("exact")))
    std::cout << one.text << ": " << one.what << (one.is_exact ? "\n" : ", reassociates\n");
}

int check_plan_command(const Words& words) {
  const Parsed parsed = parse("check-plan", words, {"--program"});
  const kolam::Plan plan = kolam::Plan::load(single_file("check-plan", parsed, "plan"));
  const auto program = parsed.option("--program");
  const Words breaks = program ? plan.check(read_program(*program)) : plan.check();
  for (const std::string& one : breaks)
    std::cout << one << '\n';
  if (breaks.empty())
    std::cout << "the plan is sound\n";
  return breaks.empty() ? 0 : 1;
}

void run_plan_command(const Words& words) {
  const Parsed parsed = parse("run-plan", words, {"--output"}, {"--output"});
  if (parsed.words.empty())
    fail_usage("run-plan: expected a plan and the files of its arguments, but got none");
  const kolam::Plan plan = kolam::Plan::load(parsed.words[0]);
  std::vector<kolam::PlanInput> inputs;
  for (size_t i = 1; i < parsed.words.size(); ++i)
    inputs.push_back(kolam::PlanInput::file(parsed.words[i]));
  std::map<int64_t, std::string> out;
  if (auto outputs = parsed.options.find("--output"); outputs != parsed.options.end())
    for (const std::string& output : outputs->second) {
      auto [number, path] = halves_of("--output", output, "NUMBER=FILE.npy");
      out[number_of<int64_t>("--output", number)] = path;
    }
  for (const kolam::Array& result : plan.run(std::move(inputs), out))
    if (result)
      std::cout << result.to_string() << '\n';
}

void simulate_plan_command(const Words& words) {
  const Parsed parsed = parse("simulate-plan", words, {});
  if (parsed.words.empty() || parsed.words.size() > 2)
    fail_usage("simulate-plan: expected a plan and a machine, but got " +
               std::to_string(parsed.words.size()) + " files");
  const kolam::Plan plan = kolam::Plan::load(parsed.words[0]);
  const kolam::plans::Machine machine =
      parsed.words.size() == 2 ? kolam::plans::machine_from_json(read_text(parsed.words[1]))
                               : kolam::local_machine(plan.data().workers);
  const kolam::plans::Simulated simulated = plan.simulate(machine);
  std::cout << "time " << simulated.time << '\n';
  print_numbers("busy", simulated.busy);
  print_numbers("bytes_in", simulated.bytes_in);
  print_numbers("peak_memory", simulated.peak_memory);
}
