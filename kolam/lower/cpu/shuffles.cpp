// Transposes by shuffles of pairs: within 16 bytes, which processors interleave in one instruction,
// then of pieces of 16 bytes.
#include "kolam/lower/cpu/shuffles.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <algorithm>

namespace kolam::lower::cpu {
namespace {

using Lanes = llvm::SmallVector<int32_t>;

/// Of every run of `piece` lanes, the lower or upper half of two vectors of `lanes`, interleaved by
/// blocks: a0 b0 a1 b1 ...
Lanes halves(int lanes, int piece, int block, bool is_upper) {
  Lanes result;
  for (int run = 0; run < lanes; run += piece)
    for (int at = 0; at < piece / 2; at += block)
      for (int from : {0, lanes})
        for (int lane = 0; lane < block; ++lane)
          result.push_back(from + run + (is_upper ? piece / 2 : 0) + at + lane);
  return result;
}

/// The even or the odd pieces of the first vector, then those of the second.
Lanes every_other(int lanes, int piece, bool is_odd) {
  Lanes result;
  for (int from : {0, lanes})
    for (int run = is_odd ? piece : 0; run < lanes; run += 2 * piece)
      for (int lane = 0; lane < piece; ++lane)
        result.push_back(from + run + lane);
  return result;
}

/// Shuffles every pair of vectors that are `distance` apart.
void shuffle_pairs(Values& vectors, int distance, const Lanes& first, const Lanes& second,
                   Emission& e) {
  auto shuffle = [&](Value x, Value y, const Lanes& lanes) -> Value {
    return mlir::LLVM::ShuffleVectorOp::create(e.b, x, y, lanes);
  };
  for (int i = 0; i < static_cast<int>(vectors.size()); ++i) {
    if (i & distance)
      continue;
    Value x = vectors[i], y = vectors[i + distance];
    vectors[i] = shuffle(x, y, first);
    vectors[i + distance] = shuffle(x, y, second);
  }
}

} // namespace

Values transposed(Values vectors, Emission& e) {
  auto lanes = static_cast<int>(vectors.size());
  auto type = llvm::cast<mlir::VectorType>(vectors[0].getType());
  int piece = std::min(lanes, 128 / static_cast<int>(type.getElementTypeBitWidth()));
  for (int block = 1; block < piece; block *= 2)
    shuffle_pairs(vectors, block, halves(lanes, piece, block, false),
                  halves(lanes, piece, block, true), e);
  for (int distance = piece; distance < lanes; distance *= 2)
    shuffle_pairs(vectors, distance, every_other(lanes, piece, false),
                  every_other(lanes, piece, true), e);
  // The interleaved halves left the columns of a piece in the order of their numbers' reversed
  // bits.
  Values columns(vectors);
  for (int i = 0; i < lanes; ++i) {
    int column = i - i % piece;
    for (int bit = 1; bit < piece; bit *= 2)
      column += i & bit ? piece / 2 / bit : 0;
    columns[column] = vectors[i];
  }
  return columns;
}

Values interleaved(ValueSpan vectors, Emission& e) {
  const auto count = static_cast<int>(vectors.size());
  const auto lanes =
      static_cast<int>(llvm::cast<mlir::VectorType>(vectors[0].getType()).getNumElements());
  Values results;
  for (int result = 0; result < count; ++result) {
    // One vector after the other puts its lanes where they belong.
    Value all = vectors[0];
    for (int from = 0; from < count; ++from) {
      Lanes chosen;
      for (int lane = 0; lane < lanes; ++lane) {
        int number = result * lanes + lane;
        if (number % count == from)
          chosen.push_back(from == 0 ? number / count : lanes + number / count);
        else
          chosen.push_back(from == 0 ? 0 : lane);
      }
      all = mlir::LLVM::ShuffleVectorOp::create(e.b, all, vectors[from], chosen);
    }
    results.push_back(all);
  }
  return results;
}

Value reversed(Value vector, Emission& e) {
  llvm::SmallVector<int32_t> lanes;
  for (auto lane =
           static_cast<int32_t>(llvm::cast<mlir::VectorType>(vector.getType()).getNumElements());
       lane-- > 0;)
    lanes.push_back(lane);
  return mlir::LLVM::ShuffleVectorOp::create(e.b, vector, vector, lanes);
}

} // namespace kolam::lower::cpu
