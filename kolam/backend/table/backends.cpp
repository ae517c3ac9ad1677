// The table of backends.
#include "kolam/backend/table/backends.h"

#include "kolam/backend/cpu/backend.h"
#include "kolam/backend/schedule/backend.h"
#include "kolam/support/error.h"

#include "llvm/ADT/StringExtras.h"

#include <array>

namespace kolam::backend {
namespace {

/// Each is made when it is first asked for.
std::shared_ptr<const Backend> cpu_backend() {
  static const std::shared_ptr<const Backend> made =
      std::make_shared<cpu::CpuBackend>(cpu::Target::host());
  return made;
}
std::shared_ptr<const Backend> schedule_backend() {
  static const std::shared_ptr<const Backend> made =
      std::make_shared<schedule::ScheduleBackend>(cpu_backend());
  return made;
}

struct Row {
  std::string_view name;
  std::shared_ptr<const Backend> (*find)();
};
constexpr std::array kBackends = {
    Row{"cpu", cpu_backend},
    Row{"schedule", schedule_backend},
};

} // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Row& row : kBackends)
    names.emplace_back(row.name);
  return names;
}

std::shared_ptr<const Backend> default_backend() { return kBackends[0].find(); }

std::shared_ptr<const Backend> checking_backend() { return find_backend("schedule"); }

std::shared_ptr<const Backend> find_backend(std::string_view name) {
  for (const Row& row : kBackends)
    if (row.name == name)
      return row.find();
  fail(ErrorKind::value, "unknown-backend",
       "argument 'backend': expected " + llvm::join(backend_names(), ", ") +
           " or interpret, but got '" + std::string(name) + "'");
}

} // namespace kolam::backend
