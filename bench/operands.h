/// Operands of cases: random, never zeros; and what comes out, poisoned first, as f64.
#pragma once

#include "kolam/kolam.h"

#include <functional>
#include <vector>

namespace kolam::bench {

/// Floats uniform in (-1, 1), integers uniform over their dtype; never 0.
Array random_array(DType dtype, std::vector<int64_t> shape, uint64_t seed);
/// Integers i32 uniform in [0, bound).
Array random_places(std::vector<int64_t> shape, int64_t bound, uint64_t seed);

/// The elements as f64, exactly. f32, bf16, i8, u8 and i32.
std::vector<double> to_doubles(const Array& array);

/// Fills memory with NaN, or -1 for integers.
void poison(Array& array);
/// What `f` gives, in memory that held no result before.
std::vector<double> poisoned_result(const std::function<Array()>& f);

/// sum_k a[i, k] b[k, j] in f64.
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, int64_t m,
                            int64_t k, int64_t n);

} // namespace kolam::bench
