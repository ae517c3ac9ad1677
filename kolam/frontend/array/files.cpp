// Reads and writes files of NumPy in the user's name.
#include "kolam/frontend/array/files.h"

namespace kolam {

const Array& NamedArrays::at(const ArrayName& name) const {
  auto found = find(name.text);
  if (found != end())
    return found->second;
  std::string names;
  for (const auto& [known, array] : *this)
    names += (names.empty() ? "'" : ", '") + known + "'";
  CallScope scope("load_npz", user_line(name.line));
  fail(ErrorKind::index, "unknown-name",
       "expected the name of an array of the archive, one of " + (names.empty() ? "none" : names) +
           ", but got '" + name.text + "'");
}

NamedArrays load_npz(const std::string& path, std::source_location here) {
  return located("load_npz", here, [&] {
    NamedArrays arrays;
    for (NamedArray& entry : runtime::load_npz(path))
      arrays.emplace(std::move(entry.name), std::move(entry.array));
    return arrays;
  });
}

void save_npz(const std::string& path, const std::map<std::string, Array>& arrays,
              std::source_location here) {
  located("save_npz", here, [&] {
    std::vector<NamedArray> entries;
    for (const auto& [name, array] : arrays)
      entries.push_back({name, array});
    runtime::save_npz(path, entries);
  });
}

} // namespace kolam
