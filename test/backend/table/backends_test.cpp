// What every backend must do, asked of all that the table names: the programs of test/interp give
// the interpreter's bits and errors.
#include "kolam/backend/table/backends.h"

#include "kolam/driver/compile.h"
#include "kolam/driver/parse.h"
#include "kolam/driver/spine.h"
#include "kolam/ir/bind_sizes.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/schedule_choice.h"
#include "kolam/runtime/array.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kolam::backend {
namespace {

using runtime::Array;

struct Text {
  std::string name, program;
};

/// The sections of the files of test/interp, `//--- name` in front of each.
std::vector<Text> all_texts() {
  std::vector<Text> texts;
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(KOLAM_PROGRAMS))
    if (file.path().extension() == ".mlir")
      paths.push_back(file.path());
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    std::ifstream stream(path);
    texts.push_back({path.filename(), ""});
    for (std::string line; std::getline(stream, line);)
      if (line.starts_with("//--- "))
        texts.push_back({path.filename().string() + " " + line.substr(6), ""});
      else
        texts.back().program += line + "\n";
  }
  return texts;
}

/// Numbers that are different, small and, as integers, good places of small dims.
Array argument(DType dtype, std::vector<int64_t> shape, int64_t seed) {
  Array array = Array::zeros(dtype, std::move(shape));
  auto* bytes = static_cast<std::byte*>(array.mutable_data());
  for (int64_t i = 0; i < array.size(); ++i) {
    int64_t number = (i * 7 + seed * 3 + i / 5) % 5;
    double value = static_cast<double>(number) * 0.75 - 1;
    auto put = [&](auto x) {
      std::memcpy(bytes + i * static_cast<int64_t>(sizeof x), &x, sizeof x);
    };
    switch (dtype) {
    case DType::f32:
      put(static_cast<float>(value));
      break;
    case DType::f64:
      put(value);
      break;
    default: { // narrow floats are tiny numbers by these bits
      auto bits = static_cast<uint64_t>(dtype == DType::boolean ? number % 2 : number);
      std::memcpy(bytes + i * byte_width(dtype), &bits, static_cast<size_t>(byte_width(dtype)));
    }
    }
  }
  return array;
}

std::vector<Array> arguments_of(const driver::Module& program, int64_t size) {
  std::map<std::string, int64_t> sizes;
  std::vector<Array> arrays;
  for (mlir::Type type : program.main().getArgumentTypes()) {
    std::vector<int64_t> shape;
    for (const Extent& extent : ir::shape_of(type)) {
      for (const std::string& symbol : extent.symbols())
        sizes.try_emplace(symbol, size);
      shape.push_back(extent.evaluate(sizes));
    }
    arrays.push_back(argument(ir::dtype_of(type), shape, std::ssize(arrays)));
  }
  return arrays;
}

struct Outcome {
  std::vector<Array> results;
  std::string error;
};

Outcome run(const driver::Module& program, const driver::Options& options,
            const std::vector<Array>& arguments) {
  try {
    return {driver::compile(program.clone(), options)->run(arguments, nullptr), ""};
  } catch (const Error& error) {
    return {{}, error.slug() + ": " + error.what()};
  }
}

/// Whether all elements have the same bits, or are both NaN.
bool agree(const Array& x, const Array& y) {
  if (x.dtype() != y.dtype() || x.shape() != y.shape())
    return false;
  auto width = static_cast<size_t>(byte_width(x.dtype()));
  for (size_t i = 0; i < static_cast<size_t>(x.size()); ++i) {
    const auto* a = static_cast<const std::byte*>(x.data()) + i * width;
    const auto* b = static_cast<const std::byte*>(y.data()) + i * width;
    bool both_nan = x.dtype() == DType::f32
                        ? std::isnan(x.values<float>()[i]) && std::isnan(y.values<float>()[i])
                    : x.dtype() == DType::f64
                        ? std::isnan(x.values<double>()[i]) && std::isnan(y.values<double>()[i])
                        : false;
    if (std::memcmp(a, b, width) != 0 && !both_nan)
      return false;
  }
  return true;
}

class Conformance : public testing::TestWithParam<std::string> {
protected:
  driver::Options options() const { return {.backend = find_backend(GetParam())}; }
};

