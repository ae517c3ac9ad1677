/// What this machine does at most with so many threads of the pool, 0 for all: measured when asked,
/// a few milliseconds each.
#pragma once

namespace kolam::runtime {

/// Multiplications and additions of float32 a second, in registers of `vector_bytes` (16, 32 or
/// 64, which the machine has), by instructions that do both where `has_fma`.
double most_flops(int vector_bytes, bool has_fma, int threads = 0);

/// Bytes a second of a loop that reads so many bytes again and again, or copies one half of them to
/// the other, whichever is faster. Throws `[out-of-memory]`.
double most_bytes(double bytes, int vector_bytes, int threads = 0);

} // namespace kolam::runtime
