/// What this machine can do, measured by loops that do nothing else.
#pragma once

#include "bench/work.h"

#include <cstddef>

namespace kolam::bench {

/// Peaks of arithmetic and bandwidths on the threads of the pool; takes a third of a second.
Limits measure_limits();
/// The better of two measurements, one by one: noise only takes away.
Limits better(const Limits& a, const Limits& b);

/// Reads memory once with full vectors, on the threads of the pool: the peer of whatever only
/// reads.
void read_all(const void* data, size_t bytes);
/// memcpy, cut between the threads of the pool.
void copy_plain(void* to, const void* from, size_t bytes);
/// The same by stores that pass the caches by. Needs memory aligned to 64 bytes.
void copy_streaming(void* to, const void* from, size_t bytes);

} // namespace kolam::bench
