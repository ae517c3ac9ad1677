/// Ctrl-C during a run.
#pragma once

#include <csignal>
#include <cstdint>

namespace kolam::python {

/// While it lives on the main thread, SIGINT also sets a flag that stops the run; Python's own handler is called too,
/// so that KeyboardInterrupt is raised once Python runs again.
class Interruptible {
public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  const volatile int32_t* flag() const;

private:
  bool installed_ = false;
};

} // namespace kolam::python
