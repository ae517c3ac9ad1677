// Transposes by exchanging blocks of doubling size.
#include "kolam/lower/shuffles.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kolam::lower {

Values transposed(Values vectors, Emission& e) {
  auto count = static_cast<int32_t>(vectors.size());
  for (int32_t block = 1; block < count; block *= 2) {
    llvm::SmallVector<int32_t> low, high; // lanes of a pair of vectors
    for (int32_t lane = 0; lane < count; ++lane) {
      bool is_second = lane & block;
      low.push_back(is_second ? count + lane - block : lane);
      high.push_back(is_second ? count + lane : lane + block);
    }
    for (int32_t i = 0; i < count; ++i) {
      if (i & block)
        continue;
      Value x = vectors[i], y = vectors[i + block];
      vectors[i] = mlir::LLVM::ShuffleVectorOp::create(e.b, x, y, low);
      vectors[i + block] = mlir::LLVM::ShuffleVectorOp::create(e.b, x, y, high);
    }
  }
  return vectors;
}

} // namespace kolam::lower
