// Runs programs on behalf of Python.
#include "run_program.h"

#include <type_traits>

namespace kolam::python {

Backend backend_from(const std::string& name) {
  if (name == "cpu")
    return Backend::cpu;
  if (name == "interpret")
    return Backend::interpret;
  if (name == "schedule")
    return Backend::schedule;
  fail(ErrorKind::value, "unknown-backend",
       "argument 'backend': expected 'cpu', 'interpret' or 'schedule', but got '" + name + "'");
}

/// Whether a short program is done with them before the interpreter's lock would change hands.
static bool holds_little(const std::vector<Array>& arrays) {
  constexpr int64_t kLittle = 4096; // bound: bytes
  int64_t bytes = 0;
  for (const Array& array : arrays)
    bytes += array.byte_count();
  return bytes <= kLittle;
}

std::vector<Array> run_program(const Program& program, std::vector<Array>& arrays, Backend on) {
  auto run = [&] { return program.run_emptying(arrays, on); };
  // Long ones release the interpreter's lock by themselves.
  return located("jit", [&] {
    if (!program.is_short(on))
      return run();
    if (!holds_little(arrays))
      return released(run);
    count_thread();
    check_signals();
    if (has_warnings())
      give_warnings();
    return run();
  });
}

std::optional<Array> wide_scalar(nb::handle object) {
  if (PyBool_Check(object.ptr()))
    return std::nullopt;
  auto scalar = try_scalar(object, "");
  if (!scalar)
    return std::nullopt;
  return std::visit(
      [](const auto& value) -> std::optional<Array> {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
          return Array::scalar(value);
        else
          return std::nullopt;
      },
      scalar->value());
}

std::string fitting_dtypes(const Array& wide, const Operand& scalar) {
  std::string fitting;
  for (DType dtype : kDTypes)
    if (is_float(dtype) || !is_float(wide.dtype()))
      fitting += scalar_fits(scalar, dtype) ? '1' : '0';
  return fitting;
}

} // namespace kolam::python
