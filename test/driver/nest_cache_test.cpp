// Compiled nests: equal ones of any programs are compiled once, shared while one is used, and
// loaded from disk later.
#include "kolam/driver/nest_cache.h"

#include "kolam/backend/cpu/backend.h"
#include "kolam/driver/compile.h"
#include "kolam/driver/explain.h"
#include "kolam/driver/parse.h"
#include "kolam/driver/spine.h"
#include "temporary_cache.h"

#include <gtest/gtest.h>

#include <fstream>

namespace kolam::driver {
namespace {

/// An elementwise function of four elements.
Module program_of(const std::string& function, const std::string& dtype = "f32",
                  const std::string& argument = "x") {
  std::string type = "tensor<4x" + dtype + ">";
  std::string text = "func.func @main(%" + argument + ": " + type + ") -> " + type +
                     " {\n  %r = kolam.elementwise \"" + function + "\" %" + argument + " : (" +
                     type + ") -> " + type + "\n  return %r : " + type + "\n}\n";
  return parse(text, argument + ".mlir").program;
}

/// Its only nest, compiled; the program does not outlive it.
CompiledNest compile_one(const std::string& function, const std::string& dtype = "f32",
                         const std::string& argument = "x") {
  Road road = travel(program_of(function, dtype, argument), {}, kLoaded);
  EXPECT_EQ(road.loaded.size(), 1u);
  return road.loaded[0];
}

/// What the function gives for 1, -2, 3, -4.
std::vector<float> run_one(const std::string& function) {
  Array x = Array::uninitialized(DType::f32, {4});
  std::ranges::copy(std::vector<float>{1, -2, 3, -4}, x.mutable_values<float>().begin());
  auto results = compile(program_of(function), {})->run(std::vector{x}, nullptr);
  auto values = results[0].values<float>();
  return {values.begin(), values.end()};
}

/// What has been counted since it was made.
class Counted {
public:
  NestCounts since() const {
    NestCounts now = nest_counts();
    return {now.memory - before_.memory, now.disk - before_.disk, now.compiled - before_.compiled,
            now.damaged - before_.damaged};
  }

private:
  NestCounts before_ = nest_counts();
};

TEST(NestCache, SharesEqualNestsOfTwoPrograms) {
  CompiledNest first = compile_one("negative", "f32", "x");
  CompiledNest second = compile_one("negative", "f32", "y");
  EXPECT_EQ(first, second);
}

TEST(NestCache, KeepsUnequalNestsApart) {
  CompiledNest negative = compile_one("negative", "f32");
  EXPECT_NE(negative, compile_one("abs", "f32"));
  EXPECT_NE(negative, compile_one("negative", "f64"));
}

TEST(NestCache, ForgetsWhatNobodyUses) {
  std::weak_ptr<const backend::LoadedNest> gone = compile_one("sign", "f32");
  EXPECT_TRUE(gone.expired());
  EXPECT_NE(compile_one("sign", "f32"), nullptr);
}

TEST(NestCache, KeepsTargetsApart) {
  Road road = travel(program_of("negative"), {}, kNests);
  nest::IsolatedNest isolated = nest::isolate(road.nests.nests[0]);
  EXPECT_NE(nest_key(isolated, backend::cpu::CpuBackend(backend::cpu::Target::named("haswell"))),
            nest_key(isolated, backend::cpu::CpuBackend(backend::cpu::Target::named("x86-64"))));
}

TEST(NestCache, KeepsMachinesAndAlignmentsApart) {
  Road road = travel(program_of("negative"), {}, kNests);
  nest::IsolatedNest isolated = nest::isolate(road.nests.nests[0]);
  backend::cpu::Target target = backend::cpu::Target::host();
  ContentKey key = nest_key(isolated, backend::cpu::CpuBackend(target));
  target.machine.caches.last += 1;
  EXPECT_NE(nest_key(isolated, backend::cpu::CpuBackend(target)), key);
  road.nests.nests[0].aligned_outputs = !road.nests.nests[0].aligned_outputs;
  nest::IsolatedNest other = nest::isolate(road.nests.nests[0]);
  target.machine.caches.last -= 1;
  EXPECT_NE(nest_key(other, backend::cpu::CpuBackend(target)), key);
}

TEST(NestCache, LoadsFromDiskWhatNoProgramUsesAnyMore) {
  TemporaryCache cache;
  Counted counted;
  std::vector<float> compiled = run_one("square");
  EXPECT_EQ(counted.since().compiled, 1);
  EXPECT_EQ(run_one("square"), compiled);
  EXPECT_EQ(counted.since().compiled, 1);
  EXPECT_EQ(counted.since().disk, 1);
}

TEST(NestCache, CompilesDamagedEntriesAgainAndReplacesThem) {
  TemporaryCache cache;
  std::vector<float> compiled = run_one("square");
  ASSERT_EQ(cache.files().size(), 1u);
  std::fstream file(cache.files()[0], std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(200);
  file << "not the code that was compiled";
  file.close();
  Counted counted;
  EXPECT_EQ(run_one("square"), compiled);
  EXPECT_EQ(counted.since().damaged, 1);
  EXPECT_EQ(run_one("square"), compiled);
  EXPECT_EQ(counted.since().disk, 1);
}

TEST(NestCache, CompilesEntriesThatCannotBeLinked) {
  TemporaryCache cache;
  Road road = travel(program_of("square"), {}, kNests);
  ContentKey key = nest_key(nest::isolate(road.nests.nests[0]), *backend::default_backend());
  keep_entry(CacheDirectory::open(), Shelf::objects, key, "no object file");
  Counted counted;
  EXPECT_EQ(run_one("square"), (std::vector<float>{1, 4, 9, 16}));
  EXPECT_EQ(counted.since().damaged, 1);
}

TEST(NestCache, WorksWithoutADirectory) {
  TemporaryCache cache;
  setenv("KOLAM_CACHE_DIR", "/proc/nowhere", 1);
  EXPECT_EQ(run_one("square"), (std::vector<float>{1, 4, 9, 16}));
  EXPECT_TRUE(explain(program_of("square"), {})
                  .ends_with("compiled before: 0 in memory, none on disk: '/proc/nowhere': No such "
                             "file or directory\n"));
}

TEST(NestCache, IsExplained) {
  TemporaryCache cache;
  std::string place = " on disk in '" + cache.path().string() + "'\n";
  Module program = program_of("square");
  EXPECT_TRUE(explain(program, {}).ends_with("compiled before: 0 in memory, 0" + place));
  CompiledNest nest = compile_one("square");
  EXPECT_TRUE(explain(program, {}).ends_with("compiled before: 1 in memory, 0" + place));
  nest = nullptr;
  EXPECT_TRUE(explain(program, {}).ends_with("compiled before: 0 in memory, 1" + place));
}

} // namespace
} // namespace kolam::driver
