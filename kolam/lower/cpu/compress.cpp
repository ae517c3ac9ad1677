// kolam.compress: a block of elements is packed into working memory, vector by vector, each over
// what the one before left behind its last; then what was kept is copied to the result, whole
// vectors.
#include "kolam/lower/cpu/masked_memory.h"
#include "kolam/lower/cpu/whole.h"
#include "kolam/nest/symbols.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace kolam::lower::cpu {
namespace {

/// For each mask of eight lanes, a byte each: the numbers of those that it chooses, then any.
Value emit_table(Emission& e) {
  llvm::SmallVector<int64_t> entries;
  for (uint64_t mask = 0; mask < 256; ++mask) {
    uint64_t entry = 0;
    int place = 0;
    for (uint64_t lane = 0; lane < 8; ++lane)
      if (mask >> lane & 1)
        entry |= lane << (8 * place++);
    entries.push_back(static_cast<int64_t>(entry));
  }
  constexpr llvm::StringLiteral kName = "kolam_lanes_first";
  auto module = e.b.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>();
  {
    mlir::OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(module.getBody());
    auto type = mlir::LLVM::LLVMArrayType::get(e.b.getI64Type(), entries.size());
    mlir::LLVM::GlobalOp::create(e.b, type, /*isConstant=*/true, mlir::LLVM::Linkage::Private,
                                 kName, e.b.getI64TensorAttr(entries), /*alignment=*/64);
  }
  return mlir::LLVM::AddressOfOp::create(e.b, mlir::LLVM::LLVMPointerType::get(e.b.getContext()),
                                         kName);
}

class CompressEmitter {
public:
  CompressEmitter(ir::CompressOp op, Emission& e)
      : op_(op), e_(e), lanes_(nest::root_stage(e.schedule)->lanes),
        dtype_(ir::dtype_of(op.getResult())), room_(e.shape(op.getResult())[0]),
        block_(e.scratch(dtype_, kBlock + lanes_)) {
    if (lanes_ > 1 && !e.machine.has_avx512())
      table_ = emit_table(e);
  }

  void emit() {
    Value elements = e_.shape(op_.getMask())[0];
    Value kept = e_.loop(
        e_.i64(0), elements, e_.i64(0),
        [&](Value begin, ValueSpan before) {
          Value count = smaller(e_.i64(kBlock), e_.sub(elements, begin));
          Value packed = smaller(emit_packed(begin, count), e_.sub(room_, before[0]));
          emit_run(packed, [&](const Coordinate& at) {
            e_.store(0, dtype_, e_.add(at, Coordinate(before[0])), e_.load(block_, dtype_, at));
          });
          return Values{e_.add(before[0], packed)};
        },
        kBlock)[0];
    emit_run(e_.sub(room_, kept), [&](const Coordinate& at) {
      e_.store(0, dtype_, e_.add(at, Coordinate(kept)), e_.spread(e_.constant(dtype_, 0)));
    });
  }

private:
  static constexpr int64_t kBlock = 1024; ///< bound of working memory, in elements

  /// How many of `count` elements whole vectors hold.
  Value of_whole_vectors(Value count) {
    if (lanes_ == 1)
      return e_.i64(0);
    return e_.sub(count, e_.b.createOrFold<mlir::arith::RemUIOp>(count, e_.i64(lanes_)));
  }

  Value smaller(Value x, Value y) { return mlir::arith::MinSIOp::create(e_.b, x, y); }

  /// Packs the elements begin .. begin + count - 1; how many are kept.
  Value emit_packed(Value begin, Value count) {
    Value whole = of_whole_vectors(count);
    Value kept = e_.i64(0);
    auto step = [&](Value at, ValueSpan before) { return Values{emit_step(begin, at, before[0])}; };
    if (lanes_ > 1)
      e_.with_lanes(lanes_, {}, [&] { kept = e_.loop(e_.i64(0), whole, kept, step, lanes_)[0]; });
    return e_.loop(whole, count, kept, step)[0];
  }

