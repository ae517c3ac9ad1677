/// Refs as indices into arrays that are values.
#pragma once

#include "kolam/analysis/ranges.h"
#include "kolam/ir/kernels.h"
#include "kolam/language/builder.h"

#include <memory>
#include <optional>
#include <vector>

namespace kolam::transform::kernels {

using analysis::Range;
using analysis::Ranges;

using language::Builder;
using language::Value;
using language::Values;

/// A coordinate of an array as a function of the index of a view: base + offset + sum over the
/// terms of step * index[dim], or where that does not say it the elements of a tensor.
struct Coordinate {
  struct Term {
    int64_t dim, step;
  };
  Value base; ///< an i64 scalar; null: 0
  int64_t offset = 0;
  std::vector<Term> terms;
  Value table; ///< of the view's shape, i64, and all there is
};

struct View;

/// Boxes of an array at places that data give: [..., one of each of dims] of i64, and their sizes.
struct Windows {
  Value places; ///< null: none
  std::vector<int64_t> dims, lengths;
  /// The view whose elements `indices` name along `named`. Views are values; one of a view holds
  /// that one.
  std::shared_ptr<const View> of = nullptr;
  Value indices = {};
  std::vector<int64_t> named = {};
};

/// A Ref: the element at index i is the array's at `at`(i).
struct View {
  int array = 0;                 ///< its number
  mlir::DenseElementsAttr pad{}; ///< what is read outside, a scalar
  DType dtype;                   ///< of the view: as wide as the array's
  Shape shape;
  std::vector<Coordinate> at; ///< by dim of the array
  /// Where an element is one of the array's, a tensor of the view's shape; null: everywhere. Others
  /// are read as the pad value and not written.
  Value inside;
  /// Whether `inside` says no more than that all coordinates lie in the array.
  bool is_by_place = false;
  /// A scalar: whether all elements are the array's; null where `inside` alone says so.
  Value is_inside = {};
  /// Where the Ref that an index is of has the element; null: everywhere. For checks.
  Value in_ref = {};
  mlir::DenseElementsAttr tail = {}; ///< what is read outside of the array; null: the pad value
  Windows windows = {}; ///< where all elements are the array's, the view is these, one by one
  int name = -1;        ///< of its root, among the names of Refs; -1: none
};

/// One of several views: the first whose condition holds, a scalar; that of the last is null.
struct Choice {
  Value holds;
  View view;
};
using Views = std::vector<Choice>;

/// Boxes that reach out of an array are read from it with a margin of pad values: those of one
/// place, or also those that loops move.
enum class Margins : uint8_t { of_one_place, of_all_places };

/// Reads and changes arrays, which are values, through views.
class Arrays {
public:
  Arrays(Builder& b, Ranges& ranges) : b(b), ranges_(ranges) {}

  void set_margins(Margins margins) { margins_ = margins; }

  /// A new array.
  int add(Value elements);
  Value& value(int array) { return arrays_[static_cast<size_t>(array)]; }
  /// All of its elements. `pad` is a scalar of its dtype.
  View whole(int array, mlir::DenseElementsAttr pad);

  View sliced(const View& view, const Values& starts, llvm::ArrayRef<int64_t> steps,
              const Shape& shape);
  View gathered(const View& view, Value indices, llvm::ArrayRef<int64_t> dims, const Shape& shape);
  View reshaped(const View& view, const Shape& shape);
  View transposed(const View& view, llvm::ArrayRef<int64_t> permutation);

  /// Where both hold; null holds everywhere.
  Value both(Value x, Value y);
  /// Null masks hold everywhere.
  Value read(const View& view, Value mask, Value other);
  void write(const View& view, Value elements, Value mask);
  /// The elements before; null where nobody needs them.
  Value update(const View& view, llvm::StringRef kind, Value elements, Value compare, Value mask,
               bool needs_old);

private:
  bool has_all(const View& view, int64_t dim);
  bool is_whole(const View& view);
  /// A view as a box of its array, and its dims.
  struct Box {
    Values starts;
    Shape sizes;
    std::vector<int64_t> steps;
    std::vector<int64_t> dims; ///< of the view, as the array's dims have them
  };
  std::optional<Box> box_of(const View& view);
  Value read_box(const View& view, const Box& box);
  Value read_box(const View& view, const Box& box, Value elements);
  Value column(Value indices, int64_t number);
  /// Whether all elements that indices name are a view's, a scalar.
  Value all_within(const View& view, Value indices, llvm::ArrayRef<int64_t> dims);
  /// The windows that a gather of a box takes; none where it is something else.
  Windows windows_of(const View& view, Value indices, llvm::ArrayRef<int64_t> dims);
  /// A box that may reach out of its array, all of whose places are known; null for others.
  Value read_with_margin(const View& view);
  /// What a view has, and the pad value outside.
  Value elements_of(const View& view);
  /// The same where all elements are the array's.
  Value elements_inside(const View& view);
  bool is_long(const View& view);
  /// The box of an array, without its steps.
  Value part_of(Value elements, const Box& box);
  void write_box(const View& view, const Box& box, Value elements);
  void write_elements(const View& view, Value elements, Value mask);
  /// `update` one after the other, in row-major order.
  void combine_elements(const View& view, llvm::StringRef kind, Value elements, Value mask);
  Value update_one_by_one(const View& view, llvm::StringRef kind, Value elements, Value compare,
                          Value mask);
  Value next(llvm::StringRef kind, Value old, Value elements, Value compare);
  /// [view..., dims of the array]; -1 where the mask does not hold, and outside of the view where
  /// that is inside of the array.
  Value places(const View& view, Value mask);
  Value coordinate(const Coordinate& at, const Shape& shape);
  Value pad_of(const View& view);
  /// What is read outside of the array.
  Value tail_of(const View& view);
  Value filled(const View& view, mlir::DenseElementsAttr with);
  Value scalar(int64_t number);
  Value plus(Value x, Value y);
  Value times(Value x, int64_t step);
  /// Where 0 <= place < extent.
  Value within(Value place, const Extent& extent);
  /// [shape..., number of columns] of columns of that shape.
  Value as_columns(const Values& columns, const Shape& shape);
  /// The elements of a tensor at places, [shape..., rank], each clipped into it.
  Value at_places(Value tensor, Value places, const Shape& shape);
  /// `base` + step * i along dim `dim` of a tensor of `shape`.
  Value along(Value base, int64_t step, int64_t dim, const Shape& shape);
  /// The elements of a tensor at starts + steps * i, each place clipped into it.
  Value taken(Value tensor, const Values& starts, llvm::ArrayRef<int64_t> steps,
              const Shape& shape);

  Builder& b;
  Ranges& ranges_;
  Margins margins_ = Margins::of_one_place;
  Values arrays_; ///< as they are at this place of the program
};

} // namespace kolam::transform::kernels
