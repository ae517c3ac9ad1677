/// The cases, one function a file of them. To add a case is to add an entry there.
#pragma once

#include "bench/harness.h"

namespace kolam::bench {

void add_attention(Suite& suite);
void add_axis_orders(Suite& suite);
void add_calls(Suite& suite);
void add_compile(Suite& suite);
void add_convolution(Suite& suite);
void add_elementwise(Suite& suite);
void add_epilogue(Suite& suite);
void add_indexing(Suite& suite);
void add_matmul(Suite& suite);
void add_normalization(Suite& suite);
void add_recurrent(Suite& suite);
void add_reduction(Suite& suite);

/// In a process of its own: compiles the program of that name, writes the seconds it took, gives
/// the exit status.
int compile_once(const std::string& name);

/// `1024x1024`: how names of cases write shapes.
std::string by(const std::vector<int64_t>& extents);

} // namespace kolam::bench
