// Tells the language that called when long work begins and ends.
#include "kolam/runtime/long_work.h"

#include "kolam/runtime/cancel.h"
#include "kolam/support/error.h"

namespace kolam::runtime {
namespace {

LongWorkHooks current;

} // namespace

void set_long_work_hooks(LongWorkHooks hooks) noexcept { current = hooks; }

LongWork::LongWork() : hooks_(current) {
  if (hooks_.begin)
    begun_ = hooks_.begin();
}

LongWork::~LongWork() {
  if (hooks_.end)
    hooks_.end(begun_);
}

void stop_if_cancelled() {
  if (__atomic_load_n(cancel_flag(), __ATOMIC_RELAXED))
    throw Error(ErrorKind::runtime, "cancelled", "stopped on request");
}

} // namespace kolam::runtime
