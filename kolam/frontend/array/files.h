/// Arrays in files of NumPy: `.npy` holds one, `.npz` several by name.
#pragma once

#include "kolam/frontend/array/tensor.h"
#include "kolam/runtime/npy.h"
#include "kolam/runtime/npz.h"

#include <map>
#include <source_location>
#include <string>

namespace kolam {

using runtime::load;
using runtime::NamedArray;
using runtime::save;

/// A name that is looked up, with the user's line.
struct ArrayName {
  template <std::convertible_to<std::string> Text>
  ArrayName(Text&& name, std::source_location here = std::source_location::current())
      : text(std::forward<Text>(name)), line(here) {}
  std::string text;
  std::source_location line;
};

/// What an archive holds: a `std::map` from names to arrays, which refuses names that are not
/// there.
///
///     auto weights = kolam::load_npz("weights.npz");
///     y = layer(x, weights["w"], weights["b"]);
class NamedArrays : public std::map<std::string, Array> {
public:
  using std::map<std::string, Array>::map;

  /// The array of that name. Throws `[unknown-name]`, which lists the names that there are.
  const Array& at(const ArrayName& name) const;
  const Array& operator[](const ArrayName& name) const { return at(name); }
};

/// Reads a `.npz` archive (runtime/npz.h). Throws `[io-read]`, `[bad-npz]`, `[bad-npy]`.
NamedArrays load_npz(const std::string& path,
                     std::source_location here = std::source_location::current());
/// Writes one. Throws `[io-write]`, `[bad-name]`, and `[empty-tensor]` for an empty handle.
void save_npz(const std::string& path, const std::map<std::string, Array>& arrays,
              std::source_location here = std::source_location::current());

} // namespace kolam
