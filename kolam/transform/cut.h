/// Parts of programs: an op on a box of its index space, and the ops that boxes of values need.
#pragma once

#include "kolam/analysis/access.h"
#include "kolam/space/box.h"
#include "kolam/support/elementwise.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <memory>
#include <string>
#include <vector>

namespace kolam::transform {
namespace cut {
struct Passing;
} // namespace cut

/// The part of an op that a box of its index space is: what it reads of each operand and computes
/// of each result. Boxes lie inside the tensors; what an op finds outside is its own matter.
struct OpPart {
  space::Box index;
  std::vector<space::Box> reads, writes;
};

/// The ops of a program as they can be cut. Extents are numbers; the program doesn't change
/// meanwhile.
class Cuts {
public:
  Cuts();
  ~Cuts();

  /// The signature, in numbers; of an op that runs whole, one point that owns all. That of a loop
  /// or branch has what passes through its bodies, that of a kernel the axes whose points have
  /// blocks of their own.
  const space::Signature& signature(mlir::Operation* op);
  /// Of an op that runs whole, why; empty of others.
  std::string why_whole(mlir::Operation* op);
  /// The index dims along which the op on a part is a part of the op. Dims that are summed are
  /// among them where their sums have a common place to go (partial_sums).
  const std::vector<bool>& cut_dims(mlir::Operation* op);
  /// The points `index`, or the least larger ones that can be cut out.
  space::Box cut_out(mlir::Operation* op, space::Box index);
  /// The part that computes them.
  OpPart part(mlir::Operation* op, space::Box index);
  /// The least part that computes `box` of result `number`.
  OpPart part_for(mlir::Operation* op, unsigned number, const space::Box& box);
  /// Of dims that are summed: how many points along index dim `dim` are one chunk of the op's order
  /// of accumulation, so that runs of 2^j chunks, merged pairwise, give the bits of the whole; 0
  /// where the op has no such runs along it, and -1 where it can't give parts of its sums at all.
  int64_t points_of_chunk(mlir::Operation* op, int dim);
  /// Whether a part is as its signature says alone: moved along a dim, away from borders, it is the
  /// same part elsewhere, but for its offsets.
  bool moves_freely(mlir::Operation* op);
  /// Arithmetic of the points `index`.
  double flops(mlir::Operation* op, const space::Box& index);
  /// The ops that bind the symbols which an op names, and which it needs so beside its operands.
  const std::vector<mlir::Operation*>& binders(mlir::Operation* op);
  /// Of a loop or branch, the indices that pass through its bodies; null of other ops.
  const cut::Passing* passing(mlir::Operation* op);

private:
  struct Known;
  Known& known(mlir::Operation* op);
  std::vector<std::unique_ptr<Known>> all_;
  llvm::DenseMap<mlir::Operation*, Known*> found_;
};

/// The results of an op that are written block by block: arrays that somebody reads.
llvm::SmallVector<unsigned> written_results(mlir::Operation* op);
/// Whether a value is an array whose extents are numbers: others, lists among them, are computed
/// whole wherever they are needed.
bool has_numbers(mlir::Value value);
/// Whether an op, or one inside, calls a function of the process.
bool calls_host(mlir::Operation* op);
/// Whether an op runs although nobody reads what it gives: checks, and calls of the host.
bool must_run(mlir::Operation* op);

/// A box of a value of the program.
struct ValueBox {
  mlir::Value value;
  space::Box box;
};

/// The ops that compute parts of values from boxes of stored ones.
struct Piece {
  struct Step {
    mlir::Operation* op;
    OpPart part;
  };
  std::vector<Step> steps;     ///< in program order; the last one is the root
  std::vector<ValueBox> reads; ///< of stored values: those that `steps` need
  bool is_partial = false;     ///< the root gives parts of its sums
};

/// What the part `root` of `op` needs, computing anew what is not among `stored` (and no argument).
/// An op's results are computed once, for the least box that all its readers need.
Piece piece_of(Cuts& cuts, mlir::Operation* op, OpPart root,
               const llvm::DenseSet<mlir::Value>& stored);

/// The ops that pieces of a root may compute, in program order.
std::vector<mlir::Operation*> ops_of(Cuts& cuts, mlir::Operation* root,
                                     const llvm::DenseSet<mlir::Value>& stored);

/// A text that pieces of one root share only where they are the same code, but for the numbers that
/// are passed as offsets.
std::string shape_of(Cuts& cuts, const Piece& piece);

/// The piece's program: `main` takes the boxes of `piece.reads`, then the offsets, i64 scalars, and
/// gives the root's boxes; parts of sums in the dtype of the op's accumulation, with a dim of
/// extent 1 in front.
mlir::OwningOpRef<mlir::ModuleOp> program_of(Cuts& cuts, const Piece& piece);
/// The offsets that the piece's program takes.
space::Point offsets_of(Cuts& cuts, const Piece& piece);

/// What the part computes, in the op's own program, made from the op's operands: what `program_of`
/// gives for the part alone. Numbers that depend on the place are constants.
std::vector<mlir::Value> values_of(mlir::ImplicitLocOpBuilder& b, Cuts& cuts, mlir::Operation* op,
                                   const OpPart& part);

/// The program that merges `count` neighbouring parts of the sums of `op`, each of `shape` with a
/// dim of 1 in front, in pairs or, as the op does, in turn: to another part, or, where `is_last`,
/// to the values that the op gives.
mlir::OwningOpRef<mlir::ModuleOp> merge_of(mlir::Operation* op, int64_t count, const Shape& shape,
                                           bool is_last);
/// What merges two parts of the op's sums.
Fn merging_function(mlir::Operation* op);
/// The dtype of parts of the op's sums.
DType partial_dtype(mlir::Operation* op);

/// Why a program can't be cut at all, in words: what it takes or gives are lists, or extents are no
/// numbers; empty where it can.
std::string why_not_cut(mlir::func::FuncOp main);
/// Why choices (rewrite/choice.h) can't be taken in a program: that, or there are lists, or extents
/// that are symbols, inside; empty where they can.
std::string why_no_choices(mlir::func::FuncOp main);

} // namespace kolam::transform
