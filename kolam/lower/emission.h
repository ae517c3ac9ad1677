/// Emitting the elements of a nest: extents, coordinates, loops and choices, and the value of any
/// element of the program inside it, for any backend.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/lower/functions.h"
#include "kolam/lower/ranges.h"
#include "kolam/nest/joined_dims.h"
#include "kolam/nest/nest.h"
#include "kolam/support/accumulate.h"
#include "kolam/support/machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>
#include <map>
#include <vector>

namespace kolam::lower {

using mlir::Value;
using Values = llvm::SmallVector<Value>;
using ValueSpan = llvm::ArrayRef<Value>;

/// A place along a dim: one i64 number, or in vector code one for each lane. Lane l's number is
/// base + l stride, or where that is no progression the l-th of the vector `lanes`.
struct Coordinate {
  Coordinate() = default;
  Coordinate(Value number) : base(number) {}
  static Coordinate progression(Value base, int64_t stride) {
    Coordinate result(base);
    result.stride = stride;
    return result;
  }
  /// A number, or a vector of numbers.
  static Coordinate of(Value numbers);

  Value base;
  int64_t stride = 0;
  Value lanes;
  /// The base is a multiple of the number of lanes.
  bool is_aligned = false;

  /// The same for all lanes: `base`.
  bool is_uniform() const { return !lanes && stride == 0; }
};
using Index = llvm::SmallVector<Coordinate>;
using IndexSpan = llvm::ArrayRef<Coordinate>;

/// The number, where it is known now.
std::optional<int64_t> constant_of(Value number);

/// How a dtype is held in registers: the signless integer of its width, i1 for booleans, f32 and
/// f64 as they are; f16 and bf16 as i16 (support/scalar/convert.h computes on them).
mlir::Type register_type(mlir::MLIRContext* context, DType dtype);

struct ReductionCode;
struct FarWindows;
class ProductArithmetic;
/// The factors at an index of the summed dims, one of each for every sum; and for every sum whether
/// the term takes part, where some do not.
struct Terms {
  Values x, y, counts;
};
using Factors = std::function<Terms(IndexSpan summed)>;

/// The body of one nest function under construction. Index values and extents are i64. What a
/// backend says for itself is virtual: where inputs and outputs lie, by which loops sums go, when a
/// call is to stop.
///
/// An element of a program value is found, in this order: in an input of the nest, as a bound
/// region argument, or by the elements of its op (one `emit_cells` per op, in the file of its
/// name), so producers are computed where they are consumed. An element once computed is reused as
/// long as its block dominates.
///
/// Inside `with_lanes` the code is for several elements at once: coordinates may differ between
/// lanes, and elements that do are vectors. What is the same for all lanes stays a scalar.
class Emission {
public:
  /// `builder` stands where the function begins.
  Emission(mlir::Location loc, mlir::OpBuilder& builder, const nest::Nest& nest,
           const Machine& machine);
  virtual ~Emission() = default;
  Emission(const Emission&) = delete;
  Emission& operator=(const Emission&) = delete;

  mlir::ImplicitLocOpBuilder b;
  const Machine machine;
  Functions functions;

  /// The memory of a program value that is an input of the nest; null where it is none.
  virtual Value buffer_of(Value program_value) const = 0;
  /// An element of a program value that is an input; null where it is none.
  virtual Value input_element(Value program_value, IndexSpan index) = 0;
  /// Stores an element of a result of the root, where anything reads that result.
  virtual void store_result(Value result, IndexSpan index, Value cell) = 0;
  /// The results of a reduction at an index of its kept dims, combined in the order that it says.
  virtual Values reduced(const ReductionCode& code, IndexSpan kept) = 0;
  /// So many sums of products over the index space `summed`, row-major, in the given order; before
  /// ProductArithmetic::result.
  virtual Values sums(ProductArithmetic& product, const Accumulate& order, ValueSpan summed,
                      size_t sums, const Factors& factors) = 0;
  /// Sums of f32 as bf16 by an instruction of the machine's; null where it has none for them.
  virtual Value narrowed_pairs(Value sums) { return (void)sums, Value(); }
  /// A hint: elements of the window of this batch and of later ones are soon read.
  virtual void window_comes(const FarWindows& windows, IndexSpan batch) {
    (void)windows, (void)batch;
  }
  /// Whether the call is to stop.
  virtual Value is_cancelled() = 0;

  /// How many elements the code that is being emitted computes at once.
  int lanes() const { return lanes_; }
  /// Emits code for `lanes` elements at once, of which only the first `active` count where that is
  /// set (and at least 1).
  void with_lanes(int lanes, Value active, llvm::function_ref<void()> body);
  /// Which lanes count, where not all do.
  Value active() const { return mask_.lanes; }
  /// Lanes first, first + 1, ... of every element; a scalar for one lane.
  Values lanes_from(ValueSpan cells, int64_t first, int64_t count);
  /// Which dims of the nest's values may be walked as one.
  nest::JoinedDims joined;
  /// Whether a condition holds in some lane that counts.
  Value any(Value lanes);
  /// An element as a vector of all lanes.
  Value spread(Value cell);
  Values spread(ValueSpan cells);

