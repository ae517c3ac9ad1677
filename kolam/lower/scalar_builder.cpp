// Constants and library calls of emitted scalar code.
#include "kolam/lower/scalar_builder.h"

#include "kolam/support/error.h"

namespace kolam::lower {
namespace {

/// Behind a library function's name: the same for some of so many lanes.
constexpr llvm::StringLiteral kWhere = "_where";

std::string symbol_of(scalar::Libcall function, mlir::Value x) {
  return scalar::libcall_symbol(function,
                                mlir::getElementTypeOrSelf(x).isF64() ? DType::f64 : DType::f32)
      .name;
}

/// A mask as an integer, a bit for each lane.
mlir::Value mask_bits(mlir::ImplicitLocOpBuilder& b, mlir::Value mask) {
  auto vector = llvm::cast<mlir::VectorType>(mask.getType());
  return mlir::LLVM::BitcastOp::create(
      b, b.getIntegerType(static_cast<unsigned>(vector.getNumElements())), mask);
}

} // namespace

constexpr int64_t kRegisterBits = 512; // format: of AVX-512

mlir::Value ScalarBuilder::constant_like(Value like, double value) {
  mlir::Type type = like.getType();
  auto element = b.getFloatAttr(mlir::getElementTypeOrSelf(type), value);
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
    return mlir::arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(vector, element));
  return mlir::arith::ConstantOp::create(b, element);
}

mlir::Value ScalarBuilder::int_constant_like(Value like, int64_t value) {
  mlir::Type type = like.getType();
  auto element_type = llvm::cast<mlir::IntegerType>(mlir::getElementTypeOrSelf(type));
  llvm::APInt bits(64, static_cast<uint64_t>(value));
  auto element = b.getIntegerAttr(element_type, bits.trunc(element_type.getWidth()));
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
    return mlir::arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(vector, element));
  return mlir::arith::ConstantOp::create(b, element);
}

bool ScalarBuilder::has_float_parts(Value x) const {
  auto vector = llvm::dyn_cast<mlir::VectorType>(x.getType());
  if (!has_avx512_ || !vector)
    return false;
  int64_t bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  return bits == kRegisterBits || (vector.getElementType().isF64() && bits == 2 * kRegisterBits);
}

mlir::Value ScalarBuilder::by_register(llvm::StringRef name, mlir::ValueRange operands) {
  auto vector = llvm::cast<mlir::VectorType>(operands.front().getType());
  const int lanes = static_cast<int>(kRegisterBits / vector.getElementTypeBitWidth());
  if (vector.getNumElements() == lanes) {
    constexpr int32_t kCurrentRounding = 4; // format: of the instruction
    llvm::SmallVector<Value> all(operands);
    bool is_f64 = vector.getElementType().isF64();
    all.push_back(mlir::arith::ConstantIntOp::create(b, b.getIntegerType(lanes), -1));
    all.push_back(mlir::arith::ConstantIntOp::create(b, b.getI32Type(), kCurrentRounding));
    std::string full = ("llvm.x86.avx512.mask." + name + (is_f64 ? ".pd.512" : ".ps.512")).str();
    return mlir::LLVM::CallIntrinsicOp::create(b, vector, b.getStringAttr(full), all).getResult(0);
  }
  Value halves[2];
  auto lanes_from = [&](int first, int count) {
    return llvm::to_vector(llvm::seq<int32_t>(first, first + count));
  };
  for (int half = 0; half < 2; ++half) {
    llvm::SmallVector<Value> parts;
    for (Value operand : operands)
      parts.push_back(llvm::isa<mlir::VectorType>(operand.getType())
                          ? mlir::LLVM::ShuffleVectorOp::create(b, operand, operand,
                                                                lanes_from(half * lanes, lanes))
                          : operand);
    halves[half] = by_register(name, parts);
  }
  return mlir::LLVM::ShuffleVectorOp::create(b, halves[0], halves[1], lanes_from(0, 2 * lanes));
}

mlir::Value ScalarBuilder::scaled(Value x, Value k) { return by_register("scalef", {x, k, x}); }

mlir::Value ScalarBuilder::exponent(Value x) { return by_register("getexp", {x, x}); }

mlir::Value ScalarBuilder::mantissa(Value x) {
  // Format of the instruction: in [1, 2), with x's sign.
  Value interval = mlir::arith::ConstantIntOp::create(b, b.getI32Type(), 0);
  return by_register("getmant", {x, interval, x});
}

