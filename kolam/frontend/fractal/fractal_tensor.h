/// FractalTensor: a nested ragged list of equal tensors, or of tuples of them.
#pragma once

#include "kolam/frontend/fractal/access.h"
#include "kolam/frontend/fractal/element.h"

#include <initializer_list>
#include <ostream>
#include <string>

namespace kolam::fractal {

using Here = std::source_location;

namespace detail {

/// What a FractalTensor prints: its type and elements, for each part with the path that reaches it.
std::string to_string(const Parts& parts, const std::vector<std::string>& paths);
/// How the list of each part lies in memory. Throws `[traced-value]`.
std::string picture(const Parts& parts, const std::vector<std::string>& paths);
std::string as_dot(const Parts& parts);
/// Equal types, lengths and leaves. Throws `[traced-value]`.
bool equal(const Parts& a, const Parts& b);
/// Says how each part is reached, where there are several.
void set_paths(Parts& parts, const std::vector<std::string>& paths);
/// The only part, of a list with elements. Throws `[traced-value]`.
const runtime::List& host(const Parts& parts, Here where);
/// Throws `[empty-tensor]` where there are no parts.
const Parts& require_parts(const Parts& parts);
/// The list of elements by their parts, one row an element. Throws `[list-type]`, with the path of
/// the part that is of another type than that of the first element.
Parts list_of_rows(const std::vector<Data>& rows, const std::vector<std::string>& paths,
                   Here where);
/// Throws `[list-depth]` unless there are offsets for a list of `depth`.
List from_offsets(const Array& values, const std::vector<Array>& offsets, int64_t depth,
                  Here where);
std::pair<Array, std::vector<Array>> to_offsets(const List& list, DType dtype, Here where);
std::vector<int64_t> widths(const runtime::List& list, int64_t d, int64_t depth, Here where);
/// The same as a list, which may be traced.
List width_by_depth(const Parts& xs, int64_t d, int64_t depth, Here where = Here::current());

/// `[0]`, `[1][0]`: how the parts of an element are reached; `[:]` stands for a list of tuples.
template <class E> struct Paths {
  static void append(const std::string& path, std::vector<std::string>& paths) {
    if constexpr (HasFields<E>)
      Paths<typename Element<E>::Tuple>::append(path, paths);
    else
      paths.push_back(path);
  }
};
template <class E> struct Paths<FractalTensor<E>> {
  static void append(const std::string& path, std::vector<std::string>& paths) {
    constexpr bool is_one = Element<E>::kDepths.size() == 1;
    Paths<E>::append(is_one ? path : path + "[:]", paths);
  }
};
template <class... E> struct Paths<std::tuple<E...>> {
  static void append(const std::string& path, std::vector<std::string>& paths) {
    size_t number = 0;
    (Paths<E>::append(path + "[" + std::to_string(number++) + "]", paths), ...);
  }
};
template <class A, class B> struct Paths<std::pair<A, B>> : Paths<std::tuple<A, B>> {};
template <class E, size_t n> struct Paths<std::array<E, n>> {
  static void append(const std::string& path, std::vector<std::string>& paths) {
    for (size_t number = 0; number < n; ++number)
      Paths<E>::append(path + "[" + std::to_string(number) + "]", paths);
  }
};

} // namespace detail

/// A list of tensors, of lists as deep as you like, or of tuples of these, with elements or, inside
/// `jit`, as a value of the running program.
///
///     FractalTensor<Tensor> xs{a, b};                          // arrays of one dtype and shape
///     FractalTensor<FractalTensor<Tensor>> xss{{a, b}, {c}};
///     auto yss = list<int>({{0, 1, 2}, {}, {3, 4}});           // of scalars
///
/// E is a Tensor, a FractalTensor, or a tuple, pair, array or struct (with `fields(x)`, pytree.h)
/// of these. Depth, dtype and shape of the leaves are known in all cases; lengths may differ, and
/// are no part of the type. A list of tuples is kept as a tuple of lists, its parts. The leaves lie
/// in one buffer without padding; an element of a list with elements is a view. A value never
/// changes.
template <class E> class FractalTensor {
  static constexpr auto kDepths = detail::Element<E>::kDepths;

public:
  using Element = E;

  /// The empty handle: it has no type and no elements.
  FractalTensor() = default;
  /// The list of elements, at least one, copied. Throws `[list-type]` where their dtypes or shapes
  /// differ, naming the first that does.
  FractalTensor(std::initializer_list<E> elements, Here where = Here::current())
      : FractalTensor(std::vector<E>(elements), where) {}
  explicit FractalTensor(const std::vector<E>& elements, Here where = Here::current()) {
    std::vector<Data> rows;
    for (const E& element : elements)
      rows.push_back(detail::to_data(element));
    parts_ = detail::list_of_rows(rows, paths(), where);
  }

  /// The list of the rows of `values`, [n, leaf...], without a copy; with offsets, outermost first
  /// as Arrow has them, a nested one: list j has the elements offsets[j] to offsets[j + 1]. int64,
  /// or int32, which is copied. Throws `[list-offsets]`.
  static FractalTensor from_offsets(const Array& values, const std::vector<Array>& offsets = {},
                                    Here where = Here::current())
    requires(kDepths.size() == 1)
  {
    return from_parts({detail::from_offsets(values, offsets, kDepths[0] + 1, where)});
  }
  /// The opposite: the leaves, a view, and the offsets of levels 1, 2, ... from 0 on, int64 or
  /// int32. Throws `[list-offsets]` where int32 does not hold one, and `[argument-type]`.
  std::pair<Array, std::vector<Array>> to_offsets(DType index_dtype = DType::i64,
                                                  Here where = Here::current()) const
    requires(kDepths.size() == 1)
  {
    return detail::to_offsets(parts_[0], index_dtype, where);
  }
  /// A list without elements.
  static FractalTensor empty(DType dtype, const std::vector<int64_t>& leaf_shape)
    requires(kDepths.size() == 1)
  {
    return from_parts({List(runtime::List::empty({kDepths[0] + 1, dtype, leaf_shape}))});
  }
  static FractalTensor from_parts(detail::Parts parts) {
    FractalTensor list;
    detail::set_paths(parts, paths());
    list.parts_ = std::move(parts);
    return list;
  }

  bool is_empty() const { return parts_.empty(); }
  bool is_traced() const { return !is_empty() && parts_[0].is_traced(); }
  /// The lists of the parts of its elements. Throws `[empty-tensor]`.
  const detail::Parts& parts() const { return detail::require_parts(parts_); }

  /// How many lists lie around a tensor or a tuple.
  static constexpr int64_t depth() {
    if constexpr (requires { E::depth(); })
      return 1 + E::depth();
    else
      return 1;
  }
  DType dtype() const
    requires(kDepths.size() == 1)
  {
    return parts()[0].dtype();
  }
  /// The shape of a leaf.
  Shape leaf_shape() const
    requires(kDepths.size() == 1)
  {
    return parts()[0].leaf_shape();
  }
  /// Leaves, offsets and lengths. Throws `[traced-value]`.
  const runtime::List& host(Here where = Here::current()) const
    requires(kDepths.size() == 1)
  {
    return detail::host(parts(), where);
  }
  /// The number of elements; of a traced list `length` tells it. Throws `[traced-value]`.
  int64_t size(Here where = Here::current()) const { return detail::host(parts(), where).size(); }
  /// The lengths of all lists of depth d: 1 for the innermost ones, up to `depth()`; -1 for the
  /// outermost; of a traced list `fractal::width_by_depth` tells them. Throws `[list-depth]`,
  /// `[traced-value]`.
  std::vector<int64_t> width_by_depth(int64_t d, Here where = Here::current()) const {
    return detail::widths(detail::host(parts(), where), d, depth(), where);
  }
  /// The lengths of the elements, which are lists.
  std::vector<int64_t> lengths(Here where = Here::current()) const
    requires(depth() > 1)
  {
    return width_by_depth(-2, where);
  }

  /// The number of leaves: tensors in lists of any depth; of a traced list `fractal::numel` tells
  /// it. Throws `[traced-value]`.
  int64_t numel(Here where = Here::current()) const
    requires(kDepths.size() == 1)
  {
    return detail::host(parts(), where).leaf_count();
  }

  /// Element i, from the end where it is below 0; i may be traced. Throws `[list-index]`.
  E operator[](const Operand& i) const { return detail::from_data<E>(detail::index(parts(), i)); }

  /// Goes over the elements of a list that has them.
  struct Cursor {
    const FractalTensor* list;
    int64_t place;
    Here where;
    E operator*() const { return (*list)[Operand(place, where)]; }
    Cursor& operator++() {
      ++place;
      return *this;
    }
    friend bool operator==(const Cursor& a, const Cursor& b) {
      return a.list == b.list && a.place == b.place;
    }
  };
  /// Throws `[traced-value]`.
  Cursor begin(Here where = Here::current()) const {
    size(where);
    return {this, 0, where};
  }
  Cursor end(Here where = Here::current()) const { return {this, size(where), where}; }

  /// Its type, and its elements as nested brackets.
  std::string to_string() const { return detail::to_string(parts(), paths()); }
  /// How it lies in memory: offsets, the tree of its lists and the one buffer of leaves, for each
  /// part. Throws `[traced-value]`.
  std::string picture() const { return detail::picture(parts(), paths()); }
  /// The same in graphviz's language: a graph for each part.
  std::string as_dot() const { return detail::as_dot(parts()); }
  friend std::ostream& operator<<(std::ostream& out, const FractalTensor& list) {
    return out << list.to_string();
  }
  /// Equal types, lengths and leaves: -0 equals 0, NaN equals nothing. Throws `[traced-value]`.
  friend bool operator==(const FractalTensor& a, const FractalTensor& b) {
    return detail::equal(a.parts(), b.parts());
  }

private:
  static std::vector<std::string> paths() {
    std::vector<std::string> paths;
    detail::Paths<E>::append("", paths);
    return paths;
  }

  detail::Parts parts_;
};

/// What `zip` gives: lists of one length, read as a list of tuples.
///
/// A function that gives one makes `map` give a tuple of lists of lists. Unpacking gives the lists
/// back: `auto [xs, ys] = zip(xs, ys)`.
template <class... E> class Iterator : public FractalTensor<std::tuple<E...>> {
public:
  Iterator() = default;
  explicit Iterator(FractalTensor<std::tuple<E...>> list)
      : FractalTensor<std::tuple<E...>>(std::move(list)) {}

  /// The lists that were zipped.
  std::tuple<FractalTensor<E>...> components() const {
    return detail::from_data<std::tuple<FractalTensor<E>...>>(
        Data(this->parts().begin(), this->parts().end()));
  }
  operator std::tuple<FractalTensor<E>...>() const { return components(); }
  template <size_t i> FractalTensor<std::tuple_element_t<i, std::tuple<E...>>> get() const {
    return std::get<i>(components());
  }
};

/// A nested list of scalars of a type.
///
///     list<int>({{0, 1, 2}, {}, {3, 4}})   is a   FractalTensor<FractalTensor<Tensor>>
template <class T> FractalTensor<Tensor> list(std::initializer_list<T> values) {
  return FractalTensor<Tensor>::from_offsets(Array::of<T>(std::vector<T>(values)));
}
template <class T>
FractalTensor<FractalTensor<Tensor>> list(std::initializer_list<std::initializer_list<T>> rows) {
  std::vector<T> values;
  std::vector<int64_t> offsets{0};
  for (const auto& row : rows) {
    values.insert(values.end(), row.begin(), row.end());
    offsets.push_back(static_cast<int64_t>(values.size()));
  }
  return FractalTensor<FractalTensor<Tensor>>::from_offsets(Array::of<T>(values),
                                                            {Array::of<int64_t>(offsets)});
}

namespace detail {

/// The tensors of lists, their leaves and offsets, one list after the other; where traced lists
/// have other lengths the run raises `[list-lengths]`. Which extents data count is marked, but for
/// the outermost length where that is `is_static`.
void append_tensors(const Parts& parts, std::vector<Tensor>& tensors, bool is_static = false);
/// The list of `depth` that the next tensors hold.
List take_list(int64_t depth, const Tensor*& next);

} // namespace detail
} // namespace kolam::fractal

