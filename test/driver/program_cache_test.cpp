// Programs that an earlier process compiled.
#include "kolam/driver/program_cache.h"

#include "kolam/driver/parse.h"
#include "kolam/driver/schedules.h"
#include "temporary_cache.h"

#include <gtest/gtest.h>

#include <fstream>

namespace kolam::driver {
namespace {

/// As if it were traced: two nests.
Module program_of(const std::string& function = "exp") {
  Module program = parse("func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {\n"
                         "  %v, %p = kolam.sort %x {descending = false} : (tensor<64xf32>) -> "
                         "(tensor<64xf32>, tensor<64xi32>)\n"
                         "  %r = kolam.elementwise \"" +
                             function +
                             "\" %v : (tensor<64xf32>) -> tensor<64xf32>\n"
                             "  return %r : tensor<64xf32>\n}\n",
                         "sorted.mlir")
                       .program;
  program.is_parsed = false;
  return program;
}

Array run(const Module& program) {
  Array x = Array::uninitialized(DType::f32, {64});
  for (size_t i = 0; i < 64; ++i)
    x.mutable_values<float>()[i] = static_cast<float>(i * 37 % 64);
  return compile(program.clone(), {})->run(std::vector{x}, nullptr)[0];
}

bool is_kept(const Module& program, const Options& options = {}) {
  return ProgramPlace(program, options).find().has_value();
}

TEST(ProgramCache, FindsWhatWasCompiled) {
  TemporaryCache cache;
  Module program = program_of();
  EXPECT_FALSE(is_kept(program));
  Array first = run(program);
  EXPECT_TRUE(is_kept(program));
  EXPECT_FALSE(is_kept(program_of("log")));
  const int64_t compiled = nest_counts().compiled;
  EXPECT_TRUE(same_bits(run(program_of()), first));
  EXPECT_EQ(nest_counts().compiled, compiled);
}

TEST(ProgramCache, LooksForItsNests) {
  TemporaryCache cache;
  Module program = program_of();
  Array first = run(program);
  clear(CacheDirectory::open(), Shelf::objects);
  EXPECT_FALSE(is_kept(program));
  EXPECT_TRUE(same_bits(run(program), first));
  EXPECT_TRUE(is_kept(program));
}

TEST(ProgramCache, FollowsWhatIsMeasuredLater) {
  TemporaryCache cache;
  Module program = program_of();
  run(program);
  Road road = travel(program.clone(), {}, kNests);
  const nest::IsolatedNest isolated = nest::isolate(road.nests.nests[0]);
  keep_measurements(measurements_key(isolated, *backend::default_backend()),
                    {{schedule_of(isolated, {}), 1e-6}});
  EXPECT_FALSE(is_kept(program));
  run(program);
  EXPECT_TRUE(is_kept(program));
}

TEST(ProgramCache, IsClosedToProgramsWithOptionsOfTheirOwn) {
  TemporaryCache cache;
  Module program = program_of();
  run(program);
  Options options;
  options.layout_seed = 1;
  EXPECT_FALSE(is_kept(program, options));
  options = {};
  options.schedule_texts["nest0"] = "";
  EXPECT_FALSE(is_kept(program, options));
  program.is_parsed = true;
  EXPECT_FALSE(is_kept(program));
}

TEST(ProgramCache, CompilesDamagedProgramsAgain) {
  TemporaryCache cache;
  Module program = program_of();
  Array first = run(program);
  for (const std::filesystem::path& path : cache.files())
    if (path.parent_path().filename().string().starts_with("objects-"))
      std::ofstream(path, std::ios::in | std::ios::binary).seekp(120) << "damage";
  EXPECT_FALSE(is_kept(program));
  EXPECT_TRUE(same_bits(run(program), first));
  EXPECT_TRUE(is_kept(program));
}

} // namespace
} // namespace kolam::driver
