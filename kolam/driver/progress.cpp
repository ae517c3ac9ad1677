// Shows progress of long compiles.
#include "kolam/driver/progress.h"

#include <unistd.h>

namespace kolam::driver {

void Progress::at(std::string_view stage, size_t done, size_t total) {
  if (std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1) || !isatty(STDERR_FILENO))
    return;
  shown_ = true;
  std::fprintf(stderr, "\r\033[Kkolam: compiling, %.*s", static_cast<int>(stage.size()),
               stage.data());
  if (total > 0)
    std::fprintf(stderr, " %zu/%zu", done, total);
  std::fflush(stderr);
}

Progress::~Progress() {
  if (shown_)
    std::fprintf(stderr, "\r\033[K");
}

} // namespace kolam::driver
