// Keeps compiled programs by the hash of what was traced.
#include "kolam/driver/program_cache.h"

#include "kolam/driver/nest_cache.h"
#include "kolam/driver/program_key.h"
#include "kolam/driver/schedules.h"
#include "kolam/support/trace.h"

#include <algorithm>
#include <set>

namespace kolam::driver {
namespace {

/// Whether nothing beside the program and the backend decides what is made of it.
bool is_plain(const Module& program, const Options& options) {
  return !program.is_parsed && options.schedules.empty() && options.schedule_texts.empty() &&
         options.layout_texts.empty() && options.layout_seed == 0 && !options.explains;
}

/// Whether all that tuning knew of the nests is as it was.
bool is_measured_alike(const std::vector<NestOrigin>& origins, const CacheDirectory& directory) {
  std::set<ContentKey> seen;
  return std::ranges::all_of(origins, [&](const NestOrigin& origin) {
    return !seen.insert(origin.measurements).second ||
           measurements_stamp(origin.measurements, directory) == origin.measured;
  });
}

} // namespace

ProgramPlace::ProgramPlace(const Module& program, const Options& options)
    : directory_(object_directory(*options.backend)), backend_(options.backend) {
  if (!directory_.is_open() || !is_plain(program, options))
    return;
  TraceSpan span("program key", "compile");
  key_ =
      content_key({"program", backend_->build(), std::string(backend_->name()), backend_->target(),
                   std::to_string(options.captured), program_content(*program.module)});
}

std::optional<CompiledProgram> ProgramPlace::find() const {
  if (!key_)
    return std::nullopt;
  TraceSpan span("find program", "compile");
  FoundEntry entry = find_entry(directory_, Shelf::objects, *key_);
  std::optional<CompiledProgram> program = entry.bytes ? program_from(*entry.bytes) : std::nullopt;
  if (!program || !is_measured_alike(program->origins, directory_))
    return std::nullopt;
  std::vector<ContentKey> keys;
  for (const NestOrigin& origin : program->origins)
    keys.push_back(origin.code);
  auto nests = find_all_nests(keys, *backend_, directory_);
  if (!nests)
    return std::nullopt;
  for (const ContentKey& key : keys)
    program->nests.push_back(nests->at(key));
  return program;
}

void ProgramPlace::keep(const CompiledProgram& program) const {
  if (key_)
    keep_entry(directory_, Shelf::objects, *key_, to_bytes(program));
}

} // namespace kolam::driver
