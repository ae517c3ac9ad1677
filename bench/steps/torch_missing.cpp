// libtorch is not installed here.
#include "bench/steps/torch.h"

namespace kolam::bench {

bool has_torch() { return false; }
std::function<void()> torch_lstm(int64_t, int64_t, bool) { return {}; }
std::function<void()> torch_mlp(const std::vector<int64_t>&, bool) { return {}; }
std::function<void()> torch_window_attention(int64_t, int64_t, int64_t) { return {}; }

} // namespace kolam::bench
