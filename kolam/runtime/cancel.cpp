// The process-wide flag that asks running programs to stop.
#include "kolam/runtime/cancel.h"

namespace kolam::runtime {
namespace {

volatile int32_t flag = 0;

} // namespace

void request_cancel() noexcept { __atomic_store_n(&flag, 1, __ATOMIC_RELAXED); }
void clear_cancel() noexcept { __atomic_store_n(&flag, 0, __ATOMIC_RELAXED); }
const volatile int32_t* cancel_flag() noexcept { return &flag; }

} // namespace kolam::runtime
