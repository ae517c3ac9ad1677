/// Ctrl-C during long work.
#pragma once

#include <cstdint>

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

/// In a loop over objects of Python, which holds the interpreter's lock: now and then, by how many
/// are `done`, lets what SIGINT has asked for happen. Throws KeyboardInterrupt.
void poll_signals(int64_t done);

/// From now on long work (runtime/long_work.h) releases the interpreter's lock and is
/// interruptible.
void listen_during_long_work();

} // namespace kolam::python
