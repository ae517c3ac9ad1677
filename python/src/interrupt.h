/// Ctrl-C during a run.
#pragma once

namespace kolam::python {

/// While it lives on the main thread, SIGINT also stops the runs of this process
/// (`request_cancel`); Python's own handler is called too, so that KeyboardInterrupt is raised once
/// Python runs again.
class Interruptible {
public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

private:
  bool installed_ = false;
};

} // namespace kolam::python
