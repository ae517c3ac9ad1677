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

/// Lane l of the result is the element at `place(l)` of vectors that follow one another: the first
/// two are shuffled into one, which the next ones join.
static Value gathered(ValueSpan vectors, llvm::function_ref<int(int)> place, Emission& e) {
  const auto lanes =
      static_cast<int>(llvm::cast<mlir::VectorType>(vectors[0].getType()).getNumElements());
  Value all = vectors[0];
  for (int from = 1; from < static_cast<int>(vectors.size()); ++from) {
    Lanes chosen;
    for (int lane = 0; lane < lanes; ++lane) {
      const int at = place(lane);
      if (at / lanes == from)
        chosen.push_back(lanes + at % lanes);
      else
        chosen.push_back(from == 1 ? at % lanes : lane);
    }
    all = mlir::LLVM::ShuffleVectorOp::create(e.b, all, vectors[from], chosen);
  }
  return all;
}

/// The smallest number above 1 that divides one.
static int smallest_factor(int count) {
  int factor = 2;
  while (count % factor != 0)
    ++factor;
  return factor;
}

int64_t interleaving_shuffles(int64_t count) {
  int64_t each = 0; // of a result
  for (auto left = static_cast<int>(count); left > 1; left /= smallest_factor(left))
    each += smallest_factor(left) - 1;
  return count * each;
}

/// By the smallest factor f of the count first: every f-th vector of every f-th element, and of
/// each of these sequences the same.
Values deinterleaved(ValueSpan vectors, Emission& e) {
  const auto count = static_cast<int>(vectors.size());
  if (count == 1)
    return Values(vectors.begin(), vectors.end());
  const int factor = smallest_factor(count);
  Values results(count);
  for (int first = 0; first < factor; ++first) {
    Values every;
    for (int from = 0; from < count; from += factor)
      every.push_back(gathered(
          vectors.slice(from, factor), [&](int lane) { return lane * factor + first; }, e));
    for (auto [number, vector] : llvm::enumerate(deinterleaved(every, e)))
      results[static_cast<int>(number) * factor + first] = vector;
  }
  return results;
}

Values interleaved(ValueSpan vectors, Emission& e) {
  const auto count = static_cast<int>(vectors.size());
  if (count == 1)
    return Values(vectors.begin(), vectors.end());
  const auto lanes =
      static_cast<int>(llvm::cast<mlir::VectorType>(vectors[0].getType()).getNumElements());
  const int factor = smallest_factor(count);
  std::vector<Values> sequences; // whose elements take turns
  for (int first = 0; first < factor; ++first) {
    Values every;
    for (int from = first; from < count; from += factor)
      every.push_back(vectors[from]);
    sequences.push_back(interleaved(every, e));
  }
  Values results;
  for (int result = 0; result < count; ++result) {
    Values from;
    for (const Values& sequence : sequences)
      from.push_back(sequence[result / factor]);
    auto place = [&](int lane) {
      const int number = result % factor * lanes + lane;
      return number % factor * lanes + number / factor;
    };
    results.push_back(gathered(from, place, e));
  }
  return results;
}

Value neighbours_swapped(Value vector, Emission& e) {
  llvm::SmallVector<int32_t> lanes;
  auto count =
      static_cast<int32_t>(llvm::cast<mlir::VectorType>(vector.getType()).getNumElements());
  for (int32_t lane = 0; lane < count; ++lane)
    lanes.push_back(lane ^ 1);
  return mlir::LLVM::ShuffleVectorOp::create(e.b, vector, vector, lanes);
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
