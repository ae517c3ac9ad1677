// Passes SIGINT on to the run it interrupts.
#include "interrupt.h"

#include <atomic>
#include <sys/syscall.h>
#include <unistd.h>

namespace kolam::python {
namespace {

// A signal handler can reach nothing but these.
volatile int32_t interrupted = 0;
struct sigaction previous;

void handle(int signal) {
  interrupted = 1;
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
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
  interrupted = 0;
  struct sigaction ours = current;
  ours.sa_handler = handle;
  installed_ = sigaction(SIGINT, &ours, nullptr) == 0;
}

Interruptible::~Interruptible() {
  if (installed_)
    sigaction(SIGINT, &previous, nullptr);
}

const volatile int32_t* Interruptible::flag() const { return installed_ ? &interrupted : nullptr; }

} // namespace kolam::python
