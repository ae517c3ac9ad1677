/// StaticList: a list whose length is part of its type.
#pragma once

#include "kolam/frontend/array/jit.h"
#include "kolam/frontend/fractal/fractal_tensor.h"

namespace kolam::fractal {

namespace detail {

/// Throws `[list-lengths]` unless all parts have `length` elements; of traced ones the run does.
/// `argument` is the number of the argument of a call that they are, or -1.
void require_static_length(const Parts& parts, int64_t length, int argument,
                           const SourceLocation& where);
/// `i`; throws `[list-index]` for a number that is no place in `length` elements.
const Operand& require_place(const Operand& i, int64_t length);

} // namespace detail

/// A list of n elements, such as the weights of layers.
///
///     jit([](StaticList<Tensor, 3> weights, Tensor x) {
///       for (Tensor w : weights) // three products, one after the other
///         x = tanh(matmul(x, w));
///       return x;
///     });
///
/// As an argument of what `jit` makes it takes lists of that length, which the program knows: a
/// loop over it is unrolled. Lists convert to it; where one has another length that throws
/// `[list-lengths]`, of a traced list when run. Lengths further in are data.
template <class E, int64_t n> class StaticList : public FractalTensor<E> {
  static_assert(n >= 0, "expected a length of 0 or more");
  using List = FractalTensor<E>;

public:
  /// The empty handle.
  StaticList() = default;
  StaticList(std::initializer_list<E> elements, Here where = Here::current())
      : StaticList(List(elements, where), where) {}
  StaticList(List list, Here where = Here::current()) : List(std::move(list)) {
    detail::require_static_length(this->parts(), n, -1,
                                  {where.file_name(), static_cast<int>(where.line())});
  }
  /// A list that is known to be of that length.
  static StaticList from_parts(detail::Parts parts) {
    StaticList list;
    static_cast<List&>(list) = List::from_parts(std::move(parts));
    return list;
  }

  /// The number of elements, also of a traced list.
  static constexpr int64_t size() { return n; }
  /// Element i, from the end where it is below 0. Throws `[list-index]`, of a traced i when run.
  E operator[](const Operand& i) const { return List::operator[](detail::require_place(i, n)); }

  /// Goes over the elements, also of a traced list: one after the other in the program.
  typename List::Cursor begin(Here where = Here::current()) const { return {this, 0, where}; }
  typename List::Cursor end(Here where = Here::current()) const { return {this, n, where}; }
};

namespace detail {

/// As an element of a list it keeps its length: reading one of another length throws
/// `[list-lengths]`, of a traced list when run.
template <class E, int64_t n> struct Element<StaticList<E, n>> : Element<FractalTensor<E>> {
  static StaticList<E, n> take(const Datum*& next) {
    return StaticList<E, n>(Element<FractalTensor<E>>::take(next));
  }
};
template <class E, int64_t n> struct Paths<StaticList<E, n>> : Paths<FractalTensor<E>> {};

/// What a function gives or carries is a list like any other.
template <class E, int64_t n> struct AsElement<StaticList<E, n>> {
  using Type = FractalTensor<E>;
  static Type convert(const StaticList<E, n>& value) { return value; }
};

} // namespace detail
} // namespace kolam::fractal

namespace kolam {

/// For `jit` the outermost length is part of the type.
template <class E, int64_t n> struct Pytree<fractal::StaticList<E, n>> {
  using List = fractal::StaticList<E, n>;
  static void flatten(const List& value, std::vector<Tensor>& leaves, std::string& structure) {
    fractal::detail::append_tensors(value.parts(), leaves, true);
    structure += "#,";
  }
  static List unflatten(const List& value, const Tensor*& leaves) {
    using Whole = fractal::FractalTensor<E>;
    return List::from_parts(Pytree<Whole>::unflatten(value, leaves).parts());
  }
};

namespace detail {

template <class E, int64_t n> struct Parameter<fractal::StaticList<E, n>> {
  using List = fractal::StaticList<E, n>;
  static List take(const fractal::FractalTensor<E>& given, int number,
                   const SourceLocation& where) {
    fractal::detail::require_static_length(given.parts(), n, number, where);
    return List::from_parts(given.parts());
  }
};

} // namespace detail
} // namespace kolam
