// Goes from lane to lane through memory of its own: see Note [Masks by lanes].
#include "kolam/lower/cpu/masked_memory.h"

#include "kolam/support/error.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kolam::lower::cpu {
namespace {

/// Format of the memory of lanes.
constexpr int64_t kNumbersAt = kMostLanes * 8;

int64_t lanes_of(Value mask) {
  int64_t lanes = llvm::cast<mlir::VectorType>(mask.getType()).getNumElements();
  KOLAM_CHECK(lanes <= kMostLanes);
  return lanes;
}

Value element(Value pointer, mlir::Type type, Value number, Emission& e) {
  return mlir::LLVM::GEPOp::create(e.b, pointer.getType(), type, pointer,
                                   llvm::ArrayRef<mlir::LLVM::GEPArg>{number});
}

/// Such an integer as the bits of a mask.
Value bits_like(Value bits, int64_t value, Emission& e) {
  return mlir::arith::ConstantOp::create(e.b, e.b.getIntegerAttr(bits.getType(), value));
}

/// body(lane) for the lanes that the mask chooses, one after the other: for no others, and without
/// a branch for each.
void for_each_lane(Value mask, Emission& e, llvm::function_ref<void(Value)> body) {
  Value chosen = mask_bits(mask, e);
  if (lanes_of(mask) < kMostLanes)
    chosen = mlir::arith::ExtUIOp::create(e.b, e.b.getI64Type(), chosen);
  Value count = mlir::math::CtPopOp::create(e.b, chosen);
  auto loop = mlir::scf::ForOp::create(e.b, e.i64(0), count, e.i64(1), mlir::ValueRange(chosen));
  mlir::OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(loop.getBody());
  Value left = loop.getRegionIterArg(0);
  body(mlir::math::CountTrailingZerosOp::create(e.b, left));
  Value less = mlir::arith::SubIOp::create(e.b, left, e.i64(1));
  Value next = mlir::arith::AndIOp::create(e.b, left, less); // without its lowest bit
  mlir::scf::YieldOp::create(e.b, next);
}

Value chooses_all(Value mask, Emission& e) {
  Value chosen = mask_bits(mask, e);
  return mlir::arith::CmpIOp::create(e.b, mlir::arith::CmpIPredicate::eq, chosen,
                                     bits_like(chosen, -1, e));
}
Value chooses_any(Value mask, Emission& e) {
  Value chosen = mask_bits(mask, e);
  return mlir::arith::CmpIOp::create(e.b, mlir::arith::CmpIPredicate::ne, chosen,
                                     bits_like(chosen, 0, e));
}

/// Whether so many bytes from `address` on lie in one page of memory.
Value in_one_page(Value address, int64_t bytes, Emission& e) {
  constexpr int64_t kPage = 4096; // bound: the least that a processor has
  Value number = mlir::LLVM::PtrToIntOp::create(e.b, e.b.getI64Type(), address);
  Value place = mlir::arith::AndIOp::create(e.b, number, e.i64(kPage - 1));
  return mlir::arith::CmpIOp::create(e.b, mlir::arith::CmpIPredicate::ule, place,
                                     e.i64(kPage - bytes));
}

/// What `then` gives where a condition holds, else `otherwise`.
mlir::scf::IfOp choose(Value condition, mlir::TypeRange types, Emission& e,
                       llvm::function_ref<mlir::ValueRange()> then,
                       llvm::function_ref<mlir::ValueRange()> otherwise) {
  auto branch = mlir::scf::IfOp::create(e.b, types, condition, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(e.b);
  for (auto [block, emit] :
       {std::pair(branch.thenBlock(), then), {branch.elseBlock(), otherwise}}) {
    e.b.setInsertionPointToStart(block);
    mlir::ValueRange results = emit();
    if (!types.empty()) // else the branch has its ends already
      mlir::scf::YieldOp::create(e.b, results);
  }
  return branch;
}

/// The vector whose chosen lanes are the elements at `address(lane)`, the others 0.
Value load_lane_by_lane(Value mask, mlir::VectorType type, Value lane_memory, Emission& e,
                        llvm::function_ref<Value(Value)> address) {
  mlir::Type cell = type.getElementType();
  int alignment = static_cast<int>(cell.getIntOrFloatBitWidth() / 8);
  Value nothing = mlir::arith::ConstantOp::create(e.b, e.b.getZeroAttr(type));
  mlir::LLVM::StoreOp::create(e.b, nothing, lane_memory, alignment);
  for_each_lane(mask, e, [&](Value lane) {
    Value loaded = mlir::LLVM::LoadOp::create(e.b, cell, address(lane));
    mlir::LLVM::StoreOp::create(e.b, loaded, element(lane_memory, cell, lane, e));
  });
  return mlir::LLVM::LoadOp::create(e.b, type, lane_memory, alignment);
}

} // namespace

Value mask_bits(Value mask, Emission& e) {
  mlir::Type bits = e.b.getIntegerType(static_cast<unsigned>(lanes_of(mask)));
  return mlir::LLVM::BitcastOp::create(e.b, bits, mask);
}

bool has_masked_moves(const Machine& machine, int bits) {
  return machine.has_avx512() || (machine.has_avx2() && bits >= 32);
}

bool has_masked_gathers(const Machine& machine, int bits) {
  return bits >= 32 && (machine.has_avx512() || machine.has_gathers);
}

Value load_where_any(Value mask, Value address, mlir::Type type, Emission& e) {
  auto branch = mlir::scf::IfOp::create(e.b, {type}, chooses_any(mask, e), /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(branch.thenBlock());
  Value loaded = mlir::LLVM::LoadOp::create(e.b, type, address);
  mlir::scf::YieldOp::create(e.b, loaded);
  e.b.setInsertionPointToStart(branch.elseBlock());
  Value zero = mlir::arith::ConstantOp::create(e.b, e.b.getZeroAttr(type));
  mlir::scf::YieldOp::create(e.b, zero);
  return branch.getResult(0);
}

Value load_run_where(Value mask, Value address, mlir::VectorType type, Value lane_memory,
                     Emission& e) {
  mlir::Type cell = type.getElementType();
  const int64_t width = cell.getIntOrFloatBitWidth() / 8;
  Value is_there = mlir::arith::AndIOp::create(
      e.b, chooses_any(mask, e), in_one_page(address, type.getNumElements() * width, e));
  Value at_once = mlir::arith::OrIOp::create(e.b, chooses_all(mask, e), is_there);
  Value result;
  auto branch = choose(
      at_once, {type}, e,
      [&] {
        Value loaded = mlir::LLVM::LoadOp::create(e.b, type, address, static_cast<unsigned>(width));
        Value nothing = mlir::arith::ConstantOp::create(e.b, e.b.getZeroAttr(type));
        result = mlir::arith::SelectOp::create(e.b, mask, loaded, nothing);
        return mlir::ValueRange(result);
      },
      [&] {
        result = load_lane_by_lane(mask, type, lane_memory, e,
                                   [&](Value lane) { return element(address, cell, lane, e); });
        return mlir::ValueRange(result);
      });
  return branch.getResult(0);
}

Value gather_where(Value mask, Value pointer, Value numbers, mlir::VectorType type,
                   Value lane_memory, Emission& e) {
  mlir::Type number = e.b.getI64Type();
  Value places = e.advanced(lane_memory, e.i64(kNumbersAt));
  mlir::LLVM::StoreOp::create(e.b, numbers, places, /*alignment=*/8);
  return load_lane_by_lane(mask, type, lane_memory, e, [&](Value lane) {
    Value place = mlir::LLVM::LoadOp::create(e.b, number, element(places, number, lane, e));
    return element(pointer, type.getElementType(), place, e);
  });
}

void store_run_where(Value mask, Value address, Value vector, Value lane_memory, Emission& e) {
  mlir::Type cell = llvm::cast<mlir::VectorType>(vector.getType()).getElementType();
  int alignment = static_cast<int>(cell.getIntOrFloatBitWidth() / 8);
  choose(
      chooses_all(mask, e), {}, e,
      [&] {
        mlir::LLVM::StoreOp::create(e.b, vector, address, alignment);
        return mlir::ValueRange();
      },
      [&] {
        mlir::LLVM::StoreOp::create(e.b, vector, lane_memory, alignment);
        for_each_lane(mask, e, [&](Value lane) {
          Value stored = mlir::LLVM::LoadOp::create(e.b, cell, element(lane_memory, cell, lane, e));
          mlir::LLVM::StoreOp::create(e.b, stored, element(address, cell, lane, e));
        });
        return mlir::ValueRange();
      });
}

// Note [Masks by lanes]
// Where a machine has no masked moves, LLVM makes a branch for each lane and hands the whole vector
// through all of them: for 64 lanes in 16 registers that is 64 blocks of 16 moves each, for every
// load, and register allocation takes seconds. A loop over memory of the size of the vector is a
// few instructions whatever the lanes are. Masks are all true but at edges, so that case comes
// first; where elements do not follow one another it would be as long as LLVM's own.
//
// A run that lies in one page of memory is loaded whole, too, where the mask chooses any of it:
// then the page is there, and so is what the mask hides, whoever owns it.

} // namespace kolam::lower::cpu
