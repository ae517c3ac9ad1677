// Keeps results of the tasks of plans.
#include "kolam/frontend/array/kept_results.h"

#include "kolam/driver/kept_results.h"
#include "kolam/support/error.h"

namespace kolam {
namespace {

int64_t checked(int64_t bytes) {
  if (bytes < 1)
    fail(ErrorKind::value, "plan-option",
         "option 'bytes': expected at least 1, but got " + std::to_string(bytes));
  return bytes;
}

} // namespace

KeptResults::KeptResults(int64_t bytes, const std::string& directory)
    : allowed_bytes_(checked(bytes)), directory_(directory),
      store_(std::make_shared<driver::KeptResults>(bytes, directory)) {}

int64_t KeptResults::hits() const { return store_->usage().hits; }
int64_t KeptResults::misses() const { return store_->usage().misses; }
int64_t KeptResults::entries() const { return store_->usage().entries; }
int64_t KeptResults::bytes() const { return store_->usage().bytes; }

} // namespace kolam