mlir::Value ScalarBuilder::rarely(Value condition, llvm::function_ref<Value()> f, Value otherwise) {
  if (!llvm::isa<mlir::VectorType>(condition.getType()))
    return choose(condition, f, otherwise);
  Value bits = mask_bits(b, condition);
  return choose(
      ine(bits, int_constant_like(bits, 0)), [&] { return select(condition, f(), otherwise); },
      otherwise);
}

mlir::Value ScalarBuilder::minimum(Value x, Value y) { return extreme(Extreme::minimum, x, y); }
mlir::Value ScalarBuilder::maximum(Value x, Value y) { return extreme(Extreme::maximum, x, y); }

/// What of two numbers is less or more, with -0 below +0 and NaN where one is. Operations that wait
/// for few others, where LLVM's own expansion takes six, one after another.
mlir::Value ScalarBuilder::extreme(Extreme which, Value x, Value y) {
  const bool is_maximum = which == Extreme::maximum;
  auto is_literal = [](Value value) {
    return llvm::isa_and_present<mlir::arith::ConstantOp>(value.getDefiningOp());
  };
  Value a = like(x, {y}), c = like(y, {x});
  // LLVM's own, which knows more of literals; the expansion of arith's forgets that -0 lies below
  // +0.
  if (is_literal(x) || is_literal(y))
    return is_maximum ? mlir::LLVM::MaximumOp::create(b, a, c).getResult()
                      : mlir::LLVM::MinimumOp::create(b, a, c).getResult();
  auto is_nan = [&] { return compare(mlir::arith::CmpFPredicate::UNO, a, c); };
  Value nan = constant_like(a, std::numeric_limits<double>::quiet_NaN());
  if (is_maximum && has_avx512_ && a.getType() == mlir::VectorType::get({16}, b.getF32Type())) {
    constexpr int32_t kCurrentRounding = 4, kGreater = 5; // format: of the instruction
    Value all = mlir::arith::ConstantIntOp::create(b, b.getI16Type(), -1);
    Value kind = mlir::arith::ConstantIntOp::create(b, b.getI32Type(), kGreater);
    Value rounding = mlir::arith::ConstantIntOp::create(b, b.getI32Type(), kCurrentRounding);
    Value greater = mlir::LLVM::CallIntrinsicOp::create(
                        b, a.getType(), b.getStringAttr("llvm.x86.avx512.mask.range.ps.512"),
                        mlir::ValueRange{a, c, kind, a, all, rounding})
                        .getResult(0);
    return select(is_nan(), nan, greater);
  }
  // The processor gives the second one where two are equal or one is NaN: asked both ways, bits
  // differ in zeros and NaN alone.
  auto one = [&](Value m, Value n) {
    return bits(select(is_maximum ? fgt(m, n) : flt(m, n), m, n));
  };
  Value both_ways = is_maximum ? and_(one(a, c), one(c, a)) : or_(one(a, c), one(c, a));
  return select(is_nan(), nan, mlir::arith::BitcastOp::create(b, a.getType(), both_ways));
}

mlir::Value ScalarBuilder::splat(mlir::ImplicitLocOpBuilder& b, Value x, int lanes) {
  auto type = mlir::VectorType::get({lanes}, x.getType());
  if (auto constant = x.getDefiningOp<mlir::arith::ConstantOp>())
    return mlir::arith::ConstantOp::create(b,
                                           mlir::DenseElementsAttr::get(type, constant.getValue()));
  Value first = mlir::LLVM::InsertElementOp::create(
      b, mlir::LLVM::PoisonOp::create(b, type), x,
      mlir::LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(0)));
  return mlir::LLVM::ShuffleVectorOp::create(b, first, first, llvm::SmallVector<int32_t>(lanes, 0));
}

mlir::Value ScalarBuilder::like(Value x, llvm::ArrayRef<Value> others) {
  if (llvm::isa<mlir::VectorType>(x.getType()))
    return x;
  for (Value other : others)
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(other.getType()))
      return splat(b, x, static_cast<int>(vector.getNumElements()));
  return x;
}

llvm::SmallVector<mlir::Value> ScalarBuilder::alike(llvm::ArrayRef<Value> values) {
  llvm::SmallVector<Value> result;
  for (Value value : values)
    result.push_back(like(value, values));
  return result;
}

mlir::Value ScalarBuilder::call_values(scalar::Libcall function, llvm::ArrayRef<Value> arguments) {
  mlir::VectorType vector;
  for (Value argument : arguments)
    if (auto type = llvm::dyn_cast<mlir::VectorType>(argument.getType()))
      vector = type;
  if (vector) {
    Value result = mlir::LLVM::PoisonOp::create(b, vector);
    for (int lane = 0; lane < vector.getNumElements(); ++lane) {
      llvm::SmallVector<Value> cells;
      for (Value argument : arguments)
        cells.push_back(lane_of(argument, lane));
      result = with_lane(result, lane, call_values(function, cells));
    }
    return result;
  }
  return mlir::func::CallOp::create(b, symbol_of(function, arguments.front()),
                                    mlir::TypeRange{arguments.front().getType()}, arguments)
      .getResult(0);
}

