// kolam: runs and explains programs written as text.
#include "plan_commands.h"
#include "words.h"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

namespace {

constexpr const char* kUsage = R"(usage: kolam COMMAND ...

  kolam run FILE.mlir [--input NAME=FILE.npy ...] [--output NAME=FILE.npy ...]
            [--backend cpu|interpret|schedule] [--stop-after STAGE] [--dump-dir DIR]
      Runs the program's first function. NAME is the name in the text without %; a number is always
      the place of the argument or result, from 0, also where the text has a value %0. Results
      without --output are printed. --stop-after prints the program after a stage and does not run
      it; --dump-dir writes the text of every stage to DIR.
  kolam explain FILE.mlir
      Prints the nests, bytes and flops of each, what is fused, and what is not and why.
  kolam layout FILE.mlir [--profile seed|vollo27|relaxed] [--mode strict|repair]
               [--costs blocks|cpu] [--constants NAME,NAME...] [--dynamic-weights]
               [--input NAME=D ...] [--output NUMBER=D ...] [--as text|program|explain|dot|json]
      Infers the data dimension of every value and what it costs. D is the number of a dim, or a
      word for each with one '!': "batch feature!". The words are names: they stand in the output.
  kolam stages
      Lists the stages.
)";

struct Binding {
  std::string name, path;
};

struct Arguments {
  std::string file, stop_after, dump_dir;
  kolam::Backend backend = kolam::Backend::cpu;
  std::vector<Binding> inputs, outputs;
};

