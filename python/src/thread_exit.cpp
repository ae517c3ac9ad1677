// Threads that are inside Kolam when the process ends (Note [Threads at exit]).
#include "thread_exit.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <unwind.h>

namespace kolam::python {
namespace {

/// Threads beside the main one that have called Kolam and have not ended.
std::atomic<int> other_threads = 0;

struct CountedThread {
  const bool is_main = gettid() == getpid();
  CountedThread() { other_threads += is_main ? 0 : 1; }
  ~CountedThread() { other_threads -= is_main ? 0 : 1; }
};

void end_before_destructors(int status, void*) {
  if (other_threads == 0)
    return;
  std::fflush(nullptr);
  _exit(status);
}

} // namespace

void count_thread() { static thread_local const CountedThread counted; }

void end_well_with_threads() { on_exit(end_before_destructors, nullptr); }

} // namespace kolam::python

extern "C" {

/// What every frame of ours asks while the stack is unwound; the linker puts `__wrap_` for it.
_Unwind_Reason_Code __real___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context);

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context) {
  if (actions & _UA_FORCE_UNWIND)
    for (;;)
      pause();
  return __real___gxx_personality_v0(version, actions, exception_class, exception, context);
}
}

// Note [Threads at exit]
// A daemon thread that asks for the interpreter's lock when the interpreter has ended gets
// pthread_exit in its place, before Python 3.14. That unwinds the thread's stack by force: through
// frames of C++ whose cleanup drops references without the lock, or which do not let such an unwind
// pass (catch (...), noexcept), and the process aborts. Such a thread holds no lock of Python and
// has nothing left to do. So the first of our frames that is asked stops it for good; it dies with
// the process, as in Python 3.14.
//
// Another thread is at work outside of the lock, say in the compiler, when the process runs the
// destructors of what it would use next. So while a thread that has called Kolam is alive, the
// process ends without the destructors that are left; files are flushed.
