/// NumPy's `.npy` files: one array each. Format:
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include "kolam/runtime/array.h"
#include "kolam/runtime/file.h"
#include "kolam/runtime/npy_header.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kolam::runtime {

/// Reads versions 1.0, 2.0 and 3.0, either byte order, either element order; dtypes bool, i1..i8,
/// u1..u8, f2, f4, f8. Two-byte void ('<V2', and '|V2' which NumPy makes of it when it copies) is
/// bfloat16: that is what NumPy writes for an ml_dtypes.bfloat16 array. Throws `[io-read]` where
/// the file cannot be read, and `[bad-npy]`, naming the path and what is wrong, where it is
/// malformed, holds another dtype, or holds more or fewer bytes than its header says.
Array load(const std::string& path, CallLine here = std::source_location::current());
/// The same from memory; errors call it `name`.
Array read_npy(std::span<const std::byte> bytes, const std::string& name);

/// Writes version 1.0 (2.0 where the header is too long for it), byte for byte as numpy.save does,
/// bfloat16 as '<V2'. The file appears whole or not at all; throws `[io-write]`, and
/// `[empty-tensor]` for an empty handle.
void save(const std::string& path, const Array& array,
          CallLine here = std::source_location::current());
std::vector<std::byte> write_npy(const Array& array);

/// What precedes the elements in the file.
std::string npy_header(const Array& array);
std::string npy_header(DType dtype, const std::vector<int64_t>& shape);
/// A file's header and where its elements start. Throws `[bad-npy]` as `load` does.
struct NpyLayout {
  NpyHeader header;
  uint64_t first = 0;
};
NpyLayout npy_layout(const ByteSource& source);

/// Gives the next `count` bytes or throws.
using ReadNext = std::function<void(void* to, size_t count)>;
/// Reads an array of `size` bytes of file from a stream.
Array read_npy_stream(uint64_t size, const ReadNext& read_next, const std::string& name);

} // namespace kolam::runtime
