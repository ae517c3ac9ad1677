/// The walk over a function that makes nests and steps; used by the files of this folder.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/nest/buffers.h"
#include "kolam/nest/fusion.h"
#include "kolam/nest/in_place.h"
#include "kolam/nest/nest.h"
#include "kolam/nest/rotations.h"
#include "kolam/nest/shared_loops.h"
#include "kolam/nest/shared_turns.h"

namespace kolam::nest {

/// Invariant: every value that a finished step reads or writes has a buffer, and `lifetimes_`
/// covers every such use.
class Former {
public:
  Former(NestList& list, int first_captured, const Machine& machine)
      : list_(list), first_captured_(first_captured), machine_(machine) {}
  void form_function(mlir::func::FuncOp function);

private:
  void form_block(mlir::Block& block, Steps& steps);
  void rename(const Replaced& replaced);
  void find_what_differs(mlir::Block& block);
  bool shows_memory(mlir::Operation* op) const;
  void form_nest(mlir::Operation* op, Steps& steps);
  /// Adds a value that the nest reads, or the ops that compute it, producers first.
  void collect(mlir::Value value, Nest& nest);

  // form_preparation.cpp
  bool prepare(const Nest& nest);
  std::vector<int> prepare_columns(Nest& nest);
  int pack_before_loop(Nest packing);
  bool is_the_same_at_all_runs(mlir::Value value) const;
  bool is_worth_keeping(mlir::Value value, const Nest& nest) const;
  int add_preparation(Nest nest, DType dtype, Shape shape);
  void finish_preparation();

  // form_parts.cpp
  /// A buffer that lies in another, so many bytes behind its start.
  struct Part {
    int whole;
    Extent offset;
  };
  void find_parted(mlir::Block& block);
  void give_parts(mlir::Block& block, const Materialized& materialized);
  void join_parts(ir::ConcatOp op, Steps& steps);
  void place_parts();
  /// The buffer that an input lies in: its own where it is no part.
  int whole_of(int buffer) const;

  // form_pieces.cpp
  bool is_piece(mlir::Operation* op);

  // form_control.cpp
  /// A loop whose body is being formed.
  struct OpenLoop {
    Steps* before;  ///< where steps in front of it go
    int64_t time;   ///< of these
    size_t buffers; ///< how many there were: none of them is changed inside
  };
  /// Opens a loop; its start is the next time.
  void open_loop(Steps& steps);
  void form_step(ir::ForOp op, Steps& steps);
  void form_step(ir::WhileOp op, Steps& steps);
  void form_step(ir::CondOp op, Steps& steps);
  void form_step(ir::ScanOp op, Steps& steps);
  template <class Op> RowStep row_step(RowFunction function, Op op);
  void form_step(ir::SortOp op, Steps& steps);
  void form_step(ir::TopKOp op, Steps& steps);
  void form_step(ir::OpaqueCallOp op, Steps& steps);
  void form_step(ir::BindExtentOp op, Steps& steps);
  void form_step(ir::EmptyOp op, Steps& steps);
  void place_late(Steps& steps, const std::vector<Lifetime>& extended);
  void bind_late(const std::string& symbol);
  std::vector<int> copy_to_state(mlir::ValueRange inits, Steps& steps);
  std::vector<int> copy_to_state(mlir::Operation* loop, mlir::ValueRange inits, Steps& steps);
  void bind_captures(mlir::Block& block, unsigned first, mlir::ValueRange captures);
  std::vector<int> make_next_states(mlir::ValueRange yields, llvm::ArrayRef<int> state,
                                    llvm::ArrayRef<Rotation> rotations,
                                    llvm::function_ref<bool(size_t)> is_late);
  void rotate(const Rotation& rotation, llvm::ArrayRef<int> state, int next, Steps& steps);
  void form_turn(mlir::Block& block, unsigned first, llvm::ArrayRef<int> state,
                 llvm::ArrayRef<int> slots, Steps& steps, mlir::Operation* resizing = nullptr);
  void bind_state(mlir::Operation* loop, size_t number, const Extent& rows, int next, int state,
                  Steps& steps);
  void copy_yield(mlir::Value value, int to, Steps& steps);

  int make_buffer(mlir::Value value, Place place, int number = 0);
  int make_result_buffer(mlir::Value value);
  void bind(mlir::Value value, int buffer);
  int buffer_of(mlir::Value value) const;
  /// A use at the time of the next step.
  void touch(int buffer);
  /// Of a buffer that a loop exchanges: alive, though no step uses it now.
  void keep_alive(int buffer);
  void add_copy(Steps& steps, int from, int to);
  void share_buffers();
  /// Appends a step that uses `buffers`.
  void add_step(Steps& steps, auto what, llvm::ArrayRef<int> buffers) {
    for (int buffer : buffers)
      touch(buffer);
    ++time_;
    steps.push_back({std::move(what)});
  }

  NestList& list_;
  analysis::Signatures signatures_;
  int first_captured_; ///< argument
  const Machine& machine_;
  std::vector<Nest> preparing_; ///< the nests of the preparation, which come last
  llvm::DenseMap<mlir::Value, int> buffers_;
  llvm::DenseMap<mlir::Value, int> result_numbers_; ///< values the function returns
  llvm::DenseMap<mlir::Value, int> destinations_; ///< values a body computes straight into a buffer
  llvm::DenseSet<mlir::Value> at_run_;            ///< what differs from run to run
  llvm::DenseSet<mlir::Operation*> parted_; ///< concats whose operands may be computed in place
  llvm::DenseMap<mlir::Operation*, std::vector<int>> joined_; ///< by concat: buffers of its parts
  std::map<int, Part> parts_;
  std::vector<Lifetime> lifetimes_;
  std::vector<std::vector<int64_t>> uses_; ///< times of the steps that use a buffer
  std::map<int, int64_t> exchanged_at_;
  std::vector<Handover> handovers_, next_states_; ///< by scatters, updates and copies; by maps
  std::vector<LoopRange> loops_;
  std::vector<BranchRange> branches_;
  std::map<int, IndependentLoop> independent_loops_; ///< by counter
  std::vector<OpenLoop> open_loops_;                 ///< outermost first
  std::map<std::string, size_t> late_symbols_;       ///< in the order of their ops
  std::vector<std::vector<int>> late_buffers_;       ///< by the last of their symbols
  std::vector<std::pair<int, int>> exchanged_;       ///< buffers whose memory loops swap
  std::set<std::pair<int, int>> in_place_;           ///< see choose_donors
  int64_t time_ = 0;
};

} // namespace kolam::nest
