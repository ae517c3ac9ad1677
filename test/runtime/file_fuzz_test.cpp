// Random cuts and changes of valid files: each is read or refused by an Error, never worse.
#include "kolam/runtime/npy.h"
#include "kolam/runtime/npz.h"

#include "expect_error.h"
#include "temporary_directory.h"

#include <cstdlib>
#include <random>

namespace kolam::runtime {
namespace {

using Bytes = std::vector<std::byte>;

/// KOLAM_TEST_SEED repeats a run.
uint64_t choose_seed() {
  const char* text = std::getenv("KOLAM_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : std::random_device()();
}

Bytes mutated(Bytes bytes, std::mt19937_64& random) {
  const uint64_t edits = 1 + random() % 4;
  for (uint64_t e = 0; e < edits && !bytes.empty(); ++e) {
    const size_t at = random() % bytes.size();
    const auto place = bytes.begin() + static_cast<int64_t>(at);
    switch (random() % 6) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      bytes[at] = static_cast<std::byte>(random());
      break;
    case 2:
      bytes[at] ^= static_cast<std::byte>(1 << random() % 8);
      break;
    case 3:
      bytes.insert(place, static_cast<std::byte>(random()));
      break;
    case 4:
      bytes.erase(place);
      break;
    default: // numbers in headers: all ones, or a digit
      for (size_t i = at; i < std::min(at + 4, bytes.size()); ++i)
        bytes[i] = static_cast<std::byte>(random() % 2 ? 0xff : '9');
    }
  }
  return bytes;
}

template <class Read> void fuzz(const std::vector<Bytes>& files, int runs, const Read& read) {
  const uint64_t seed = choose_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < runs; ++i) {
    const Bytes bytes = mutated(files[random() % files.size()], random);
    try {
      read(bytes);
    } catch (const Error& error) {
      ASSERT_TRUE(error.slug() == "bad-npy" || error.slug() == "bad-npz" ||
                  error.slug() == "out-of-memory")
          << "seed " << seed << " run " << i << ": " << error.what();
      ASSERT_NE(error.message().find("fuzzed"), std::string::npos) << error.what();
    }
  }
}

TEST(FileFuzz, Npy) {
  std::vector<Bytes> files;
  for (DType dtype : {DType::boolean, DType::i16, DType::bf16, DType::f64})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{}, {7}, {3, 0}, {2, 3, 4}})
      files.push_back(write_npy(Array::zeros(dtype, shape)));
  fuzz(files, 50000, [](const Bytes& bytes) { read_npy(bytes, "fuzzed"); });
}

TEST(FileFuzz, Npz) {
  const TemporaryDirectory directory;
  std::vector<Bytes> files;
  save_npz(directory.file("a"), {{"a", Array::of<float>({1, 2})}, {"b", Array::scalar(1)}});
  files.push_back(read_file(directory.file("a")));
  save_npz(directory.file("b"), {});
  files.push_back(read_file(directory.file("b")));
  // numpy.savez_compressed(file, x=numpy.arange(4, dtype='u1')), with the ZIP64 extra it always
  // writes.
  constexpr unsigned char deflated[] = {
      80,  75,  3,   4,   45,  0,   0,   0,   8,   0,   0,   0,   33,  0,   36,  3,   222, 88,  255,
      255, 255, 255, 255, 255, 255, 255, 5,   0,   20,  0,   120, 46,  110, 112, 121, 1,   0,   16,
      0,   132, 0,   0,   0,   0,   0,   0,   0,   72,  0,   0,   0,   0,   0,   0,   0,   155, 236,
      23,  234, 27,  16,  201, 200, 80,  198, 80,  173, 158, 146, 90,  156, 92,  164, 110, 165, 160,
      94,  83,  106, 168, 174, 163, 160, 158, 150, 95,  84,  82,  148, 152, 23,  159, 95,  148, 146,
      10,  18,  119, 75,  204, 41,  78,  5,   138, 23,  103, 36,  22,  164, 2,   249, 26,  38,  58,
      154, 58,  10,  181, 10,  20,  0,   46,  6,   70,  38,  102, 0,   80,  75,  1,   2,   45,  3,
      45,  0,   0,   0,   8,   0,   0,   0,   33,  0,   36,  3,   222, 88,  72,  0,   0,   0,   132,
      0,   0,   0,   5,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   128, 1,   0,   0,
      0,   0,   120, 46,  110, 112, 121, 80,  75,  5,   6,   0,   0,   0,   0,   1,   0,   1,   0,
      51,  0,   0,   0,   127, 0,   0,   0,   0,   0};
  const auto* start = reinterpret_cast<const std::byte*>(deflated);
  files.emplace_back(start, start + sizeof deflated);
  EXPECT_EQ(read_npz(files.back(), "fuzzed")[0].array.values<uint8_t>()[3], 3);
  fuzz(files, 50000, [](const Bytes& bytes) { read_npz(bytes, "fuzzed"); });
}

TEST(FileFuzz, EveryTruncation) {
  const Bytes bytes = write_npy(Array::of<float>({1, 2, 3}));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(error_of([&] { read_npy(std::span(bytes).first(size), "cut"); }).slug(), "bad-npy");
}

} // namespace
} // namespace kolam::runtime
