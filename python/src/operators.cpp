// Python's operators on arrays and traced values.
#include "errors.h"
#include "known_call.h"
#include "modules.h"

namespace kolam::python {
namespace {

Tensor matrix_product(const Operand& x, const Operand& y) { return matmul(x, y); }

struct BinaryOperator {
  const char* name;
  const char* function;
  Tensor (*apply)(const Operand&, const Operand&);
  bool reflected = false;
};
struct UnaryOperator {
  const char* name;
  const char* function;
  Tensor (*apply)(const Operand&);
};

constexpr BinaryOperator kBinaryOperators[] = {
    {"__add__", "add", &add},
    {"__radd__", "add", &add, true},
    {"__sub__", "subtract", &subtract},
    {"__rsub__", "subtract", &subtract, true},
    {"__mul__", "multiply", &multiply},
    {"__rmul__", "multiply", &multiply, true},
    {"__truediv__", "divide", &divide},
    {"__rtruediv__", "divide", &divide, true},
    {"__floordiv__", "floor_divide", &floor_divide},
    {"__rfloordiv__", "floor_divide", &floor_divide, true},
    {"__mod__", "remainder", &remainder},
    {"__rmod__", "remainder", &remainder, true},
    {"__pow__", "pow", &pow},
    {"__rpow__", "pow", &pow, true},
    {"__matmul__", "matmul", &matrix_product},
    {"__rmatmul__", "matmul", &matrix_product, true},
    {"__and__", "bitwise_and", &bitwise_and},
    {"__rand__", "bitwise_and", &bitwise_and, true},
    {"__or__", "bitwise_or", &bitwise_or},
    {"__ror__", "bitwise_or", &bitwise_or, true},
    {"__xor__", "bitwise_xor", &bitwise_xor},
    {"__rxor__", "bitwise_xor", &bitwise_xor, true},
    {"__lshift__", "bitwise_left_shift", &bitwise_left_shift},
    {"__rlshift__", "bitwise_left_shift", &bitwise_left_shift, true},
    {"__rshift__", "bitwise_right_shift", &bitwise_right_shift},
    {"__rrshift__", "bitwise_right_shift", &bitwise_right_shift, true},
    {"__lt__", "less", &less},
    {"__le__", "less_equal", &less_equal},
    {"__gt__", "greater", &greater},
    {"__ge__", "greater_equal", &greater_equal},
    {"__eq__", "equal", &equal},
    {"__ne__", "not_equal", &not_equal},
};
constexpr UnaryOperator kUnaryOperators[] = {{"__neg__", "negative", &negative},
                                             {"__abs__", "abs", &abs},
                                             {"__invert__", "bitwise_invert", &bitwise_invert}};

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

/// Another type's operator gets its turn where `other` is no array.
nb::object make_operator(const BinaryOperator& op, nb::handle self, nb::handle other) {
  UserCall scope(op.function);
  auto right = try_operand(other, op.reflected ? "x" : "y");
  if (!right)
    return not_implemented();
  Operand left = to_operand(self, op.reflected ? "y" : "x");
  return to_python(
      released([&] { return op.reflected ? op.apply(*right, left) : op.apply(left, *right); }));
}

nb::object apply_operator(const BinaryOperator& op, nb::handle self, nb::handle other) {
  return known_or_made(&op, {self, other}, [&] { return make_operator(op, self, other); });
}

nb::object make_operator(const UnaryOperator& op, nb::handle self) {
  UserCall scope(op.function);
  Operand x = to_operand(self, "x");
  return to_python(released([&] { return op.apply(x); }));
}

nb::object apply_operator(const UnaryOperator& op, nb::handle self) {
  return known_or_made(&op, {self}, [&] { return make_operator(op, self); });
}

template <class T> void bind_operators_of(nb::class_<T>& type) {
  for (const BinaryOperator& op : kBinaryOperators)
    type.def(
        op.name,
        [&op](nb::handle self, nb::handle other) { return apply_operator(op, self, other); },
        nb::arg("other").none());
  for (const UnaryOperator& op : kUnaryOperators)
    type.def(op.name, [&op](nb::handle self) { return apply_operator(op, self); });
  type.def("__pos__", [](nb::handle self) { return nb::borrow(self); });
  type.attr("__hash__") = nb::none(); // == gives an array
}

} // namespace

void bind_operators(nb::class_<Array>& type) { bind_operators_of(type); }
void bind_operators(nb::class_<Traced>& type) { bind_operators_of(type); }

} // namespace kolam::python
