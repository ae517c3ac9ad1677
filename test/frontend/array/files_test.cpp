// Archives as maps, and as arguments of jitted functions.
#include "test/frontend/array/both_backends.h"

#include <filesystem>

namespace kolam {
namespace {

using test::error_of;

std::string file(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(Files, ArchivesAreMaps) {
  const std::string path = file("kolam_files_test.npz");
  save_npz(path, {{"w", Array({1.5f, 2.5f})}, {"n", Array::scalar(int64_t{7})}});
  auto arrays = load_npz(path);
  EXPECT_EQ(arrays["w"].values<float>()[1], 2.5f);
  EXPECT_EQ(arrays.at("n").item<int64_t>(), 7);
  EXPECT_TRUE(arrays.contains("w") && !arrays.contains("v"));
  std::map<std::string, Array> plain = load_npz(path);
  EXPECT_EQ(plain.size(), 2u);
  std::string names;
  for (const auto& [name, array] : arrays)
    names += name;
  EXPECT_EQ(names, "nw");
  auto dot = jit([](std::map<std::string, Tensor> weights, Tensor x) {
    return sum(weights.at("w") * x) + astype(weights.at("n"), DType::f32);
  });
  EXPECT_EQ(Array(dot(arrays, std::vector<float>{2, 2})).item<float>(), 15);
  std::filesystem::remove(path);
}

TEST(Files, NameTheLineThatAskedForThem) {
  Error error = error_of([] { load(file("kolam_none.npy")); });
  EXPECT_EQ(error.slug(), "io-read");
  EXPECT_NE(error.where().file.find("files_test.cpp"), std::string::npos);
  EXPECT_EQ(std::string(error.what()).rfind("load: [io-read]", 0), 0u) << error.what();
  error = error_of([] { load_npz(file("kolam_none.npz")); });
  EXPECT_EQ(error.function(), "load_npz");
  EXPECT_EQ(error.where().line, __LINE__ - 2);
  EXPECT_EQ(error_of([] { save(file("kolam_none/x.npy"), Array({1})); }).where().line, __LINE__);
  EXPECT_EQ(error_of([] { save(file("x.npy"), Array()); }).slug(), "empty-tensor");
  EXPECT_EQ(error_of([] { save_npz(file("x.npz"), {{"a", Array()}}); }).slug(), "empty-tensor");
}

} // namespace
} // namespace kolam
