/// Sizes of memory as people write them.
#pragma once

#include <cstdint>
#include <string_view>

namespace kolam::detail {

/// Reads `2GiB`, `64 MB`, `1000000`. Throws `[memory-limit]` for other text and for what is not
/// above zero.
int64_t bytes_from(std::string_view text);

} // namespace kolam::detail
