// Reads dtype names.
#include "kolam/support/dtype.h"

namespace kolam {

std::optional<DType> parse_dtype(std::string_view text) {
  constexpr std::string_view short_names[] = {"b1",  "i8",  "i16", "i32",  "i64", "u8", "u16",
                                              "u32", "u64", "f16", "bf16", "f32", "f64"};
  for (DType dtype : kDTypes)
    if (text == name(dtype) || text == short_names[static_cast<int>(dtype)])
      return dtype;
  return std::nullopt;
}

} // namespace kolam