TEST_P(Conformance, GivesTheInterpretersBitsAndErrors) {
  int programs = 0, errors = 0;
  for (const Text& text : all_texts()) {
    std::optional<driver::Module> program;
    std::vector<Array> arguments;
    try {
      program = driver::parse(text.program, text.name).program;
      arguments = arguments_of(*program, 3);
    } catch (const Error&) {
      continue; // what the parser refuses, and arguments that are lists
    }
    Outcome meant = run(*program, {.is_interpreted = true}, arguments);
    Outcome given = run(*program, options(), arguments);
    ++programs;
    errors += !meant.error.empty();
    EXPECT_EQ(given.error, meant.error) << text.name;
    ASSERT_EQ(given.results.size(), meant.results.size()) << text.name;
    for (size_t i = 0; i < meant.results.size(); ++i)
      EXPECT_TRUE(agree(given.results[i], meant.results[i])) << text.name << ", result " << i;
  }
  EXPECT_GE(programs, 60);
  EXPECT_GE(errors, 3);
}

constexpr const char* kTwoStages =
    R"(func.func @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<f32>) {
  %y = kolam.elementwise "exp" %x : (tensor<5xf32>) -> tensor<5xf32>
  %s = kolam.reduce "add" %x dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<5xf32>) -> tensor<f32>
  return %y, %s : tensor<5xf32>, tensor<f32>
}
)";

TEST_P(Conformance, NamesItsStagesAndShowsThemInOrder) {
  driver::Options options = this->options();
  driver::Module program = driver::parse(kTwoStages, "two.mlir").program;
  std::vector<std::string> stages = options.backend->stages();
  for (size_t i = 0; i < stages.size(); ++i) {
    driver::Stage stage = driver::kNests + 1 + i;
    driver::Road road = driver::travel(program.clone(), options, stage, {stage});
    EXPECT_NE(road.texts[stage].find("// nest0"), std::string::npos) << stages[i];
    EXPECT_EQ(road.texts[stage], driver::stage_text(program, options, stages[i]));
  }
}

TEST_P(Conformance, LoadsWhatItHasFinishedAndNothingElse) {
  std::shared_ptr<const Backend> backend = find_backend(GetParam());
  driver::Road road =
      driver::travel(driver::parse(kTwoStages, "two.mlir").program, options(), driver::kNests);
  nest::IsolatedNest nest = nest::isolate(road.nests.nests[0]);
  nest::Schedule schedule = nest::choose_schedule(nest.nest, backend->machine());
  auto unfinished = backend->translate(
      nest, schedule, "kolam_one", [](size_t, llvm::function_ref<std::string()>) { return false; });
  ASSERT_TRUE(unfinished);
  std::string bytes = unfinished->finish(*backend->make_tools());
  auto loaded = backend->load(bytes, "kolam_one");
  EXPECT_NE(loaded->code().function, nullptr);
  EXPECT_THROW(backend->load("no code", "kolam_one"), Error);
}

TEST_P(Conformance, StopsWhenItIsTold) {
  volatile int32_t stop = 1;
  driver::Module program = driver::parse(kTwoStages, "two.mlir").program;
  auto executable = driver::compile(program.clone(), options());
  try {
    executable->run(arguments_of(program, 3), &stop);
    FAIL() << "expected [cancelled]";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "cancelled");
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, testing::ValuesIn(backend_names()),
                         [](const auto& info) { return info.param; });

TEST(Backends, AreNamedWhereNoneIsFound) {
  EXPECT_EQ(default_backend()->name(), backend_names().front());
  try {
    find_backend("gpu");
    FAIL() << "expected [unknown-backend]";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "unknown-backend");
    EXPECT_NE(std::string(error.what()).find("cpu, schedule or interpret, but got 'gpu'"),
              std::string::npos);
  }
}

TEST(Backends, OfSchedulesStopsWhereOneIsWrong) {
  driver::Options options{.backend = find_backend("schedule")};
  driver::Module program = driver::parse(kTwoStages, "two.mlir").program;
  driver::Road road = driver::travel(program.clone(), options, driver::kNests);
  // The loop leaves out the last elements, which the check of schedules would refuse.
  nest::Schedule wrong = nest::parse_schedule(
      "ops y\ndims i 5\nfor i0 in i by 2 parallel rest peeled\n  y by elements\n");
  std::shared_ptr<const Backend> backend = options.backend;
  auto faults = backend->check(road.nests.nests[0], wrong, {}, 2);
  ASSERT_TRUE(faults);
  EXPECT_FALSE(faults->empty());
  auto bytes = backend
                   ->translate(nest::isolate(road.nests.nests[0]), wrong, "wrong",
                               [](size_t, llvm::function_ref<std::string()>) { return false; })
                   ->finish(*backend->make_tools());
  auto loaded = backend->load(bytes, "wrong");
  abi::Context context{nullptr, nullptr, loaded->code().data};
  float in[5] = {}, out[5] = {};
  void* buffers[] = {out, in};
  abi::ErrorRecord error{};
  EXPECT_EQ(loaded->code().function(&context, buffers, nullptr, 0, 5, &error), abi::faulty);
}

} // namespace
} // namespace kolam::backend
