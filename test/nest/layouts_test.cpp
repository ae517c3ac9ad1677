// Layouts of buffers: what is refused, who gets them, and that they are part of a nest's text.
#include "kolam/nest/layouts.h"

#include "kolam/driver/parse.h"
#include "kolam/driver/spine.h"
#include "kolam/ir/dialect.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam::nest {
namespace {

/// y in memory between two nests: of x, f32[4, 6].
constexpr const char* kProgram =
    R"(func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>) {
  %y = kolam.elementwise "exp" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %m = kolam.materialize %y : tensor<4x6xf32> -> tensor<4x6xf32>
  %r = kolam.reverse %m [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %z = kolam.elementwise "add" %m, %r : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %s = kolam.reduce "add" %m dims [0] commutative true <"chunk<64>"> : (tensor<4x6xf32>) -> tensor<6xf32>
  return %z, %s : tensor<4x6xf32>, tensor<6xf32>
}
)";

struct Formed {
  driver::Module program = driver::parse(kProgram, "layouts.mlir").program;
  NestList nests = form_nests(program.main());
  /// The number of the intermediate value's buffer.
  int middle() const {
    for (int b = 0; b < static_cast<int>(nests.program.buffers.size()); ++b)
      if (nests.program.buffers[b].place == Place::arena)
        return b;
    return -1;
  }
  std::string words_of(int buffer, Shape strides, Extent first = 0) {
    nests.program.buffers[buffer].strides = std::move(strides);
    nests.program.buffers[buffer].first = first;
    try {
      set_layouts(nests);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.slug(), "bad-layout");
      return error.what();
    }
  }
};

TEST(Layouts, AreHandedToTheNestsThatUseTheBuffer) {
  Formed formed;
  EXPECT_EQ(formed.words_of(formed.middle(), {1, 4}), "");
  size_t told = 0;
  for (const Nest& nest : formed.nests.nests)
    for (const auto& layout : nest.layouts)
      if (layout) {
        ++told;
        EXPECT_EQ(layout->strides, (Shape{1, 4}));
      }
  EXPECT_EQ(told, 3u); // one writes it, two read it
}

TEST(Layouts, OfElementsOnOneAnotherAreRefused) {
  for (const Shape& strides : {Shape{0, 1}, Shape{1, 1}, Shape{2, 3}, Shape{6, 0}})
    EXPECT_NE(Formed()
                  .words_of(Formed().middle(), strides)
                  .find("expected each element at a place of its own, but got strides"),
              std::string::npos)
        << to_string(strides);
}

TEST(Layouts, ThatLeaveTheirBufferAreRefused) {
  Formed formed;
  EXPECT_NE(formed.words_of(formed.middle(), {8, 1}).find("expected elements 0 to 23"),
            std::string::npos);
  EXPECT_NE(formed.words_of(formed.middle(), {6, 1}, 1).find("expected elements 0 to 23"),
            std::string::npos);
  EXPECT_NE(formed.words_of(formed.middle(), {6, 1}, -1).find("expected elements 0 to 23"),
            std::string::npos);
  EXPECT_NE(formed.words_of(formed.middle(), {1}).find("expected a stride for each of 2 dims"),
            std::string::npos);
}

TEST(Layouts, OfArgumentsAndResultsAreRowMajor) {
  for (Place place : {Place::argument, Place::result}) {
    Formed formed;
    int buffer = 0;
    while (formed.nests.program.buffers[buffer].place != place)
      ++buffer;
    EXPECT_NE(formed.words_of(buffer, {1, 4})
                  .find("expected row-major memory, as it is no intermediate value"),
              std::string::npos);
  }
}

TEST(Layouts, ArePartOfANestsText) {
  Formed formed;
  ASSERT_EQ(formed.words_of(formed.middle(), {1, 4}), "");
  for (const Nest& nest : formed.nests.nests) {
    IsolatedNest isolated = isolate(nest);
    mlir::MLIRContext context;
    context.loadDialect<ir::KolamDialect, mlir::func::FuncDialect>();
    IsolatedNest read = read_isolated(isolated.content, context);
    EXPECT_EQ(read.nest.layouts, isolated.nest.layouts);
    EXPECT_NE(isolated.content, isolate(Formed().nests.nests[0]).content);
  }
}

TEST(Layouts, InAnyOrderGiveTheSameBits) {
  runtime::Array x = runtime::Array::zeros(DType::f32, {4, 6});
  auto* numbers = static_cast<float*>(x.mutable_data());
  for (int i = 0; i < 24; ++i)
    numbers[i] = static_cast<float>(i % 7) / 3;
  std::vector<runtime::Array> arguments = {x};
  driver::Module program = driver::parse(kProgram, "layouts.mlir").program;
  auto run = [&](driver::Options options) {
    return driver::compile(program.clone(), options)->run(arguments, nullptr);
  };
  auto meant = run({.is_interpreted = true});
  for (const char* backend : {"cpu", "schedule"})
    for (uint64_t seed = 1; seed < 5; ++seed) {
      auto given = run({.backend = backend::find_backend(backend), .layout_seed = seed});
      for (size_t i = 0; i < meant.size(); ++i)
        EXPECT_TRUE(same_bits(given[i], meant[i])) << backend << " " << seed;
    }
}

} // namespace
} // namespace kolam::nest
