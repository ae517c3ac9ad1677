// Keeps threads alive that Python ends inside our frames (Note [Threads at exit]).
#include <cstdlib>
#include <unistd.h>
#include <unwind.h>

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