  /// Puts the kept ones of an element, or of one for each lane, at place `kept`; the next place.
  Value emit_step(Value begin, Value at, Value kept) {
    const int lanes = e_.lanes();
    Index index{Coordinate::progression(e_.add(begin, at), lanes > 1 ? 1 : 0)};
    Value mask = e_.cell(op_.getMask(), index), value = e_.cell(op_.getOperand(), index);
    if (lanes == 1) {
      e_.store(block_, dtype_, kept, value);
      return e_.add(kept, mlir::arith::ExtUIOp::create(e_.b, kept.getType(), mask));
    }
    mask = e_.spread(mask);
    e_.store(block_, dtype_, Coordinate::progression(kept, 1), packed(e_.spread(value), mask));
    Value set = mlir::math::CtPopOp::create(e_.b, mask_bits(mask, e_));
    return e_.add(kept, lanes < 64 ? mlir::arith::ExtUIOp::create(e_.b, kept.getType(), set) : set);
  }

  /// The lanes of which the mask is true, first.
  Value packed(Value vector, Value mask) {
    auto type = llvm::cast<mlir::VectorType>(vector.getType());
    if (type.getElementTypeBitWidth() < 32) {
      Value wide = mlir::arith::ExtUIOp::create(e_.b, type.clone(e_.b.getI32Type()), vector);
      return mlir::arith::TruncIOp::create(e_.b, type, packed(wide, mask));
    }
    if (!e_.machine.has_avx512())
      return permuted(vector, mask);
    Value rest = mlir::arith::ConstantOp::create(e_.b, e_.b.getZeroAttr(type));
    return mlir::LLVM::CallIntrinsicOp::create(
               e_.b, type, e_.b.getStringAttr("llvm.experimental.vector.compress"),
               mlir::ValueRange{vector, mask, rest})
        .getResult(0);
  }

  /// The same of eight lanes of 32 bits: a table says for each mask which lanes come first.
  Value permuted(Value vector, Value mask) {
    auto type = llvm::cast<mlir::VectorType>(vector.getType());
    auto numbers = mlir::VectorType::get({type.getNumElements()}, e_.b.getI8Type());
    Value bits = mlir::arith::ExtUIOp::create(e_.b, e_.b.getI64Type(), mask_bits(mask, e_));
    Value entry = mlir::LLVM::GEPOp::create(e_.b, table_.getType(), e_.b.getI64Type(), table_,
                                            llvm::ArrayRef<mlir::LLVM::GEPArg>{bits});
    Value lanes = mlir::arith::ExtUIOp::create(
        e_.b, numbers.clone(e_.b.getI32Type()),
        mlir::LLVM::LoadOp::create(e_.b, numbers, entry, /*alignment=*/8).getResult());
    const bool is_float = llvm::isa<mlir::FloatType>(type.getElementType());
    return mlir::LLVM::CallIntrinsicOp::create(
               e_.b, type,
               e_.b.getStringAttr(is_float ? "llvm.x86.avx2.permps" : "llvm.x86.avx2.permd"),
               mlir::ValueRange{vector, lanes})
        .getResult(0);
  }

  /// The body for 0 .. count - 1, by lanes and then one by one; count may be negative.
  void emit_run(Value count, llvm::function_ref<void(const Coordinate&)> body) {
    Value some = mlir::arith::MaxSIOp::create(e_.b, count, e_.i64(0));
    Value whole = of_whole_vectors(some);
    if (lanes_ > 1)
      e_.with_lanes(lanes_, {}, [&] {
        e_.loop(e_.i64(0), whole, [&](Value i) { body(Coordinate::progression(i, 1)); }, lanes_);
      });
    e_.loop(whole, some, [&](Value i) { body(Coordinate(i)); });
  }

  ir::CompressOp op_;
  Emission& e_;
  const int lanes_;
  const DType dtype_;
  Value room_, block_;
  Value table_; ///< of `permuted`; null where vectors are packed otherwise
};

} // namespace

void emit_whole(ir::CompressOp op, Emission& e) { CompressEmitter(op, e).emit(); }

} // namespace kolam::lower::cpu
