/// The walk over a program that replaces lists; used by the files of this folder.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/transform/lists/associative.h"
#include "kolam/transform/lists/cell_order.h"
#include "kolam/transform/lists/loop_states.h"

namespace kolam::transform::lists {

/// A body can't be converted for many instances at once; `why` is in the words of `explain`.
struct Refusal {
  std::string why;
};

class Conversion {
public:
  /// `order` as the attribute kOrder has it; empty where cost decides.
  Conversion(Builder& b, std::set<std::string> symbols, llvm::StringRef order)
      : b(b), integers(b, std::move(symbols)), frames(b, integers), order(order) {}

  /// Makes an associative scan, which is not converted yet, a plain one.
  void expand(ir::ListScanOp scan) { notes_.push_back(expand_associative(scan, integers)); }

  /// What `explain` says of orders.
  std::vector<std::string> take_notes() { return std::move(notes_); }

  const Frame* root() const { return frames.root(); }
  /// The ops of a block, at the builder's place; what it yields.
  FlatValues convert_block(mlir::Block& block, const FlatValues& arguments, const Frame* frame);
  void convert(mlir::Operation* op, const Frame* frame, Environment& values);

private:
  // one file for each family
  void convert_op(ir::PackOp op, const Frame* frame, Environment& values);
  void convert_op(ir::UnpackOp op, const Frame* frame, Environment& values);
  void unpack_equal_rows(ir::UnpackOp op, const FlatList& given, Environment& values);
  void convert_op(ir::ListLengthOp op, const Frame* frame, Environment& values);
  void convert_op(ir::ListIndexOp op, const Frame* frame, Environment& values);
  void convert_op(ir::AccessOp op, const Frame* frame, Environment& values);
  void convert_op(ir::ListPositionsOp op, const Frame* frame, Environment& values);
  void convert_op(ir::JoinOp op, const Frame* frame, Environment& values);
  void convert_op(ir::FlattenOp op, const Frame* frame, Environment& values);
  void convert_op(ir::ListFilterOp op, const Frame* frame, Environment& values);
  void convert_op(ir::ListMapOp op, const Frame* frame, Environment& values);
  void convert_op(ir::ListScanOp op, const Frame* frame, Environment& values);
  void convert_op(ir::ListReduceOp op, const Frame* frame, Environment& values);
  // control.cpp: where lists are among what they carry or use
  void convert_op(ir::ForOp op, const Frame* frame, Environment& values);
  void convert_op(ir::WhileOp op, const Frame* frame, Environment& values);
  void convert_op(ir::CondOp op, const Frame* frame, Environment& values);
  const Frame* frame_of_control(mlir::Operation* op, const FlatValues& operands,
                                const Frame* frame);
  void note_resizing(mlir::Operation* loop);
  struct ApartLoop;
  FlatValues run_apart(const ApartLoop& loop, const FlatValues& inits, const Frame* at);
  FlatValues take_one_branch(ir::CondOp op, Value selector, const FlatValues& captures,
                             const Frame* at);
  FlatValues take_branches(ir::CondOp op, Value selector, const FlatValues& captures,
                           const Frame* at);
  void convert_tensor_op(mlir::Operation* op, const Frame* frame, Environment& values);
  void convert_body(ir::ScanOp op, llvm::ArrayRef<Batched> operands, const Frame* single,
                    Environment& values);

  FlatValues get(mlir::ValueRange values, const Environment& environment) const;
  FlatList list(Value value, const Environment& environment) const {
    return std::get<FlatList>(environment.find(value)->second);
  }
  FlatTensor tensor(Value value, const Environment& environment) const {
    return std::get<FlatTensor>(environment.find(value)->second);
  }
  /// The innermost frame that values depend on.
  const Frame* innermost(const FlatValues& values) const;
  /// Lists in one frame, whose outermost lengths are checked to be equal.
  std::vector<FlatList> zipped(mlir::ValueRange lists, const Environment& values);
  /// Lists of one outermost level in an inner frame, of one level there.
  std::vector<FlatList> brought(std::vector<FlatList> lists, const Frame* frame);
  /// Raises `[list-lengths]` unless two levels have equal lengths.
  void check_lengths(const LevelRef& a, const LevelRef& b);

  /// Elements of a list by their numbers in the outermost level, one for each instance of `frame`.
  FlatValue element(const FlatList& list, Value places, const Frame* frame);
  FlatTensor element_or_zeros(const FlatList& list, Value places, Value inside, const Frame* frame);

  /// The rows of values of another frame that instances of `frame` have.
  FlatValues rows_of(const FlatValues& values, Value rows, const Frame* frame);
  /// Of a frame of one instance as of the single frame around it.
  FlatValue unwrapped(const FlatValue& value, const Frame* single);

  /// The body of an op, or a copy of it.
  FlatValues convert_batch(mlir::Operation* op, mlir::Region& body, const FlatValues& arguments,
                           const Frame* inner);

  /// The results of a map whose function computes a row of a tensor by itself, in the frame of its
  /// instances; nullopt where it does not.
  std::optional<FlatValues> convert_rows(ir::ListMapOp op, const FlatValues& arguments,
                                         const Frame* inner);

  void convert_reduce(ir::ListReduceOp op, Lengths kept, Environment& values);
  void reduce_one_list(ir::ListReduceOp op, const std::vector<FlatList>& lists,
                       const FlatValues& inits, Environment& values);
  /// Raises `[list-empty]` where a list has no elements.
  void require_elements(Value counts);

