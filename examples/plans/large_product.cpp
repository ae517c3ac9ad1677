// The product of two `.npy` files, under a limit of memory for each worker. large_product.py says
// more.
//
//     plans_large_product FOLDER [size [bytes of memory per worker]]
#include <kolam/kolam.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>

namespace {

using kolam::Array;
using kolam::Tensor;

constexpr int64_t kSize = 1024, kMemory = 6 << 20, kWorkers = 2;
/// Columns of the result that are compared with the program's own, and rows that are written at
/// once.
constexpr int64_t kCompared = 64, kRows = 256;

Tensor product(Tensor x, Tensor w) { return matmul(x, w); }

/// Random numbers, some rows at a time.
void write(const std::string& path, int64_t size, uint64_t seed) {
  kolam::runtime::NpyWriter file(path, kolam::DType::f32, {size, size});
  const Tensor key = kolam::random::key(seed);
  for (int64_t row = 0; row < size; row += kRows)
    file.write({row, 0}, kolam::random::normal(kolam::random::fold_in(key, row),
                                               {std::min(kRows, size - row), size})
                             .array());
  file.commit();
}

/// Whether the first columns have the bits that the product of all rows with these columns has.
bool is_right(const std::filesystem::path& folder, int64_t size) {
  const kolam::runtime::NpyReader x(folder / "x.npy"), w(folder / "w.npy"), y(folder / "y.npy");
  const int64_t compared = std::min(kCompared, size);
  const Array columns = w.read({0, 0}, {size, compared});
  auto multiply = kolam::jit(product);
  for (int64_t row = 0; row < size; row += kRows) {
    const int64_t rows = std::min(kRows, size - row);
    if (!same_bits(multiply(x.read({row, 0}, {rows, size}), columns).array(),
                   y.read({row, 0}, {rows, compared})))
      return false;
  }
  return true;
}

void run(const std::filesystem::path& folder, int64_t size, int64_t memory) {
  std::filesystem::create_directories(folder);
  write(folder / "x.npy", size, 1);
  write(folder / "w.npy", size, 2);
  const auto x = kolam::PlanInput::file(folder / "x.npy"),
             w = kolam::PlanInput::file(folder / "w.npy");
  const std::vector<kolam::TensorSpec> matrices(2, {kolam::DType::f32, {size, size}});
  const kolam::Program program =
      kolam::trace(matrices, [](std::vector<Tensor> given) -> std::vector<Tensor> {
        return {product(given[0], given[1])};
      });
  const kolam::Plan plan =
      kolam::plan(program, {.workers = kWorkers, .memory_per_worker = memory, .steps = 0});
  std::cout << size << " x " << size << ", " << kWorkers << " workers, at most " << memory
            << " bytes each: " << plan.cost().at("peak_memory") << " are needed\n"
            << "the matrices have " << 3 * 4 * size * size << " bytes\n";
  const auto start = std::chrono::steady_clock::now();
  plan.run({x, w}, {.out = {{0, folder / "y.npy"}}});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const double flops = 2.0 * static_cast<double>(size) * static_cast<double>(size * size);
  std::cout << taken.count() << " s, " << flops / taken.count() / 1e9 << " GFLOP/s\n"
            << "equal bits in the first columns: " << (is_right(folder, size) ? "yes" : "no")
            << "\n";
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: plans_large_product FOLDER [size [bytes of memory per worker]]\n";
    return 2;
  }
  try {
    run(argv[1], argc > 2 ? std::atoll(argv[2]) : kSize, argc > 3 ? std::atoll(argv[3]) : kMemory);
  } catch (const kolam::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
