// Elements found by what they are: places, different values, membership.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

template <> struct FromPython<Side> : Converted<Side> {
  FromPython(nb::handle object, const char* argument) {
    auto name = FromPython<std::string>(object, argument).get();
    if (name != "left" && name != "right")
      fail_argument(ErrorKind::value, "unknown-mode", argument, "'left' or 'right'", object);
    value = name == "left" ? Side::left : Side::right;
  }
};

namespace {

using Sizes = std::optional<Extent>;

template <class R>
void bind_nonzero(nb::module_& module, const char* name,
                  R (*find)(const Operand&, const NonzeroOptions&)) {
  bind(module, name, "x, size=None, fill_value=0",
       [find](const Operand& x, const Sizes& size, const std::vector<int64_t>& fill_value) {
         return find(x, {size, fill_value});
       });
}

template <class R>
void bind_unique(nb::module_& module, const char* name,
                 R (*find)(const Operand&, const UniqueOptions&)) {
  bind(module, name, "x, size=None, fill_value=None, equal_nan=False",
       [find](const Operand& x, const Sizes& size, const std::optional<Operand>& fill_value,
              bool equal_nan) {
         R found = find(x, {size, fill_value, equal_nan});
         if constexpr (std::is_same_v<R, Tensor>)
           return found;
         else
           return std::apply([](const auto&... parts) { return std::vector<Tensor>{parts...}; },
                             fields(found));
       });
}

} // namespace

void bind_search(nb::module_& module) {
  bind_nonzero(module, "argwhere", &argwhere);
  bind_nonzero(module, "flatnonzero", &flatnonzero);
  bind_nonzero(module, "nonzero", &nonzero);
  bind(module, "isin", "x, values, assume_unique=False, invert=False",
       [](const Operand& x, const Operand& values, bool, bool invert) {
         return isin(x, values, invert);
       });
  bind(module, "searchsorted", &searchsorted);
  bind_unique(module, "unique_all", &unique_all);
  bind_unique(module, "unique_counts", &unique_counts);
  bind_unique(module, "unique_inverse", &unique_inverse);
  bind_unique(module, "unique_values", &unique_values);
  bind(module, "can_cast", &can_cast);
  bind(module, "result_type", "*operands", [](const std::vector<Operand>& operands) {
    return static_cast<int64_t>(result_type(operands)); // its number; Python has the object
  });
}

} // namespace kolam::python
