// Reads and writes `.npy` files.
#include "kolam/runtime/npy.h"

#include "kolam/runtime/file.h"
#include "kolam/runtime/npy_header.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <cstring>

namespace kolam::runtime {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kHeaderAlignment = 64;
/// Ours are below 2 KiB; NumPy itself refuses above 10,000 bytes unless told otherwise.
constexpr uint64_t kMaxHeader = 1 << 20;

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
  fail(ErrorKind::io, "bad-npy", "'" + name + "' is no valid .npy file: " + reason);
}

uint64_t little_endian(const uint8_t* bytes, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value |= uint64_t{bytes[i]} << (8 * i);
  return value;
}

/// A stream of known size that refuses to be read past its end.
struct NpyStream {
  uint64_t left;
  const ReadNext& read_next;
  const std::string& name;

  void read(void* to, uint64_t count, const char* part) {
    if (count > left)
      refuse(name, std::string("it ends within its ") + part);
    read_next(to, count);
    left -= count;
  }
};

NpyHeader read_header(NpyStream& stream) {
  uint8_t start[8] = {};
  stream.read(start, sizeof start, "first bytes");
  if (std::memcmp(start, kMagic.data(), kMagic.size()) != 0)
    refuse(stream.name, "it does not start with \\x93NUMPY");
  const int major = start[6];
  const int minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    refuse(stream.name, "expected version 1.0, 2.0 or 3.0, but got " + std::to_string(major) + "." +
                            std::to_string(minor));
  uint8_t length_bytes[4] = {};
  const int length_size = major == 1 ? 2 : 4;
  stream.read(length_bytes, static_cast<uint64_t>(length_size), "first bytes");
  const uint64_t length = little_endian(length_bytes, length_size);
  if (length > kMaxHeader)
    refuse(stream.name, "its header claims " + std::to_string(length) + " bytes");
  std::string text(length, '\0');
  stream.read(text.data(), length, "header");
  try {
    return parse_npy_header(text);
  } catch (const NpyHeaderError& error) {
    refuse(stream.name, error.reason);
  }
}

/// The header may lie: its byte count is compared with the file before anything is allocated.
void check_size(const NpyHeader& header, const NpyStream& stream) {
  int64_t size = 0;
  try {
    size = checked_size(header.dtype, header.shape);
  } catch (const Error& error) {
    refuse(stream.name, error.message());
  }
  const uint64_t bytes =
      static_cast<uint64_t>(size) * static_cast<uint64_t>(byte_width(header.dtype));
  if (bytes != stream.left)
    refuse(stream.name, "its header tells of " + std::to_string(bytes) +
                            " bytes of elements, but " + std::to_string(stream.left) + " follow");
}

/// A file may hold any byte; an Array's boolean is 0 or 1.
void clean_booleans(Array& array) {
  auto* data = static_cast<uint8_t*>(array.mutable_data());
  for (int64_t i = 0; i < array.size(); ++i)
    data[i] = data[i] != 0;
}

void swap_bytes(Array& array) {
  const int width = byte_width(array.dtype());
  auto* data = static_cast<std::byte*>(array.mutable_data());
  for (int64_t i = 0; i < array.size(); ++i)
    std::reverse(data + i * width, data + (i + 1) * width);
}

/// The elements in the file's order are the transpose's in row-major order.
Array from_fortran_order(const Array& array, const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides;
  int64_t stride = byte_width(array.dtype());
  for (int64_t extent : shape) {
    strides.push_back(stride);
    stride *= std::max<int64_t>(extent, 1);
  }
  return Array::copy_strided(array.dtype(), shape, array.data(), strides);
}

} // namespace

Array read_npy_stream(uint64_t size, const ReadNext& read_next, const std::string& name) {
  NpyStream stream = {size, read_next, name};
  const NpyHeader header = read_header(stream);
  check_size(header, stream);
  Array array = Array::uninitialized(header.dtype, header.shape);
  stream.read(array.mutable_data(), stream.left, "elements");
  if (header.dtype == DType::boolean)
    clean_booleans(array);
  if (header.big_endian)
    swap_bytes(array);
  if (header.fortran_order && array.rank() > 1)
    return from_fortran_order(array, header.shape);
  return array;
}

Array load(const std::string& path, CallLine here) {
  return located("load", here.line, [&] {
    const ByteSource source = ByteSource::open(path);
    uint64_t at = 0;
    auto read_next = [&](void* to, size_t count) {
      source.read_at(at, to, count);
      at += count;
    };
    return read_npy_stream(source.size(), read_next, path);
  });
}

Array read_npy(std::span<const std::byte> bytes, const std::string& name) {
  auto read_next = [&](void* to, size_t count) {
    std::copy_n(bytes.data(), count, static_cast<std::byte*>(to));
    bytes = bytes.subspan(count);
  };
  return read_npy_stream(bytes.size(), read_next, name);
}

NpyLayout npy_layout(const ByteSource& source) {
  uint64_t at = 0;
  const ReadNext read_next = [&](void* to, size_t count) {
    source.read_at(at, to, count);
    at += count;
  };
  NpyStream stream = {source.size(), read_next, source.name()};
  NpyHeader header = read_header(stream);
  check_size(header, stream);
  return {std::move(header), at};
}

std::string npy_header(const Array& array) { return npy_header(array.dtype(), array.shape()); }

std::string npy_header(DType dtype, const std::vector<int64_t>& shape) {
  std::string dict = npy_header_dict(dtype, shape);
  const bool is_long = dict.size() + kHeaderAlignment > 0xffff;
  const size_t length_size = is_long ? 4 : 2;
  const size_t start = kMagic.size() + 2 + length_size;
  dict.append(kHeaderAlignment - (start + dict.size() + 1) % kHeaderAlignment, ' ');
  dict += '\n';
  std::string header(kMagic);
  header += static_cast<char>(is_long ? 2 : 1);
  header += '\0';
  for (size_t i = 0; i < length_size; ++i)
    header += static_cast<char>(dict.size() >> (8 * i) & 0xff);
  return header + dict;
}

static void require_held(const Array& array) {
  if (!array)
    fail(ErrorKind::value, "empty-tensor", "expected an array, but got an empty handle");
}

void save(const std::string& path, const Array& array, CallLine here) {
  located("save", here.line, [&] {
    require_held(array);
    const std::string header = npy_header(array);
    AtomicFile file(path);
    file.write(header.data(), header.size());
    file.write(array.data(), static_cast<size_t>(array.byte_count()));
    file.commit();
  });
}

std::vector<std::byte> write_npy(const Array& array) {
  require_held(array);
  const std::string header = npy_header(array);
  std::vector<std::byte> bytes(header.size() + static_cast<size_t>(array.byte_count()));
  std::memcpy(bytes.data(), header.data(), header.size());
  if (array.size() > 0)
    std::memcpy(bytes.data() + header.size(), array.data(), bytes.size() - header.size());
  return bytes;
}

} // namespace kolam::runtime