namespace kolam {

/// For `jit` lists are their leaves and offsets; lengths are data.
template <class E> struct Pytree<fractal::FractalTensor<E>> {
  using List = fractal::FractalTensor<E>;
  static void flatten(const List& value, std::vector<Tensor>& leaves, std::string& structure) {
    fractal::detail::append_tensors(value.parts(), leaves);
    structure += "#,";
  }
  static List unflatten(const List&, const Tensor*& leaves) {
    fractal::detail::Parts parts;
    for (int64_t depth : fractal::detail::Element<List>::kDepths)
      parts.push_back(fractal::detail::take_list(depth, leaves));
    return List::from_parts(std::move(parts));
  }
};
template <class... E> struct Pytree<fractal::Iterator<E...>> {
  using Whole = Pytree<fractal::FractalTensor<std::tuple<E...>>>;
  static void flatten(const fractal::Iterator<E...>& value, std::vector<Tensor>& leaves,
                      std::string& structure) {
    Whole::flatten(value, leaves, structure);
  }
  static fractal::Iterator<E...> unflatten(const fractal::Iterator<E...>& value,
                                           const Tensor*& leaves) {
    return fractal::Iterator<E...>(Whole::unflatten(value, leaves));
  }
};

} // namespace kolam

template <class... E>
struct std::tuple_size<kolam::fractal::Iterator<E...>>
    : std::integral_constant<size_t, sizeof...(E)> {};
template <size_t i, class... E> struct std::tuple_element<i, kolam::fractal::Iterator<E...>> {
  using type = kolam::fractal::FractalTensor<std::tuple_element_t<i, std::tuple<E...>>>;
};
