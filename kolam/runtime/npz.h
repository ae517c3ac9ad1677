/// NumPy's `.npz` files: ZIP archives of `.npy` files, one a name.
#pragma once

#include "kolam/runtime/array.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kolam::runtime {

struct NamedArray {
  std::string name;
  Array array;
};

/// Reads what numpy.savez and numpy.savez_compressed write (stored or deflated entries, ZIP64), in
/// the archive's order; names lose their `.npy`. Throws `[io-read]`, `[bad-npz]` where the archive
/// is malformed (every claim in it is checked before memory is taken for it, every checksum after),
/// and `[bad-npy]` where an entry is.
std::vector<NamedArray> load_npz(const std::string& path);
/// The same from memory; errors call it `name`.
std::vector<NamedArray> read_npz(std::span<const std::byte> bytes, const std::string& name);

/// Writes an uncompressed archive, whole or not at all. Throws `[io-write]`, and `[bad-name]` where
/// a name is empty, given twice, not UTF-8, or longer than 65000 bytes.
void save_npz(const std::string& path, const std::vector<NamedArray>& arrays);

} // namespace kolam::runtime
