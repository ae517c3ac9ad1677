// Emits dot products of groups.
#include "kolam/lower/cpu/dots.h"

#include "kolam/lower/cpu/least_magnitude.h"
#include "kolam/lower/scalar_builder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kolam::lower::cpu {
static constexpr llvm::StringLiteral kByteDots = "llvm.x86.avx512.vpdpbusd.512";

Dots::Dots(DType factor, DType result, bool keeps_pairs, Emission& e)
    : e_(e), factor_(factor),
      group_(factor == DType::bf16 && keeps_pairs ? 2 : nest::dot_group(factor, result, e.machine)),
      has_instruction_(nest::dot_group(factor, result, e.machine) != 0),
      arithmetic_(factor == DType::bf16 ? factor : DType::i32,
                  factor == DType::bf16 ? result : DType::i32, e) {}

Value Dots::call(llvm::StringRef name, Value sum, bool takes_sum, Value x, Value y,
                 mlir::Type factor) {
  const auto each = static_cast<int64_t>(32 / factor.getIntOrFloatBitWidth());
  auto type = mlir::VectorType::get({each * e_.lanes()}, factor);
  Values arguments;
  if (takes_sum)
    arguments.push_back(sum);
  for (Value groups : {x, y})
    arguments.push_back(mlir::LLVM::BitcastOp::create(e_.b, type, groups));
  return mlir::LLVM::CallIntrinsicOp::create(e_.b, sum.getType(), e_.b.getStringAttr(name),
                                             arguments)
      .getResult(0);
}

DType Dots::packed_dtype() const {
  return group_ == 2 && factor_ != DType::bf16 ? DType::i16 : factor_;
}

Value Dots::grouped(ValueSpan vectors) {
  int lanes = e_.lanes();
  auto interleaved = [&](Value x, Value y, int width) -> Value {
    llvm::SmallVector<int32_t> places;
    for (int32_t lane = 0; lane < width; ++lane) {
      places.push_back(lane);
      places.push_back(width + lane);
    }
    return mlir::LLVM::ShuffleVectorOp::create(e_.b, x, y, places);
  };
  Value groups = group_ == 2 ? interleaved(vectors[0], vectors[1], lanes)
                             : interleaved(interleaved(vectors[0], vectors[2], lanes),
                                           interleaved(vectors[1], vectors[3], lanes), 2 * lanes);
  auto type = mlir::VectorType::get({lanes}, e_.b.getI32Type());
  return mlir::LLVM::BitcastOp::create(e_.b, type, groups);
}

Value Dots::load_group(Value pointer, Value first_factor) {
  Value address = mlir::LLVM::GEPOp::create(
      e_.b, pointer.getType(), register_type(e_.b.getContext(), packed_dtype()), pointer,
      llvm::ArrayRef<mlir::LLVM::GEPArg>{first_factor});
  return mlir::LLVM::LoadOp::create(e_.b, e_.b.getI32Type(), address,
                                    static_cast<unsigned>(byte_width(packed_dtype())));
}

Value Dots::row_group(Value group) {
  Value all = e_.spread(group);
  if (group_ == 2)
    return all;
  ScalarBuilder s(e_.b);
  return s.xor_(all, s.int_constant_like(all, static_cast<int32_t>(0x80808080)));
}

Value Dots::add(Value sum, Value row_group, Value column_group) {
  if (group_ == 4)
    return call(kByteDots, sum, true, row_group, column_group, e_.b.getI8Type());
  if (factor_ == DType::bf16)
    return call("llvm.x86.avx512bf16.dpbf16ps.512", sum, true, row_group, column_group,
                e_.b.getBF16Type());
  llvm::StringRef name = e_.machine.has_avx512() ? "llvm.x86.avx512.pmaddw.d.512"
                         : e_.machine.has_avx2() ? "llvm.x86.avx2.pmadd.wd"
                                                 : "llvm.x86.sse2.pmadd.wd";
  Value pairs = call(name, sum, false, row_group, column_group, e_.b.getI16Type());
  return ScalarBuilder(e_.b).iadd(sum, pairs);
}

Value Dots::part(Value pairs, bool is_second) {
  ScalarBuilder s(e_.b);
  return s.from_bits<DType::f32>(is_second ? s.and_(pairs, s.int_constant_like(pairs, 0xffff0000))
                                           : s.shl(pairs, s.int_constant_like(pairs, 16)));
}

Value Dots::known(Value sum, Value column_group) {
  if (are_plain_pairs())
    return least_magnitude(least_magnitude(sum, part(column_group, false), e_),
                           part(column_group, true), e_);
  if (group_ == 2)
    return sum;
  ScalarBuilder s(e_.b);
  Value ones = s.int_constant_like(sum, 0x01010101);
  return call(kByteDots, sum, true, ones, column_group, e_.b.getI8Type());
}

Value Dots::finished(Value sum, Value column_sum) {
  if (group_ == 2)
    return sum;
  ScalarBuilder s(e_.b);
  return s.isub(sum, s.shl(column_sum, s.int_constant_like(column_sum, 7)));
}

} // namespace kolam::lower::cpu