Binding parse_binding(const std::string& option, const std::string& text,
                      const char* form = "NAME=FILE.npy") {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    fail_usage(option + ": expected " + form + ", but got '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Arguments parse_arguments(const std::vector<std::string>& words) {
  Arguments result;
  std::set<std::string> seen;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    auto value = [&] { return value_of_option(words, i); };
    auto single_value = [&] {
      if (!seen.insert(word).second)
        fail_usage(word + ": expected it once, but got it twice");
      return value();
    };
    if (word == "--input")
      result.inputs.push_back(parse_binding("--input", value()));
    else if (word == "--output")
      result.outputs.push_back(parse_binding("--output", value()));
    else if (word == "--stop-after")
      result.stop_after = single_value();
    else if (word == "--dump-dir")
      result.dump_dir = single_value();
    else if (word == "--backend") {
      std::string name = single_value();
      if (name != "cpu" && name != "interpret" && name != "schedule")
        fail_usage("--backend: expected cpu, interpret or schedule, but got '" + name + "'");
      result.backend = name == "cpu"         ? kolam::Backend::cpu
                       : name == "interpret" ? kolam::Backend::interpret
                                             : kolam::Backend::schedule;
    } else if (word.starts_with("-") || !result.file.empty())
      fail_usage("expected one program file and the options that `kolam help` lists, but got '" +
                 word + "'");
    else
      result.file = word;
  }
  if (result.file.empty())
    fail_usage("expected a program file, but got none");
  return result;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// `%x`, or the number where the text gives no name.
std::string shown(const std::vector<std::string>& names, size_t place) {
  return names[place].empty() ? std::to_string(place) : "%" + names[place];
}

/// The place that `word` means among `names`: a number is a place, anything else a name.
size_t find_place(const std::string& option, const std::string& word,
                  const std::vector<std::string>& names) {
  std::vector<size_t> places;
  for (size_t i = 0; i < names.size(); ++i)
    if (is_number(word) ? word == std::to_string(i) : word == names[i])
      places.push_back(i);
  if (places.size() == 1)
    return places[0];
  if (places.size() > 1)
    fail_usage(option + ": expected a number, as '" + word + "' stands at " +
               std::to_string(places[0]) + " and " + std::to_string(places[1]) + ", but got '" +
               word + "'");
  std::string known;
  for (size_t i = 0; i < names.size(); ++i) {
    known += i == 0 ? "" : ", ";
    known += is_number(names[i]) || names[i].empty() ? std::to_string(i) : names[i];
  }
  fail_usage(option + ": expected " + (names.empty() ? "nothing" : "one of " + known) +
             ", but got '" + word + "'");
}

/// The path for each of `names`, "" where none is given.
std::vector<std::string> paths_of(const std::string& option, const std::vector<Binding>& bindings,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> paths(names.size());
  for (const Binding& binding : bindings) {
    size_t place = find_place(option, binding.name, names);
    if (!paths[place].empty())
      fail_usage(option + ": expected one file for " + shown(names, place) + ", but got '" +
                 paths[place] + "' and '" + binding.path + "'");
    paths[place] = binding.path;
  }
  return paths;
}

void dump_stages(const kolam::Program& program, const std::string& directory) {
  std::error_code made;
  std::filesystem::create_directories(directory, made);
  if (made)
    fail_file("io-write", "cannot make", directory, made.message());
  int number = 0;
  for (const std::string& stage : kolam::stage_names()) {
    auto path =
        std::filesystem::path(directory) / (std::to_string(++number) + "_" + stage + ".txt");
    std::ofstream file(path);
    file << program.as_text(stage);
    if (!file.flush())
      fail_file("io-write", "cannot write", path.string());
  }
}

/// A refused argument is told by its name and file.
std::vector<kolam::Array> run_on_files(const kolam::Program& program, kolam::Backend backend,
                                       const std::vector<std::string>& names,
                                       const std::vector<std::string>& paths) {
  std::vector<kolam::Array> inputs;
  for (const std::string& path : paths)
    inputs.push_back(kolam::runtime::load(path));
  try {
    return program.run(std::move(inputs), backend);
  } catch (const kolam::Error& error) {
    for (size_t i = 0; i < paths.size(); ++i) {
      std::string start = "argument " + std::to_string(i) + ":";
      if (error.slug() == "argument-mismatch" && error.message().starts_with(start))
        throw kolam::Error(error.kind(), error.slug(),
                           "argument " + shown(names, i) + " ('" + paths[i] +
                               "'):" + error.message().substr(start.size()));
    }
    throw;
  }
}

void run(const Arguments& arguments) {
  kolam::Program program = read_program(arguments.file);
  if (!arguments.dump_dir.empty())
    dump_stages(program, arguments.dump_dir);
  if (!arguments.stop_after.empty()) {
    std::cout << program.as_text(arguments.stop_after);
    return;
  }
  std::vector<std::string> names = program.parameter_names();
  std::vector<std::string> inputs = paths_of("--input", arguments.inputs, names);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].empty())
      fail_usage("--input: expected a file for argument " + shown(names, i) + ", but got none");
  std::vector<std::string> result_names = program.result_names();
  std::vector<std::string> outputs = paths_of("--output", arguments.outputs, result_names);

  std::vector<kolam::Array> results = run_on_files(program, arguments.backend, names, inputs);
  for (size_t i = 0; i < results.size(); ++i)
    if (outputs[i].empty())
      std::cout << result_names[i] << " =\n" << results[i].to_string() << "\n";
    else
      kolam::runtime::save(outputs[i], results[i]);
}

