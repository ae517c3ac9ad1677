// Finds the vmap that a name means, and records reductions over its instances.
#include "kolam/frontend/array/collectives.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/bound_axes.h"
#include "kolam/frontend/array/control.h"
#include "kolam/language/collective.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

namespace kolam {
namespace detail {
namespace {

thread_local std::vector<const BoundAxis*> bound_axes; // the innermost last

} // namespace

BoundAxis::BoundAxis(Trace& trace, std::string name, Tensor index, Extent size)
    : trace_(&trace), name_(std::move(name)), index_(std::move(index)), size_(std::move(size)) {
  bound_axes.push_back(this);
}

BoundAxis::~BoundAxis() { bound_axes.pop_back(); }

bool BoundAxis::any() {
  return llvm::any_of(bound_axes,
                      [](const BoundAxis* axis) { return axis->trace_ == Trace::current(); });
}

const BoundAxis& BoundAxis::find(const std::string& name) {
  std::string known;
  for (const BoundAxis* axis : llvm::reverse(bound_axes)) {
    if (axis->trace_ != Trace::current() || axis->name_.empty())
      continue;
    if (axis->name_ == name)
      return *axis;
    known += (known.empty() ? "'" : ", '") + axis->name_ + "'";
  }
  fail(ErrorKind::value, "unbound-axis",
       "expected the name of a vmap around, but got '" + name + "'; " +
           (known.empty() ? "vmap(f, axis_name='" + name + "') binds it"
                          : "those around bind " + known));
}

namespace {

/// Throws in a body over single elements, which holds no ops on whole arrays.
void require_program() {
  if (Trace* trace = Trace::current(); trace && trace->kind() == BodyKind::cells)
    fail(ErrorKind::value, "pattern-body",
         "expected no reduction over instances in a body over single elements, but got one; call "
         "it around the pattern");
}

language::Value over(language::Builder& b, language::Value x, Fn fn, const AxisNames& names) {
  if (llvm::isa<ir::ListType>(x.getType()))
    fail(ErrorKind::type, "not-an-array", "argument 'x': expected an array, but got a list");
  if (ir::dtype_of(x) == DType::boolean)
    x = language::cast(b, x, DType::i32);
  for (const std::string& name : names.names()) {
    BoundAxis::find(name);
    x = language::collective(b, x, fn, name);
  }
  return x;
}

Tensor reduced(std::string_view function, const Operand& x, Fn fn, const AxisNames& names) {
  CallScope scope(function, x.where());
  require_program();
  for (const std::string& name : names.names())
    BoundAxis::find(name);
  return apply_traced(function, std::span(&x, 1),
                      [&](Trace& trace, const language::Values& values) {
                        return language::Values{over(trace.builder(), values[0], fn, names)};
                      })[0];
}

} // namespace
} // namespace detail

Tensor axis_index(const std::string& axis_name, Operand::Here where) {
  CallScope scope("axis_index", detail::to_location(where));
  return detail::BoundAxis::find(axis_name).index();
}

Extent axis_size(const AxisNames& axis_name, Operand::Here where) {
  CallScope scope("axis_size", detail::to_location(where));
  Extent size = 1;
  for (const std::string& name : axis_name.names())
    size = size * detail::BoundAxis::find(name).size();
  return size;
}

Tensor psum(const Operand& x, const AxisNames& axis_name) {
  return detail::reduced("psum", x, Fn::add, axis_name);
}

Tensor pmean(const Operand& x, const AxisNames& axis_name) {
  CallScope scope("pmean", x.where());
  Tensor sum = detail::reduced("pmean", x, Fn::add, axis_name);
  const Extent size = axis_size(axis_name);
  return apply_one("pmean", {sum}, [&](language::Builder& b, const language::Values& values) {
    const DType dtype = ir::dtype_of(values[0]);
    const DType wide = is_float(dtype) ? dtype : DType::f32;
    language::Value count = language::extent_scalar(b, size, wide);
    return language::elementwise(b, Fn::divide, {language::cast(b, values[0], wide), count});
  });
}

Tensor pmin(const Operand& x, const AxisNames& axis_name) {
  return detail::reduced("pmin", x, Fn::minimum, axis_name);
}

Tensor pmax(const Operand& x, const AxisNames& axis_name) {
  return detail::reduced("pmax", x, Fn::maximum, axis_name);
}

} // namespace kolam
