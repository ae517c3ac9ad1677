/// The rules of ops that are more than themselves on smaller operands when they are cut.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/language/builder.h"
#include "kolam/transform/cut.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace kolam::transform::cut {

using language::Builder;
using language::Value;
using language::Values;
using space::Box;

/// An op that is made for a part.
struct Making {
  Cuts& cuts;
  Builder& b;
  mlir::Operation* op;
  const OpPart& part;
  const space::Signature& signature;
  Values operands; ///< null where the part reads nothing of one
  /// An i64 scalar that is passed, of that value here.
  llvm::function_ref<Value(int64_t)> offset;

  Shape result_shape(unsigned number = 0) const;
  mlir::Type result_type(unsigned number = 0) const;
};

/// The op itself on the operands, with results of the part's extents.
Values clone(const Making& making);
/// The elements of `whole`, the op's whole result, that the part computes.
Values sliced(const Making& making, Value whole);

/// All elements; of what has no extents in numbers the box of rank 0.
Box tensor_of(Value value);
Shape extents_of(const Box& box);

/// One point that owns all.
space::Signature whole_signature(mlir::Operation* op);

/// Whoever reads an argument of a block reads what `f` makes of it; where nobody does, nothing is
/// made.
void replace_argument(Value argument, llvm::function_ref<Value(Value)> f);

/// All offsets and borders of an op, those of its bodies among them.
void add_offsets(Cuts& cuts, mlir::Operation* op, const OpPart& part, std::vector<int64_t>& all);
void add_borders(Cuts& cuts, mlir::Operation* op, const OpPart& part, std::vector<int64_t>& all);

/// A value of a piece and the box of the whole program's value that it is.
struct Made {
  Value value;
  Box box;
};

/// Makes ops for parts, one after the other.
class Maker {
public:
  Maker(Cuts& cuts, Builder& b, llvm::function_ref<Value(int64_t)> offset)
      : cuts_(cuts), b_(b), offset_(offset) {}

  void set(Value value, Made made) { made_[value] = std::move(made); }
  /// A box of a value of the whole program.
  Value get(Value value, const Box& box);
  /// The op's results, of which `get` knows then.
  void make(mlir::Operation* op, const OpPart& part);
  /// The op for a part, or what gives parts of its sums.
  Values made(mlir::Operation* op, const OpPart& part, bool gives_parts);

private:
  Cuts& cuts_;
  Builder& b_;
  llvm::function_ref<Value(int64_t)> offset_;
  llvm::DenseMap<Value, Made> made_;
};

/// Dims of the index space along which the op can't be cut, beside those of scans, sums, and dims
/// that no result walks.
std::vector<int> whole_dims(ir::DynamicUpdateSliceOp op);
std::vector<int> whole_dims(ir::GatherOp op);
std::vector<int> whole_dims(ir::PadOp op);
std::vector<int> whole_dims(ir::RandomBlockOp op);
std::vector<int> whole_dims(ir::ZipMapReduceOp op);

/// The least larger box that can be cut out.
Box widened(ir::AttentionOp op, Box index);
Box widened(ir::ConvolutionOp op, Box index);
Box widened(ir::ReshapeOp op, Box index);

/// What ops read where that is less than their own signatures say, or more of it is known.
space::Signature signature_of(ir::AttentionOp op);
space::Signature signature_of(ir::KernelCallOp op);

/// What is read otherwise than the signature says.
void set_reads(ir::AttentionOp op, OpPart& part);
void set_reads(ir::CompositeOp op, OpPart& part);
void set_reads(ir::KernelCallOp op, OpPart& part);
void set_reads(ir::RandomBitsOp op, OpPart& part);
void set_reads(ir::ReshapeOp op, OpPart& part);

/// Numbers of the code that depend on where the part lies: what is padded, where views start.
std::vector<int64_t> borders(ir::AttentionOp op, const OpPart& part,
                             const space::Signature& signature);
std::vector<int64_t> borders(ir::ConvolutionOp op, const OpPart& part,
                             const space::Signature& signature);
std::vector<int64_t> borders(ir::KernelCallOp op, const OpPart& part,
                             const space::Signature& signature);
std::vector<int64_t> borders(ir::PadOp op, const OpPart& part, const space::Signature& signature);
std::vector<int64_t> borders(ir::ViewOp op, const OpPart& part, const space::Signature& signature);

/// The numbers that are passed, in the order in which `make` asks for them.
std::vector<int64_t> offsets(ir::AttentionOp op, const OpPart& part);
std::vector<int64_t> offsets(ir::ConstantOp op, const OpPart& part);
std::vector<int64_t> offsets(ir::DynamicSliceOp op, const OpPart& part);
std::vector<int64_t> offsets(ir::IotaOp op, const OpPart& part);
std::vector<int64_t> offsets(ir::KernelCallOp op, const OpPart& part,
                             const space::Signature& signature);
std::vector<int64_t> offsets(ir::RandomBitsOp op, const OpPart& part);

Values make(ir::CompositeOp op, const Making& making);
Values make(ir::CondOp op, const Making& making);
Values make(ir::ForOp op, const Making& making);
Values make(ir::ScanOp op, const Making& making);
Values make(ir::WhileOp op, const Making& making);
Values make(ir::AttentionOp op, const Making& making);
Values make(ir::ConcatOp op, const Making& making);
Values make(ir::ConstantOp op, const Making& making);
Values make(ir::ConvolutionOp op, const Making& making);
Values make(ir::DynamicSliceOp op, const Making& making);
Values make(ir::IotaOp op, const Making& making);
Values make(ir::KernelCallOp op, const Making& making);
Values make(ir::PadOp op, const Making& making);
Values make(ir::RandomBitsOp op, const Making& making);
Values make(ir::SliceOp op, const Making& making);
Values make(ir::ViewOp op, const Making& making);
Values make(ir::ZipMapReduceOp op, const Making& making);

/// Ops that are themselves on parts although their elements depend on more than the operands'
/// elements that they name.
inline bool keeps_itself(ir::CheckOp) { return true; }
inline bool keeps_itself(ir::ContractOp) { return true; }
inline bool keeps_itself(ir::CumulativeOp) { return true; }
inline bool keeps_itself(ir::DynamicUpdateSliceOp) { return true; }
inline bool keeps_itself(ir::ExtentOp) { return true; }
inline bool keeps_itself(ir::GatherOp) { return true; }
inline bool keeps_itself(ir::RandomBlockOp) { return true; }
inline bool keeps_itself(ir::ScatterOp) { return true; }
inline bool keeps_itself(ir::SortOp) { return true; }
inline bool keeps_itself(ir::TopKOp) { return true; }

} // namespace kolam::transform::cut
