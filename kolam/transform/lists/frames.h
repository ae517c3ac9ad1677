/// Instances of bodies, and what values are in them.
#pragma once

#include "kolam/transform/batch.h"
#include "kolam/transform/lists/integers.h"

#include <memory>

namespace kolam::transform::lists {

/// The instances for which a body is converted at once.
///
/// A single frame has one: the program itself, or a turn of a loop. Frames form a tree; an instance
/// lies in one of each outer frame.
struct Frame {
  /// For frames further out: i64 [count], the instance of that frame.
  using Paths = std::map<const Frame*, Value>;

  const Frame* outer = nullptr; ///< null for the program
  Extent count = 1;
  Value parents;          ///< i64 [count]: the instance of `outer`; null for the program
  bool is_single = false; ///< tensors have no leading dim for the one instance
  Paths paths;            ///< those that are known without going through the frames between
};

/// A level of lists: that of parent i has lengths[i] elements; all are numbered one after the
/// other. Two lists that share a level are of the same structure there.
struct Level {
  Extent parents;
  Value lengths; ///< i64 [parents]
  Value offsets; ///< i64 [parents + 1]
  Extent count;  ///< of elements
  Value owners;  ///< i64 [count]: the parent of each
};
using LevelRef = std::shared_ptr<const Level>;

/// A tensor for each instance of a frame: [frame.count, shape...], or itself in a single frame.
struct FlatTensor {
  const Frame* frame;
  Value value;
};

/// A list for each instance of a frame: its levels, outermost first, and the row of `leaves` that
/// holds each element of the last level; row i where `places` is null.
struct FlatList {
  const Frame* frame;
  std::vector<LevelRef> levels;
  Value leaves;
  Value places;
};

using FlatValue = std::variant<FlatTensor, FlatList>;
using FlatValues = std::vector<FlatValue>;

inline const Frame* frame_of(const FlatValue& value) {
  return std::visit([](const auto& flat) { return flat.frame; }, value);
}

/// Moves values between frames and into their elements.
class Frames {
public:
  Frames(Builder& b, Integers& integers) : b(b), integers(integers) { root_.is_single = true; }

  const Frame* root() const { return &root_; }
  const Frame* make(const Frame* outer, const Extent& count, Value parents, bool is_single = false,
                    Frame::Paths paths = {});
  /// `count` neighbouring instances of `outer`, from `begin` on.
  const Frame* window(const Frame* outer, const Extent& count, Value begin);
  /// Of two frames of which one lies inside the other, the inner.
  static const Frame* inner(const Frame* a, const Frame* b);
  /// For each instance of `frame` its instance of the frame `outer` around it: i64 [count].
  Value path(const Frame* frame, const Frame* outer);

  /// `x` with the rows from `begin` on replaced.
  Value put_window(Value x, Value rows, Value begin);

  /// `count`, where it is known, is the sum of the lengths.
  LevelRef make_level(Value lengths, const Extent& parents, std::optional<Extent> count = {});
  /// Of one list; `length`, i64 [1], is `count`.
  LevelRef make_only_level(Value length, const Extent& count);
  /// The same of lengths that are all `length`, as an extent `extent`.
  LevelRef make_even_level(Value lengths, Value length, const Extent& parents,
                           const Extent& extent);
  LevelRef keep(Level level);
  /// The frame of the elements of a list's outermost level.
  const Frame* elements_frame(const FlatList& list);
  /// In that frame, the elements.
  FlatValue elements(const FlatList& list, const Frame* frame);
  /// The list whose elements, in the frame of elements of `level`, are these.
  FlatList list_of(const LevelRef& level, const Frame* of, const FlatValue& element,
                   const Frame* elements);

  /// The values that instances of an inner frame have of an outer one's.
  FlatTensor bring(const FlatTensor& tensor, const Frame* frame);
  FlatList bring(const FlatList& list, const Frame* frame);
  /// That of instances[i] of the list's frame for instance i of `frame`.
  FlatList bring(const FlatList& list, const Frame* frame, Value instances);
  FlatValue bring(const FlatValue& value, const Frame* frame);
  /// A tensor in a frame as an operand of a batch of its instances.
  Batched batched(const FlatTensor& tensor, const Frame* frame);
  /// The tensor for each instance, repeated where it is shared.
  Value each(const FlatTensor& tensor, const Frame* frame);

  /// Whether two levels surely have equal lengths: they are one, or were checked to be equal.
  bool are_equal(const LevelRef& a, const LevelRef& b) const;
  void set_equal(const LevelRef& a, const LevelRef& b);
  /// A region that may not run: what is found equal in it holds nowhere else.
  [[nodiscard]] auto inside() { return llvm::SaveAndRestore(equal_); }
  /// What is known of equal levels; what was checked by ops that are taken out is known no more.
  using Equal = std::map<const Level*, const Level*>;
  const Equal& equal() const { return equal_; }
  void forget_but(Equal equal) {
    equal_ = std::move(equal);
    brought_.clear();
  }
  /// Says that elements[i] are of the lists[i], whose elements begin at starts[i], in the numbering
  /// of a level and of those that are equal to it.
  void know_elements(const LevelRef& level, Value elements, Value lists, Value starts);
  /// The list under a level of equal lengths.
  FlatList with_level(const FlatList& list, const LevelRef& level);
  /// Elements of a list at places in its numbering: `level` says whose they are. `counts`, where
  /// they are known, are those of the levels below.
  FlatList select(const FlatList& list, const LevelRef& level, Value places, const Frame* frame,
                  const Shape& counts = {});
  /// Whether the list is of tensors whose rows of leaves are computed of their numbers and of what
  /// their lists have, so that any numbers may be asked for.
  bool is_counted(const FlatList& list);
  /// The rows of leaves of such elements, which are of the lists[i], whether they are there or not.
  Value counted_places(const FlatList& list, Value elements, Value lists);
  /// The leaves of two lists, and behind how many of them those of the second are.
  std::pair<Value, Value> leaves_of_both(const FlatList& first, const FlatList& second);
  /// Two lists of one frame with their elements numbered one after the other, below level 0.
  FlatList both_of(const FlatList& first, const FlatList& second);
  /// A vector with a zero behind it, so that place 0 is always there.
  Value padded(Value vector);
  /// Where the elements of each parent begin.
  Value starts_of(const Level& level);
  /// The row of leaves of each element of the last level.
  Value places_of(const FlatList& list);
  /// The leaves in order.
  Value leaves_of(const FlatList& list);

  Builder& b;
  Integers& integers;

private:
  Frame root_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::map<std::pair<const Frame*, const Level*>, const Frame*> element_frames_;
  /// The structure of lists in inner frames, by their levels, the frame and the block that made it:
  /// what is brought twice is the same.
  struct Brought {
    std::vector<LevelRef> levels;
    Value places; ///< of the elements in the numbering of the outer list
  };
  Brought structure(const FlatList& list, const Frame* frame, Value instances);
  Brought select_structure(const FlatList& list, const LevelRef& level, Value places,
                           const Shape& counts = {});
  FlatList with_structure(const FlatList& list, const Brought& structure, const Frame* frame);

  using BroughtKey = std::tuple<std::vector<const Level*>, const Frame*, mlir::Block*>;
  std::map<BroughtKey, Brought> brought_;
  Equal equal_;                  ///< towards one of each group
  std::vector<LevelRef> levels_; ///< all, as these are found by address
};

} // namespace kolam::transform::lists
