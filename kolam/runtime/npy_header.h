/// The header of a `.npy` file: a Python dict literal with three keys.
#pragma once

#include "kolam/support/dtype.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kolam::runtime {

struct NpyHeader {
  DType dtype = DType::f32;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// What a malformed file says of itself, without the file's name.
struct NpyHeaderError {
  std::string reason;
};

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`. Throws NpyHeaderError.
NpyHeader parse_npy_header(std::string_view text);

/// Writes the same, for this machine's byte order and row-major elements.
std::string npy_header_dict(DType dtype, const std::vector<int64_t>& shape);

} // namespace kolam::runtime
