/// Stopping runs on request: one flag for the whole process, which running programs poll.
#pragma once

#include <cstdint>

namespace kolam::runtime {

/// Makes every running program of the process stop with `[cancelled]` within about 50 ms of work,
/// and every later one at its start, until `clear_cancel`. May be called from a signal handler and
/// from any thread.
void request_cancel() noexcept;
void clear_cancel() noexcept;

/// The flag: non-zero while stopping is asked for.
const volatile int32_t* cancel_flag() noexcept;

} // namespace kolam::runtime