/// `what`: what the number is of.
int64_t parse_number(const std::string& option, const std::string& text, const char* what) {
  int64_t number = 0;
  if (!is_number(text) ||
      std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
    fail_usage(option + ": expected the number of a " + what + ", but got '" + text + "'");
  return number;
}

kolam::layout::Pin parse_pin(const std::string& option, const std::string& text) {
  if (text.starts_with('-') && is_number(text.substr(1)))
    return -parse_number(option, text.substr(1), "dim");
  return is_number(text) ? kolam::layout::Pin(parse_number(option, text, "dim")) : text;
}

std::vector<std::string> parse_names(const std::string& text) {
  std::vector<std::string> names;
  std::stringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');)
    names.push_back(name);
  return names;
}

void infer_layout(const std::vector<std::string>& words) {
  kolam::layout::InferOptions options;
  std::vector<std::string> constants;
  std::map<std::string, kolam::layout::Pin> inputs; // by name in the text, or place
  std::string file, format = "text";
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    auto value = [&] { return value_of_option(words, i); };
    if (word == "--profile")
      options.profile = value();
    else if (word == "--mode")
      options.mode = value();
    else if (word == "--costs")
      options.costs = value();
    else if (word == "--constants")
      constants = parse_names(value());
    else if (word == "--dynamic-weights")
      options.allow_dynamic_weights = true;
    else if (word == "--as")
      format = value();
    else if (word == "--input") {
      Binding pin = parse_binding(word, value(), "NAME=D");
      inputs[pin.name] = parse_pin(word, pin.path);
    } else if (word == "--output") {
      Binding pin = parse_binding(word, value(), "NUMBER=D");
      options.outputs[parse_number(word, pin.name, "result")] = parse_pin(word, pin.path);
    } else if (word.starts_with("-") || !file.empty())
      fail_usage("layout: expected one program file and the options that `kolam help` lists, but "
                 "got '" +
                 word + "'");
    else
      file = word;
  }
  if (file.empty())
    fail_usage("layout: expected a program file, but got none");
  const std::set<std::string> known{"text", "program", "explain", "dot", "json"};
  if (!known.contains(format))
    fail_usage("--as: expected text, program, explain, dot or json, but got '" + format + "'");
  const kolam::Program program = read_program(file);
  const std::vector<std::string> names = program.parameter_names();
  auto place_of = [&](const std::string& option, const std::string& name) {
    return std::to_string(find_place(option, name, names));
  };
  for (const std::string& name : constants)
    options.constants.push_back(place_of("--constants", name));
  for (const auto& [name, pin] : inputs)
    options.inputs[place_of("--input", name)] = pin;
  if (format == "explain") {
    std::cout << kolam::layout::explain(program, options);
    return;
  }
  const kolam::layout::Inferred found = kolam::layout::infer(program, options);
  const std::string& text = format == "text"      ? found.to_string()
                            : format == "program" ? found.as_program()
                            : format == "dot"     ? found.as_dot()
                                                  : found.as_json();
  std::cout << text << (text.ends_with('\n') ? "" : "\n");
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "'" : ", '") + word + "'";
  return text.empty() ? "none" : text;
}

int command(const std::vector<std::string>& words) {
  std::string name = words.empty() ? "--help" : words[0];
  if (name == "--help" || name == "help") {
    if (words.size() > 1)
      fail_usage("help: expected no more words, but got '" + words[1] + "'");
    std::cout << kUsage << kPlanUsage;
    return 0;
  }
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (name == "run") {
    run(parse_arguments(rest));
  } else if (name == "explain") {
    if (rest.size() != 1 || rest[0].starts_with("-"))
      fail_usage("explain: expected one program file and no options, but got " + list(rest));
    std::cout << read_program(rest[0]).explain();
  } else if (name == "layout") {
    infer_layout(rest);
  } else if (name == "plan") {
    plan_command(rest);
  } else if (name == "choices") {
    choices_command(rest);
  } else if (name == "check-plan") {
    return check_plan_command(rest);
  } else if (name == "run-plan") {
    run_plan_command(rest);
  } else if (name == "simulate-plan") {
    simulate_plan_command(rest);
  } else if (name == "stages") {
    if (!rest.empty())
      fail_usage("stages: expected no more words, but got " + list(rest));
    for (const std::string& stage : kolam::stage_names())
      std::cout << stage << "\n";
  } else {
    fail_usage("expected run, explain, layout, plan, check-plan, run-plan, simulate-plan or "
               "stages, but got '" +
               name + "'");
  }
  return 0;
}

} // namespace

int main(int count, char** words) {
  try {
    return command(std::vector<std::string>(words + 1, words + count));
  } catch (const kolam::Error& error) {
    // The lines of this file say nothing to whoever runs it.
    const std::string& file = error.where().file;
    const bool is_ours = file.ends_with("kolam_tool.cpp") || file.ends_with("plan_commands.cpp");
    std::cerr << "kolam: "
              << (is_ours ? "[" + error.slug() + "] " + error.message() : std::string(error.what()))
              << "\n";
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "kolam: " << error.what() << "\n";
    return 1;
  }
}
