// kolam: runs and explains programs written as text.
#include "kolam/kolam.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

constexpr const char* kUsage = R"(usage: kolam COMMAND ...

  kolam run FILE.mlir [--input NAME=FILE.npy ...] [--output NAME=FILE.npy ...]
            [--backend cpu|interpret] [--stop-after STAGE] [--dump-dir DIR]
      Runs the program's first function. NAME is the name in the text without %, or the number of
      the argument or result. Results without --output are printed. --stop-after prints the program
      after a stage and does not run it; --dump-dir writes the text of every stage to DIR.
  kolam explain FILE.mlir
      Prints the nests: what is fused, what is not and why, bytes and flops.
  kolam stages
      Lists the stages.
)";

[[noreturn]] void fail_usage(const std::string& message) {
  throw kolam::Error(kolam::ErrorKind::value, "usage", message);
}

struct Binding {
  std::string name, path;
};

struct Arguments {
  std::string file, stop_after, dump_dir;
  kolam::Backend backend = kolam::Backend::cpu;
  std::vector<Binding> inputs, outputs;
};

Binding parse_binding(const std::string& option, const std::string& text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    fail_usage(option + ": expected NAME=FILE.npy, but got '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Arguments parse_arguments(std::vector<std::string> words) {
  Arguments result;
  for (size_t i = 0; i < words.size(); ++i) {
    auto value = [&] {
      if (i + 1 == words.size())
        fail_usage(words[i] + ": expected a value, but got none");
      return words[++i];
    };
    if (words[i] == "--input")
      result.inputs.push_back(parse_binding("--input", value()));
    else if (words[i] == "--output")
      result.outputs.push_back(parse_binding("--output", value()));
    else if (words[i] == "--stop-after")
      result.stop_after = value();
    else if (words[i] == "--dump-dir")
      result.dump_dir = value();
    else if (words[i] == "--backend") {
      std::string name = value();
      if (name != "cpu" && name != "interpret")
        fail_usage("--backend: expected cpu or interpret, but got '" + name + "'");
      result.backend = name == "cpu" ? kolam::Backend::cpu : kolam::Backend::interpret;
    } else if (words[i].starts_with("-") || !result.file.empty())
      fail_usage("expected one program file and the options that `kolam help` lists, but got '" +
                 words[i] + "'");
    else
      result.file = words[i];
  }
  if (result.file.empty())
    fail_usage("expected a program file, but got none");
  return result;
}

[[noreturn]] void fail_file(const char* slug, const std::string& what, const std::string& path,
                            const std::string& reason = std::strerror(errno)) {
  throw kolam::Error(kolam::ErrorKind::io, slug, what + " '" + path + "': " + reason);
}

kolam::Program read_program(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
    fail_file("io-read", "cannot read", path);
  return kolam::parse_program(text.str(), path);
}

/// The place of `name` among `names`; a number stands for itself.
size_t find_place(const std::string& option, const std::string& name,
                  const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (name == names[i] || name == std::to_string(i))
      return i;
  std::string known;
  for (const std::string& each : names)
    known += (known.empty() ? "" : ", ") + each;
  fail_usage(option + ": expected one of " + known + ", but got '" + name + "'");
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

void run(const Arguments& arguments) {
  kolam::Program program = read_program(arguments.file);
  if (!arguments.dump_dir.empty())
    dump_stages(program, arguments.dump_dir);
  if (!arguments.stop_after.empty()) {
    std::cout << program.as_text(arguments.stop_after);
    return;
  }
  std::vector<std::string> names = program.parameter_names();
  std::vector<kolam::Array> inputs(names.size());
  for (const Binding& input : arguments.inputs)
    inputs[find_place("--input", input.name, names)] = kolam::runtime::load(input.path);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i])
      fail_usage("--input: expected a file for argument '" + names[i] + "'");
  std::vector<std::string> result_names = program.result_names();
  std::vector<std::string> paths(result_names.size());
  for (const Binding& output : arguments.outputs)
    paths[find_place("--output", output.name, result_names)] = output.path;

  std::vector<kolam::Array> results = program.run(inputs, arguments.backend);
  for (size_t i = 0; i < results.size(); ++i)
    if (paths[i].empty())
      std::cout << result_names[i] << " =\n" << results[i].to_string() << "\n";
    else
      kolam::runtime::save(paths[i], results[i]);
}

int command(const std::vector<std::string>& words) {
  std::string name = words.empty() ? "--help" : words[0];
  if (name == "--help" || name == "help") {
    std::cout << kUsage;
    return 0;
  }
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (name == "run") {
    run(parse_arguments(rest));
  } else if (name == "explain") {
    std::cout << read_program(parse_arguments(rest).file).explain();
  } else if (name == "stages") {
    for (const std::string& stage : kolam::stage_names())
      std::cout << stage << "\n";
  } else {
    fail_usage("expected run, explain or stages, but got '" + name + "'");
  }
  return 0;
}

} // namespace

int main(int count, char** words) {
  try {
    return command(std::vector<std::string>(words + 1, words + count));
  } catch (const std::exception& error) {
    std::cerr << "kolam: " << error.what() << "\n";
    return 1;
  }
}
