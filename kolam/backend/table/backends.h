/// The backends there are.
#pragma once

#include "kolam/backend/backend.h"

namespace kolam::backend {

/// "cpu" and "schedule", the first of them the default.
std::vector<std::string> backend_names();
/// The one that says what goes wrong where a schedule is followed (Backend::check).
std::shared_ptr<const Backend> checking_backend();
/// The first of them.
std::shared_ptr<const Backend> default_backend();
/// The backend of that name for this machine, or for the CPU that KOLAM_TARGET names. Throws
/// `[unknown-backend]`, and `[unknown-target]` where the variable names no CPU.
std::shared_ptr<const Backend> find_backend(std::string_view name);

} // namespace kolam::backend
