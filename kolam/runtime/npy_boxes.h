/// Boxes of arrays in `.npy` files, read and written one by one.
#pragma once

#include "kolam/runtime/array.h"
#include "kolam/runtime/file.h"

#include <mutex>
#include <string>
#include <vector>

namespace kolam::runtime {

/// An array in a `.npy` file, of which boxes are read. May be used by several threads at once.
class NpyReader {
public:
  /// Reads the header. Throws `[io-read]` and `[bad-npy]` as `load`.
  explicit NpyReader(const std::string& path);

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  /// The elements from `start`, of `shape`; the box lies inside. Throws `[io-read]`, also where the
  /// file changed its size meanwhile.
  Array read(const std::vector<int64_t>& start, const std::vector<int64_t>& shape) const;

private:
  ByteSource source_;
  DType dtype_ = DType::f32;
  std::vector<int64_t> shape_;
  uint64_t first_ = 0; ///< where elements start
  bool big_endian_ = false, fortran_order_ = false;
};

/// A `.npy` file that is written box by box and appears under its name when all is there. May be
/// used by several threads at once.
class NpyWriter {
public:
  /// Makes room for all elements. Throws `[io-write]`, also where the disk has not so much.
  NpyWriter(const std::string& path, DType dtype, std::vector<int64_t> shape);
  /// The box from `start` that the array is; it lies inside. Throws `[io-write]`.
  void write(const std::vector<int64_t>& start, const Array& box);
  /// The file appears. The caller has written every element.
  void commit();

private:
  std::mutex mutex_; ///< guards the file
  AtomicFile file_;
  std::vector<int64_t> shape_;
  uint64_t first_ = 0;
};

} // namespace kolam::runtime
