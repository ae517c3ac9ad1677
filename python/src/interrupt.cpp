// Lets other threads of Python run during long work, and passes SIGINT on to it.
#include "interrupt.h"

#include "warnings.h"

#include "kolam/kolam.h"
#include "kolam/runtime/long_work.h"

#include <nanobind/nanobind.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kolam::python {

namespace nb = nanobind;

namespace {

// A signal handler can reach nothing but this.
struct sigaction previous;

void handle(int signal) {
  request_cancel();
  previous.sa_handler(signal);
}

/// How often the process has forked: the thread that did is the child's main thread.
std::atomic<int> forks = 0;

bool on_main_thread() {
  thread_local int asked_after = -1;
  thread_local bool is_main = false;
  if (const int now = forks.load(std::memory_order_relaxed); asked_after != now) {
    asked_after = now;
    is_main = syscall(SYS_gettid) == getpid();
  }
  return is_main;
}

/// What lasts as long as some long work.
struct Begun {
  std::optional<Interruptible> interruptible;
  PyThreadState* state = nullptr; ///< of a thread that had the interpreter's lock
};

void* begin() {
  auto begun = std::make_unique<Begun>();
  begun->interruptible.emplace();
  if (PyGILState_Check()) {
    // A signal from before: it set no flag that the work looks at.
    if (on_main_thread() && PyErr_CheckSignals() != 0)
      throw nb::python_error();
    begun->state = PyEval_SaveThread();
  }
  return begun.release();
}

void end(void* work) noexcept {
  std::unique_ptr<Begun> begun(static_cast<Begun*>(work));
  if (!begun->state)
    return;
  PyEval_RestoreThread(begun->state);
  if (has_warnings())
    give_warnings_quietly();
}

} // namespace

Interruptible::Interruptible() {
  if (!on_main_thread())
    return;
  struct sigaction current{};
  sigaction(SIGINT, nullptr, &current);
  // Nested runs share the outermost's; a handler that takes more than the number is not Python's.
  if (current.sa_handler == handle || current.sa_flags & SA_SIGINFO ||
      current.sa_handler == SIG_DFL || current.sa_handler == SIG_IGN)
    return;
  previous = current;
  struct sigaction ours = current;
  ours.sa_handler = handle;
  installed_ = sigaction(SIGINT, &ours, nullptr) == 0;
}

Interruptible::~Interruptible() {
  if (!installed_)
    return;
  sigaction(SIGINT, &previous, nullptr);
  clear_cancel();
}

void poll_signals(int64_t done) {
  constexpr int64_t kBetween = int64_t{1} << 16;
  if (done % kBetween == 0 && PyErr_CheckSignals() != 0)
    throw nb::python_error();
}

void listen_during_long_work() {
  pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  runtime::set_long_work_hooks({begin, end});
}

} // namespace kolam::python