  // one_by_one.cpp
  struct Assembly;
  FlatValues convert_one_by_one(mlir::Region& body, const FlatValues& arguments,
                                const Frame* inner);
  FlatValues convert_in_one_pass(mlir::Region& body, const FlatValues& arguments,
                                 const Frame* inner);
  FlatValues convert_instance(mlir::Region& body, const FlatValues& arguments, const Frame* inner,
                              Value i);
  std::vector<Assembly> assemblies(mlir::Region& body, const FlatValues& arguments,
                                   const Frame* inner);

  // cells.cpp, nest_frames.cpp
  /// A scan as a nest of cells in waves. Throws Refusal where it is none, or where waves do not
  /// pay.
  void convert_nest(ir::ListScanOp op, const std::vector<FlatList>& lists, const FlatValues& inits,
                    const FlatValues& captures, const Frame* frame, Environment& values);
  NestFrames nest_frames(const ScanNest& nest, const std::set<StateKey>& in_place,
                         const Frame* outer, std::vector<FlatList> lists, FlatValues inits,
                         FlatValues captures);
  FlatValue own_rows(const FlatValue& value, const Frame* frame);
  /// The same with other rows.
  static FlatValue with_rows(FlatValue value, Value rows);
  Value rows_of(const FlatList& list, const Cells& cells);
  void read_elements(const NestFrames& in, const Cells& cells, Environment& values);
  Value initial_rows(const NestFrames& in, unsigned argument);
  Value initial_places(const NestFrames& in, unsigned argument, const Cells& cells);
  struct WaveStates;
  WaveStates wave_states(const NestFrames& in, const std::set<StateKey>& in_place,
                         const std::set<unsigned>& observed);
  Values changed_rows(const NestFrames& in, const WaveStates& states, const OrderedCells& cells);
  Values rows_before(const NestFrames& in, const WaveStates& states, const OrderedCells& cells);

  // cell_loops.cpp
  /// A nest of scans of numbers, one cell after the other. Whether it is done.
  bool try_one_by_one(ir::ListScanOp op, const std::vector<FlatList>& lists,
                      const FlatValues& inits, const FlatValues& captures, const Frame* frame,
                      Environment& values);
  void walk_nest(ir::ListScanOp op, const ScanNest& nest, const std::vector<FlatList>& given,
                 const FlatValues& inits, const FlatValues& captures, const Frame* frame,
                 Environment& values);
  struct CellWalk;
  void take_states(CellWalk& walk, ir::ListScanOp op);
  Values walk_level(CellWalk& walk, size_t level, Value list, const Values& states);
  Values walk_cell(CellWalk& walk, Value element, const Values& old);

  // one_pass.cpp
  /// A scan of many lists as one loop over all their elements. Whether it is done: where states are
  /// tensors whose elements need only their own of the step before (ir/pointwise.h).
  bool try_one_pass(ir::ListScanOp op, std::vector<FlatList> lists, const FlatValues& inits,
                    const FlatValues& captures, const Frame* frame, Environment& values);
  struct OnePass;
  struct Edge;
  Edge edge_of(const OnePass& pass, bool is_end);
  Value first_elements(const OnePass& pass);
  Value last_states(const OnePass& pass, Value states, const FlatTensor& init);
  Values states_of_elements(ir::ListScanOp op, const OnePass& pass, const FlatValues& inits,
                            const Environment& known);

  // scan.cpp
  bool try_nest(ir::ListScanOp op, const std::vector<FlatList>& lists, const FlatValues& inits,
                const FlatValues& captures, const Frame* frame, Environment& values);
  /// A scan that goes step by step.
  struct Scan {
    mutable ir::ListScanOp op; ///< MLIR's ops ask of themselves by methods that are not const
    const Frame* frame;
    LevelRef level; ///< the steps of each instance
    std::vector<FlatList> lists;
    FlatValues captures;
    bool is_shared; ///< all instances go over the same lists
  };
  struct Step {
    const Frame* part; ///< the instances that are not through yet
    Value elements;    ///< the number of each one's step, in the numbering of the scan's level
    FlatValues yields;
  };
  Value turns_of(const Scan& scan);
  Step convert_step(const Scan& scan, Value t, const FlatValues& states);
  void run_steps(const Scan& scan, const FlatValues& inits, Environment& values);
  // resizing_scan.cpp
  void run_resizing_steps(const Scan& scan, const FlatValues& inits, Environment& values);
  struct Carried;
  Carried carried(ir::ListScanOp op, const FlatValues& inits, const LevelRef& level,
                  const Frame* frame);
  Values next(const Carried& carried, const Values& old, const FlatValues& yields, Value elements,
              const Frame* part, const Frame* frame);

  /// A state to which a conversion that fails goes back.
  class Attempt {
  public:
    explicit Attempt(Conversion& conversion)
        : conversion_(conversion), block_(conversion.b.getInsertionBlock()),
          last_(block_->empty() ? nullptr : &block_->back()), equal_(conversion.frames.equal()),
          notes_(conversion.notes_.size()) {}
    /// Takes out what was made since.
    void undo();

  private:
    Conversion& conversion_;
    mlir::Block* block_;
    mlir::Operation* last_;
    Frames::Equal equal_;
    size_t notes_;
  };

  /// Writes down in which order an op runs.
  void note(mlir::Operation* op, const std::string& order);

  Builder& b;
  Integers integers;
  Frames frames;
  const llvm::StringRef order;
  std::vector<std::string> notes_;
};

/// Whether an op or what it holds deals with lists.
bool holds_lists(mlir::Operation* op);

} // namespace kolam::transform::lists
