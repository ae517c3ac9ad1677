// The cache of compiled nests.
#include "bind.h"
#include "modules.h"

#include <nanobind/stl/string.h>

namespace kolam::python {

void bind_cache(nb::module_& module) {
  module.def(
      "cache_info",
      [] {
        UserCall scope("cache_info");
        CacheInfo info = released([] { return cache_info(); });
        nb::dict facts;
        facts["directory"] = info.directory;
        facts["reason"] = info.reason;
        facts["entries"] = info.entries;
        facts["bytes"] = info.bytes;
        facts["allowed_bytes"] = info.allowed_bytes;
        facts["shared"] = info.shared;
        facts["loaded"] = info.loaded;
        facts["compiled"] = info.compiled;
        facts["damaged"] = info.damaged;
        return facts;
      },
      docstring("cache_info").c_str());
  module.def(
      "clear_cache",
      [] {
        UserCall scope("clear_cache");
        released([] { clear_cache(); });
      },
      docstring("clear_cache").c_str());
}

} // namespace kolam::python
