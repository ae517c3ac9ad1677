// Starts children and talks to them.
#include "bench/child.h"

#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace kolam::bench {

Child::Child(std::vector<std::string> command, const Environment& environment)
    : name_(command.back()) {
  int down[2], up[2];
  // Closed in other children, which would otherwise keep this one's input open.
  if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe to " + name_);
  std::vector<char*> arguments;
  for (std::string& argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    dup2(down[0], STDIN_FILENO);
    dup2(up[1], STDOUT_FILENO);
    for (const auto& [name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(down[0]), close(up[1]);
  to_ = fdopen(down[1], "w");
  from_ = fdopen(up[0], "r");
}

Child::~Child() {
  fclose(to_);
  fclose(from_);
  waitpid(process_, nullptr, 0);
}

std::string Child::read() {
  char* line = nullptr;
  size_t size = 0;
  const ssize_t length = getline(&line, &size, from_);
  std::string result(line, length > 0 ? static_cast<size_t>(length) : 0);
  std::free(line);
  return result;
}

double Child::seconds(const std::string& order) {
  std::fprintf(to_, "%s\n", order.c_str());
  std::fflush(to_);
  const std::string answer = read();
  if (answer.empty())
    throw std::runtime_error("the process of " + name_ + " has ended");
  return std::stod(answer);
}

} // namespace kolam::bench
