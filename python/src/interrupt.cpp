// Passes SIGINT on to the run it interrupts.
#include "interrupt.h"

#include "kolam/kolam.h"

#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

namespace kolam::python {
namespace {

// A signal handler can reach nothing but this.
struct sigaction previous;

void handle(int signal) {
  request_cancel();
  previous.sa_handler(signal);
}

bool on_main_thread() { return syscall(SYS_gettid) == getpid(); }

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

} // namespace kolam::python
