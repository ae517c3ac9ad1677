// NumPy as a peer, in a child process that is asked over pipes.
#include "bench/peers.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace kolam::bench {
namespace {

/// A child that answers each line with a line. Invariant: both pipes are open while it lives.
class Child {
public:
  Child(const std::string& program, int threads) {
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0)
      throw std::runtime_error("no pipe to a peer");
    const std::string count = std::to_string(threads);
    process_ = fork();
    if (process_ == 0) {
      dup2(down[0], STDIN_FILENO);
      dup2(up[1], STDOUT_FILENO);
      for (int end : {down[0], down[1], up[0], up[1]})
        close(end);
      setenv("OPENBLAS_NUM_THREADS", count.c_str(), 1);
      execlp(KOLAM_BENCH_PYTHON, KOLAM_BENCH_PYTHON, program.c_str(), nullptr);
      _exit(127);
    }
    close(down[0]), close(up[1]);
    to_ = fdopen(down[1], "w");
    from_ = fdopen(up[0], "r");
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    fclose(to_);
    fclose(from_);
    waitpid(process_, nullptr, 0);
  }

  /// Empty where the child has ended.
  std::string read() {
    char* line = nullptr;
    size_t size = 0;
    const ssize_t length = getline(&line, &size, from_);
    std::string result(line, length > 0 ? static_cast<size_t>(length) : 0);
    std::free(line);
    return result;
  }
  std::string ask(const std::string& line) {
    std::fprintf(to_, "%s\n", line.c_str());
    std::fflush(to_);
    return read();
  }

private:
  pid_t process_;
  FILE* to_;
  FILE* from_;
};

/// The child for so many threads; null where Python has no NumPy.
std::shared_ptr<Child> child_of(int threads) {
  static std::map<int, std::shared_ptr<Child>> children;
  auto [place, is_new] = children.try_emplace(threads);
  if (is_new) {
    auto child = std::make_shared<Child>(KOLAM_BENCH_FOLDER "/numpy_peer.py", threads);
    if (!child->read().empty()) // its first line says that it is there
      place->second = child;
  }
  return place->second;
}

} // namespace

Peer numpy(const std::string& call, const std::vector<int64_t>& shape, int threads) {
  std::shared_ptr<Child> child = child_of(threads);
  if (!child)
    return not_available("NumPy");
  auto seconds = [=](int64_t calls) {
    const nlohmann::json order = {{"call", call}, {"shape", shape}, {"calls", calls}};
    const std::string answer = child->ask(order.dump());
    if (answer.empty())
      throw std::runtime_error("the process of NumPy has ended during " + call);
    return std::stod(answer);
  };
  return {.name = "NumPy", .seconds = seconds};
}

} // namespace kolam::bench
