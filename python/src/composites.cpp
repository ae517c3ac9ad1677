// Functions that are written over other array functions.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

void bind_composites(nb::module_& module) {
  bind(module, "allclose", &allclose);
  bind(module, "array_equal", &array_equal);
  bind(module, "atleast_3d", &atleast_3d);
  bind(module, "bartlett", &bartlett);
  bind(module, "blackman", &blackman);
  bind(module, "convolve", &convolve);
  bind(module, "correlate", &correlate);
  bind(module, "cross", &cross);
  bind(module, "divmod", &divmod);
  bind(module, "gradient", "x, *spacing, axis=None",
       // The handle says that the function makes objects of Python, for which it holds the lock.
       [](const Operand& x, const std::vector<double>& spacing, nb::handle axis) -> nb::object {
         Axis axes = FromPython<Axis>(axis, "axis").get();
         std::vector<Tensor> results = released([&] { return gradient(x, spacing, axes); });
         if (results.size() == 1)
           return to_python(std::move(results[0]));
         return nb::tuple(to_list(results));
       });
  bind(module, "hamming", &hamming);
  bind(module, "hanning", &hanning);
  bind(module, "isclose", &isclose);
  bind(module, "kron", &kron);
  bind(module, "polyval", &polyval);
  bind(module, "ravel", &ravel);
  bind(module, "rot90", "x, k=1, axes=(0, 1)",
       [](const Operand& x, int64_t k, const Axes& axes) { return rot90(x, k, axes); });
  bind(module, "trapezoid", "y, x=None, dx=1.0, axis=-1",
       [](const Operand& y, const std::optional<Operand>& x, const Operand& dx, int64_t axis) {
         return trapezoid(y, x, dx, axis);
       });
  bind(module, "tri", "n, m=None, k=0, dtype=None",
       [](const Extent& n, const std::optional<Extent>& m, int64_t k, std::optional<DType> dtype) {
         return tri(n, m, k, dtype.value_or(DType::f32));
       });
  bind(module, "unravel_index", &unravel_index);
  bind(module, "vander", &vander);
}

} // namespace kolam::python
