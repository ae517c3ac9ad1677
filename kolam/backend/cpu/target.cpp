// Detects and names CPUs.
#include "kolam/backend/cpu/target.h"

#include "kolam/support/error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"

#include <cstdlib>
#include <fstream>
#include <memory>

namespace kolam::backend::cpu {
namespace {

std::unique_ptr<llvm::MCSubtargetInfo> describe(const std::string& cpu,
                                                const std::string& features) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  std::string problem;
  llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  KOLAM_CHECK(target != nullptr);
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target->createMCSubtargetInfo(triple, cpu, features));
}

Machine machine_of(const llvm::MCSubtargetInfo& facts) {
  Machine machine;
  machine.has_fma = facts.checkFeatures("+fma");
  machine.vector_bytes = facts.checkFeatures("+avx512f") ? 64
                         : facts.checkFeatures("+avx2")  ? 32
                                                         : 16;
  machine.has_bf16_dots = machine.has_avx512() && facts.checkFeatures("+avx512bf16");
  machine.has_i8_dots = machine.has_avx512() && facts.checkFeatures("+avx512vnni");
  machine.has_gathers = machine.has_avx2() && facts.checkFeatures("+fast-gather");
  return machine;
}

/// Of the highest level that the system tells of; what a machine has by default where it tells of
/// none.
int64_t cache_bytes() {
  const std::string caches = "/sys/devices/system/cpu/cpu0/cache/index";
  int64_t bytes = Caches().last;
  int highest = 0;
  for (int number = 0; number < 8; ++number) {
    int level = 0;
    int64_t kibibytes = 0;
    std::ifstream(caches + std::to_string(number) + "/level") >> level;
    std::ifstream(caches + std::to_string(number) + "/size") >> kibibytes; // "32768K"
    if (level > highest && kibibytes > 0) {
      highest = level;
      bytes = kibibytes * 1024;
    }
  }
  return bytes;
}

/// Whether generated code may have such instructions; others are the system's.
bool is_of_code(llvm::StringRef feature) {
  constexpr llvm::StringLiteral kFamilies[] = {
      "avx",   "amx",  "sse",       "ssse", "fma",  "f16c",       "bmi",  "lzcnt", "popcnt",
      "movbe", "xop",  "tbm",       "gfni", "vaes", "vpclmulqdq", "cmov", "cx16",  "egpr",
      "ndd",   "ccmp", "push2pop2", "ppx",  "nf",   "cf",         "zu"};
  return llvm::any_of(kFamilies,
                      [&](llvm::StringRef family) { return feature.starts_with(family); });
}

/// The instructions that a CPU has and this machine lacks, in words; "" where it has all.
std::string lacking_features(const llvm::MCSubtargetInfo& cpu) {
  std::vector<std::string> lacking;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    if (!feature.second && is_of_code(feature.first()) &&
        cpu.checkFeatures("+" + feature.first().str()))
      lacking.push_back(feature.first().str());
  llvm::sort(lacking);
  return llvm::join(lacking, ", ");
}

Target detect() {
  llvm::SubtargetFeatures features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  Target target{llvm::sys::getHostCPUName().str(), features.getString(), {}};
  target.machine = machine_of(*describe(target.cpu, target.features));
  target.machine.caches.last = cache_bytes();
  return target;
}

} // namespace

const Target& Target::host() {
  static const Target target = [] {
    const char* name = std::getenv("KOLAM_TARGET");
    return name && *name ? named(name) : detect();
  }();
  return target;
}

Target Target::named(const std::string& cpu) {
  auto generic = describe("generic", "");
  if (!generic->isCPUStringValid(cpu))
    fail(ErrorKind::value, "unknown-target",
         "KOLAM_TARGET: expected a CPU that LLVM knows, but got '" + cpu + "'");
  auto facts = describe(cpu, "");
  if (!facts->checkFeatures("+64bit"))
    fail(ErrorKind::value, "unknown-target",
         "KOLAM_TARGET: expected a CPU of 64 bits, but got '" + cpu + "'");
  Target target{cpu, "", {}};
  target.machine = machine_of(*facts);
  return target;
}

void Target::require_runnable() const {
  if (!features.empty())
    return; // what this machine said of itself
  std::string lacking = lacking_features(*describe(cpu, ""));
  if (!lacking.empty())
    fail(ErrorKind::runtime, "unknown-target",
         "KOLAM_TARGET: expected a CPU whose instructions this machine has, but got '" + cpu +
             "', which needs " + lacking +
             "; programs for it can be read (as_text, explain), not run");
}

} // namespace kolam::backend::cpu
