/// Steps by libtorch.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace kolam::bench {

/// Whether libtorch is installed here; it then runs on one thread.
bool has_torch();
std::function<void()> torch_lstm(int64_t layers, int64_t size, bool is_narrow);
std::function<void()> torch_mlp(const std::vector<int64_t>& widths, bool is_narrow);
std::function<void()> torch_window_attention(int64_t inner, int64_t heads, int64_t keys);

} // namespace kolam::bench
