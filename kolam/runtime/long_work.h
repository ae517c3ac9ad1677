/// Long work and the language that asked for it: Python lets its other threads run meanwhile, and
/// listens for Ctrl-C.
#pragma once

namespace kolam::runtime {

/// What a language does around long work on the thread that asked for it. `begin` may throw; what
/// it returns goes to `end`.
struct LongWorkHooks {
  void* (*begin)() = nullptr;
  void (*end)(void* begun) noexcept = nullptr;
};

/// From now on, for the whole process.
void set_long_work_hooks(LongWorkHooks hooks) noexcept;

/// While it lives the thread is at long work: it calls nothing of the language but host functions,
/// and looks at the cancel flag often. Where nobody has set hooks it does nothing.
class LongWork {
public:
  LongWork();
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

private:
  LongWorkHooks hooks_;
  void* begun_ = nullptr;
};

/// Throws `[cancelled]` where stopping was asked for (cancel.h).
void stop_if_cancelled();

} // namespace kolam::runtime