mlir::Value ScalarBuilder::lane_of(Value x, int lane) {
  if (!llvm::isa<mlir::VectorType>(x.getType()))
    return x;
  return mlir::LLVM::ExtractElementOp::create(
      b, x, mlir::LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(lane)));
}

mlir::Value ScalarBuilder::with_lane(Value vector, int lane, Value x) {
  return mlir::LLVM::InsertElementOp::create(
      b, vector, x, mlir::LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(lane)));
}

mlir::Value ScalarBuilder::choose(Value condition, llvm::function_ref<Value()> yes,
                                  Value otherwise) {
  auto branch = mlir::scf::IfOp::create(
      b, condition,
      [&](mlir::OpBuilder& inner, mlir::Location) {
        mlir::OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
        mlir::scf::YieldOp::create(b, mlir::ValueRange{yes()});
      },
      [&](mlir::OpBuilder& inner, mlir::Location loc) {
        mlir::scf::YieldOp::create(inner, loc, mlir::ValueRange{otherwise});
      });
  return branch.getResult(0);
}

mlir::Value ScalarBuilder::call_where(Value condition, scalar::Libcall function, Value x,
                                      Value otherwise) {
  auto vector = llvm::dyn_cast<mlir::VectorType>(condition.getType());
  if (!vector)
    return choose(condition, [&] { return call(function, x); }, otherwise);
  // Few elements need the function: one branch, behind which a function of the module goes through
  // the lanes.
  auto lanes = static_cast<unsigned>(vector.getNumElements());
  KOLAM_CHECK(lanes <= 64);
  Value bits = mask_bits(b, condition);
  const std::string name = symbol_of(function, x) + kWhere.str() + std::to_string(lanes);
  return choose(
      ine(bits, int_constant_like(bits, 0)),
      [&] {
        return mlir::func::CallOp::create(b, name, mlir::TypeRange{otherwise.getType()},
                                          mlir::ValueRange{zext<64>(bits), x, otherwise})
            .getResult(0);
      },
      otherwise);
}

void ScalarBuilder::define_where(mlir::func::FuncOp function, llvm::StringRef symbol) {
  mlir::Block* entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value bits = entry->getArgument(0), x = entry->getArgument(1), otherwise = entry->getArgument(2);
  auto vector = llvm::cast<mlir::VectorType>(x.getType());
  auto number = [&](int64_t value) -> Value {
    return mlir::arith::ConstantIntOp::create(b, b.getI64Type(), value);
  };
  auto lanes = mlir::scf::ForOp::create(
      b, number(0), number(vector.getNumElements()), number(1), mlir::ValueRange{otherwise},
      [&](mlir::OpBuilder& inner, mlir::Location, Value lane, mlir::ValueRange state) {
        mlir::OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
        Value counts = ine(and_(lshr(bits, lane), number(1)), number(0));
        auto with_lane = [&] {
          Value cell = mlir::LLVM::ExtractElementOp::create(b, x, lane);
          Value result =
              mlir::func::CallOp::create(b, symbol, mlir::TypeRange{vector.getElementType()}, cell)
                  .getResult(0);
          return mlir::LLVM::InsertElementOp::create(b, state[0], result, lane).getResult();
        };
        mlir::scf::YieldOp::create(b, choose(counts, with_lane, state[0]));
      });
  mlir::func::ReturnOp::create(b, lanes.getResult(0));
}

void declare_library_calls(mlir::ModuleOp module) {
  mlir::ImplicitLocOpBuilder b(module.getLoc(), mlir::OpBuilder::atBlockBegin(module.getBody()));
  llvm::SmallVector<mlir::Operation*> unseen;
  for (mlir::Operation& op : *module.getBody())
    unseen.push_back(&op);
  auto declare = [&](mlir::func::CallOp call) {
    if (module.lookupSymbol(call.getCallee()))
      return;
    mlir::OpBuilder::InsertionGuard guard(b);
    auto function = mlir::func::FuncOp::create(b, call.getCallee(), call.getCalleeType());
    function.setPrivate();
    auto [symbol, lanes] = call.getCallee().rsplit(kWhere);
    if (lanes.empty())
      return;
    ScalarBuilder(b).define_where(function, symbol);
    unseen.push_back(function);
  };
  while (!unseen.empty())
    unseen.pop_back_val()->walk(declare);
}

} // namespace kolam::lower
