/// Programs before and after choices, run by the interpreter on arguments drawn at random.
#pragma once

#include "kolam/driver/parse.h"
#include "kolam/interp/interpreter.h"
#include "kolam/ir/types.h"
#include "kolam/rewrite/choice.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <random>

namespace kolam::rewrite {

/// `hard` ones show a lost bit: signed zeros, NaN, infinities, denormals. Sums of `easy` ones have
/// no terms that cancel.
enum class Values : uint8_t { easy, hard };

/// `count` seeds, from KOLAM_SEED where that is set.
std::vector<uint64_t> seeds(uint64_t count);
runtime::Array random_values(mlir::Type type, Values values, std::mt19937_64& random);
std::string text_of(mlir::ModuleOp module);
/// Both programs give the same: bits, or numbers up to roundings.
void expect_equal(const driver::Module& before, const driver::Module& after, Keeps keeps,
                  Values values, uint64_t seed);

} // namespace kolam::rewrite
