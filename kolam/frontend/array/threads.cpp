// Hands the number of threads to the pool.
#include "kolam/frontend/array/threads.h"

#include "kolam/runtime/thread_pool.h"
#include "kolam/support/error.h"

#include <string>

namespace kolam {

void set_num_threads(int64_t count) {
  CallScope scope("set_num_threads", {});
  constexpr int64_t kMost = 1024; // of the pool
  if (count < 1 || count > kMost)
    fail(ErrorKind::value, "bad-option",
         "argument 'count': expected a number from 1 to " + std::to_string(kMost) + ", but got " +
             std::to_string(count));
  runtime::set_thread_count(static_cast<int>(count));
}

int64_t get_num_threads() { return runtime::thread_count(); }

} // namespace kolam