  Value i64(int64_t value);
  /// A constant of a register type of `dtype`; floats convert from `value`.
  Value constant(DType dtype, double value);
  Value extent(const Extent& extent);
  /// The extents of a program value.
  Values shape(Value program_value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  /// min(max(x, 0), upper)
  Value clip(Value x, Value upper);
  /// The same signed number in 64 bits, by sums and products in 64 bits, of which LLVM sees where
  /// they step; null where some step may wrap.
  Value widened(Value x);
  Coordinate add(const Coordinate& x, const Coordinate& y);
  Coordinate sub(const Coordinate& x, const Coordinate& y);
  Coordinate mul(const Coordinate& x, Value y);
  Coordinate clip(const Coordinate& x, Value upper);
  /// A condition, or a vector of conditions.
  Value compare(mlir::arith::CmpIPredicate predicate, const Coordinate& x, const Coordinate& y);
  /// The number, or the vector of numbers.
  Value value(const Coordinate& x);
  /// Says that a number, with those of lanes that step from it on, lies in [least, most].
  void assume(Value number, const Extent& least, const Extent& most, int64_t step);
  /// Says that a number counts from 0 up to a bound.
  void assume_below(Value number, Value bound);
  /// Whether x < y in all lanes that count, or in none; nullopt where that is not known now.
  std::optional<bool> is_less(const Coordinate& x, const Coordinate& y) const;

  /// One element of one result of an op, or of a block argument.
  Value cell(Value program_value, IndexSpan index);
  /// The same element of all results of an op.
  Values cells(mlir::Operation* op, IndexSpan index);
  /// What `emit` gives for an op at an index: emitted once, in front of the loops that the index
  /// does not depend on. `emit` may depend on nothing else.
  Values once_at(mlir::Operation* op, IndexSpan index, llvm::function_ref<Values()> emit);
  /// Makes an element known that was computed by other means.
  void remember(Value program_value, IndexSpan index, Value cell);
  /// Until `leave`, elements of an op at (outer..., i) are what `at(i)` gives.
  void keep(mlir::Operation* op, IndexSpan outer, std::function<Values(const Coordinate&)> at);
  /// A region over rank-0 values: its arguments bound to `arguments`, what it yields computed.
  /// `more` binds further arguments (captures) first.
  Values region(mlir::Region& region, ValueSpan arguments, mlir::ValueRange captures = {});
  /// What a block whose arguments are bound yields, as scalars. Scalars are computed where they
  /// stand, so that loops of later ops reuse them.
  Values yielded(mlir::Block& block);
  /// Makes `argument` stand for `f(index)` elements, and a symbol for a value, until `leave`.
  void enter();
  void leave();
  void bind_cells(Value argument, std::function<Value(IndexSpan)> cells);
  void bind_symbol(const std::string& symbol, Value value);
  /// Until `leave`, all elements asked for lie in this one of the segments that offsets say.
  void bind_segment(Value offsets, Value segment);
  /// That segment; null where none is bound.
  Value segment_of(Value offsets) const;
  /// The point of the iteration space that kolam.iter_index reads.
  Index point;

  /// for i in [lower, upper), by `step`: body(i)
  void loop(Value lower, Value upper, llvm::function_ref<void(Value)> body, int64_t step = 1);
  /// The same with carried values: state = body(i, state).
  Values loop(Value lower, Value upper, ValueSpan state,
              llvm::function_ref<Values(Value, ValueSpan)> body, int64_t step = 1);
  /// while holds(state): state = body(state), or until the call is to stop.
  Values repeat(ValueSpan state, llvm::function_ref<Value(ValueSpan)> holds,
                llvm::function_ref<Values(ValueSpan)> body);
  /// The same for states of all lanes, each of which goes on for itself; the code runs until none
  /// does. Of states that are not `is_read` behind it, lanes that have left hold anything.
  Values repeat_lanes(ValueSpan state, llvm::function_ref<Value(ValueSpan)> holds,
                      llvm::function_ref<Values(ValueSpan)> body,
                      llvm::function_ref<bool(size_t)> is_read);
  /// While `body` is emitted, loops of at most so many turns, of known number, stand turn by turn.
  void turn_by_turn(int64_t most, llvm::function_ref<void()> body);
  /// Nested loops over a box, the last dim innermost.
  void loops(ValueSpan shape, llvm::function_ref<void(IndexSpan)> body);
  /// What `yes` or `no` gives. Where the condition differs between lanes both run, each with the
  /// memory of its own lanes only.
  Values choose(Value condition, llvm::function_ref<Values()> yes, llvm::function_ref<Values()> no);
  /// The same of branches that give values of the same types, vectors or not.
  Values choose_alike(Value condition, llvm::function_ref<Values()> yes,
                      llvm::function_ref<Values()> no);
  /// Two ways to the same elements: what one of them needs may be computed in front of both.
  Values choose_way(Value condition, llvm::function_ref<Values()> yes,
                    llvm::function_ref<Values()> no);
  void when(Value condition, llvm::function_ref<void()> body);

  /// Emits a long piece of a loop's work, left out once the call is to stop.
  void unless_cancelled(llvm::function_ref<void()> body);

  /// The number of an element of an input or a result of the nest in its memory, counted from where
  /// that begins: the one place that knows how buffers lie.
  Coordinate element_number(Value program_value, IndexSpan index);
  /// Elements from one along a dim to the next in such memory.
  Values strides_of(Value program_value);
  /// The row-major number.
  Coordinate ravel(IndexSpan index, ValueSpan shape);
  Index unravel(const Coordinate& number, ValueSpan shape);

  const nest::Nest& nest() const { return nest_; }

protected:
  using CellKey = std::pair<const void*, std::vector<const void*>>;
  /// See `keep`.
  struct KeptCells {
    mlir::Operation* op;
    CellKey outer;
    std::function<Values(const Coordinate&)> at;
  };
  CellKey key_of(Value program_value, IndexSpan index) const;
  struct Scope {
    std::map<CellKey, Value> cells;
    std::map<CellKey, Values> once; ///< see `once_at`; an op goes by its first result
    std::map<const void*, std::function<Value(IndexSpan)>> bound;
    std::map<std::string, Value> symbols;
    std::map<const void*, Value> segments; ///< by their offsets
    std::vector<KeptCells> kept;
  };
  /// The kept elements of an op at the index; empty where none are.
  Values kept_cells(mlir::Operation* op, IndexSpan index);

  /// The lanes whose memory may be touched: a vector of conditions, null for all. Some lane may
  /// touch it unless `may_be_empty`. Where they are the first ones, and it is known now how many,
  /// `first` says so; else it is 0.
  struct Mask {
    Value lanes;
    bool may_be_empty = false;
    int first = 0;
  };
  Value lanes_of(const Coordinate& x);
  Value splat(Value x);
  Value both(Value mask, Value condition);
  /// Whether a loop goes on, and the states with which it does or ends.
  struct Checked {
    Value goes_on;
    Values states;
  };
  Values repeat_checked(ValueSpan state, llvm::function_ref<Checked(ValueSpan)> check,
                        llvm::function_ref<Values(ValueSpan)> body);
  Values choose_lanes(Value condition, llvm::function_ref<Values()> yes,
                      llvm::function_ref<Values()> no);
  /// A loop or branch that is being emitted, and the state just outside it.
  struct Frame {
    mlir::Block* body;
    mlir::OpBuilder::InsertPoint before;
    size_t scopes;
    int lanes;
    Mask mask;
    bool is_branch; ///< runs only sometimes: nothing may move in front of it
  };
  /// Emits `body` with `frame` around it.
  template <class F> void inside(mlir::OpBuilder& inner, Frame frame, const F& body);
  /// The same, without what ends the block.
  template <class F> Values enclosed(mlir::OpBuilder& inner, Frame frame, const F& body);
  Frame frame_here(bool is_branch);
  std::function<Values()> spreading(llvm::function_ref<Values()> values);
  Values branch(Value condition, llvm::function_ref<Values()> yes, llvm::function_ref<Values()> no,
                const Frame& frame);
  /// How many frames lie around the value's definition.
  size_t depth_of(Value value) const;
  /// Whether code at the index of an op is scalar code that may move in front of loops.
  bool may_move(mlir::Operation* op, IndexSpan index) const;
  /// Emits in front of the innermost frames, so that `depth` are left.
  Values in_front(size_t depth, llvm::function_ref<Values()> emit);
  /// The same of lanes as they are.
  Values in_front_by_lanes(size_t depth, llvm::function_ref<Values()> emit);
  /// How many frames must stay around elements of `op` at `index`.
  size_t depth_of_cells(mlir::Operation* op, IndexSpan index) const;
  size_t depth_of_index(IndexSpan index) const;
  /// The same where lanes stay as they are.
  size_t depth_of_lanes(IndexSpan index) const;
  /// An element of what the nest reads from memory, loaded there; null of other values.
  Value input_cell(Value program_value, IndexSpan index);
  /// An op on numbers, in front of the loops that it does not depend on.
  Value number(Value& x, Value& y, llvm::function_ref<Value()> make);

  const nest::Nest& nest_;
  std::vector<Frame> frames_;
  mlir::Operation* anchor_ = nullptr; ///< constants are made in front of it
  std::map<int64_t, Value> numbers_;
  int lanes_ = 1;
  int counting_ = 1; ///< of them the first that count, where that is known now
  Ranges ranges_;
  int64_t unrolled_ = 0; ///< loops of at most so many turns stand turn by turn
  Mask mask_;
  std::vector<Scope> scopes_;
};

} // namespace kolam::lower
