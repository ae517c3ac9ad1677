// Copies functions of elements, or calls them.
#include "kolam/lower/functions.h"

#include "kolam/lower/emission.h"
#include "kolam/lower/interleaved.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"
#include "kolam/support/error.h"

#include <set>

namespace kolam::lower {
namespace {

/// Size of code: ops of the copies that a nest has inline, thirty of tanh or so. A call costs what
/// saving the registers does that are in use, a copy 40 us of compiling for each of its ops.
constexpr int64_t kMostCopied = 1500;
/// Size of code: that of fewer ops is no longer than the call.
constexpr int64_t kShort = 12;

/// On the first of calls that are to become one: the name of the function that has all of them.
constexpr llvm::StringLiteral kTogether = "kolam.together";

/// The ops between `before` (null: the block's first) and where the builder stands.
int64_t ops_behind(mlir::Operation* before, mlir::ImplicitLocOpBuilder& b) {
  int64_t count = 0;
  auto at = before ? std::next(mlir::Block::iterator(before)) : b.getInsertionBlock()->begin();
  for (; at != b.getInsertionPoint(); ++at)
    at->walk(
        [&](mlir::Operation* op) { count += op->hasTrait<mlir::OpTrait::ConstantLike>() ? 0 : 1; });
  return count;
}

} // namespace

bool Functions::is_called(mlir::Operation* op, const Kind& kind) {
  // Pieces that go side by side are alike; other code of the op may be of the other sort.
  auto [known, is_first] = called_.try_emplace(op, false);
  if (!is_first && pieces_ > 1)
    return known->second;
  known->second = false;
  auto length = lengths_.find(kind);
  if (length == lengths_.end() || length->second < kShort)
    return false;
  if (copied_ + pieces_ * length->second <= kMostCopied)
    copied_ += pieces_ * length->second;
  else
    known->second = true;
  return known->second;
}

mlir::Value Functions::emit(const Kind& kind, llvm::ArrayRef<mlir::Value> arguments,
                            mlir::ImplicitLocOpBuilder& b) const {
  ScalarBuilder scalars(b, machine_);
  return elementwise<ScalarBuilder, mlir::Value>(scalars, kind.first, kind.second, arguments);
}

mlir::Value Functions::call(const Kind& kind, llvm::ArrayRef<mlir::Value> arguments,
                            mlir::ImplicitLocOpBuilder& b) {
  const llvm::SmallVector<mlir::Value> alike = ScalarBuilder(b).alike(arguments);
  auto vector = llvm::dyn_cast<mlir::VectorType>(alike.front().getType());
  const std::string name = "kolam_" + std::string(elementwise_row(kind.first).name) + "_" +
                           std::string(kolam::name(kind.second)) + "_x" +
                           std::to_string(vector ? vector.getNumElements() : 1);
  mlir::Type result = register_type(b.getContext(), result_dtype(kind.first, kind.second));
  if (vector)
    result = vector.clone(result);
  const Function function{kind.first, kind.second,
                          b.getFunctionType(mlir::ValueRange(alike).getTypes(), {result})};
  functions_.try_emplace(name, function);
  return mlir::func::CallOp::create(b, name, mlir::TypeRange{result}, alike).getResult(0);
}

mlir::Value Functions::apply(mlir::Operation* op, Fn fn, DType dtype,
                             llvm::ArrayRef<mlir::Value> arguments, mlir::ImplicitLocOpBuilder& b) {
  const Kind kind{fn, dtype};
  if (is_called(op, kind))
    return call(kind, arguments, b);
  auto at = b.getInsertionPoint();
  mlir::Operation* before = at == b.getInsertionBlock()->begin() ? nullptr : &*std::prev(at);
  mlir::Value result = emit(kind, arguments, b);
  if (!lengths_.contains(kind))
    lengths_.emplace(kind, ops_behind(before, b));
  return result;
}

void Functions::for_pieces(size_t count, llvm::function_ref<void()> emit) {
  const int64_t around = pieces_;
  if (around == 1)
    called_.clear();
  pieces_ *= static_cast<int64_t>(count);
  emit();
  pieces_ = around;
}

bool Functions::has(mlir::func::CallOp call) const { return functions_.contains(call.getCallee()); }

void Functions::call_together(llvm::ArrayRef<mlir::func::CallOp> calls) {
  mlir::func::CallOp first = calls[0];
  Function function = functions_.at(first.getCallee());
  function.count = calls.size();
  const std::string name = first.getCallee().str() + "_by" + std::to_string(calls.size());
  functions_.try_emplace(name, function);
  // What is emitted later may still ask for the value of one.
  first->setDiscardableAttr(kTogether, mlir::StringAttr::get(first.getContext(), name));
}

/// Puts one call of `name` in place of `count` neighbouring ones.
static void join_calls(mlir::func::CallOp first, llvm::StringRef name, size_t count) {
  std::vector<mlir::func::CallOp> calls{first};
  while (calls.size() < count)
    calls.push_back(llvm::cast<mlir::func::CallOp>(calls.back()->getNextNode()));
  llvm::SmallVector<mlir::Value> arguments, values;
  llvm::SmallVector<mlir::Type> results;
  for (mlir::func::CallOp call : calls) {
    KOLAM_CHECK(call.getCallee() == first.getCallee());
    llvm::append_range(arguments, call.getOperands());
    llvm::append_range(values, call.getResults());
    llvm::append_range(results, call.getResultTypes());
  }
  mlir::OpBuilder builder(calls.back());
  auto together = mlir::func::CallOp::create(builder, first.getLoc(), name, results, arguments);
  for (auto [value, result] : llvm::zip(values, together.getResults()))
    value.replaceAllUsesWith(result);
  for (mlir::func::CallOp call : calls)
    call.erase();
}

void Functions::define(mlir::ModuleOp module) const {
  std::vector<std::pair<mlir::func::CallOp, std::string>> together;
  module.walk([&](mlir::func::CallOp call) {
    if (auto name = call->getAttrOfType<mlir::StringAttr>(kTogether))
      together.emplace_back(call, name.str());
  });
  for (auto& [first, name] : together)
    join_calls(first, name, functions_.at(name).count);
  std::set<std::string> called; // in a fixed order
  module.walk([&](mlir::func::CallOp call) { called.insert(call.getCallee().str()); });
  for (const std::string& name : called) {
    auto found = functions_.find(name);
    if (found == functions_.end())
      continue;
    const Function& function = found->second;
    llvm::SmallVector<mlir::Type> arguments, results;
    for (size_t call = 0; call < function.count; ++call) {
      llvm::append_range(arguments, function.type.getInputs());
      llvm::append_range(results, function.type.getResults());
    }
    mlir::ImplicitLocOpBuilder b(module.getLoc(), mlir::OpBuilder::atBlockEnd(module.getBody()));
    auto defined = mlir::func::FuncOp::create(b, name, b.getFunctionType(arguments, results));
    defined.setPrivate();
    mlir::Block* entry = defined.addEntryBlock();
    b.setInsertionPointToStart(entry);
    llvm::SmallVector<mlir::Value> given(entry->args_begin(), entry->args_end()), values;
    const size_t arity = function.type.getNumInputs();
    emit_interleaved(
        function.count,
        [&](size_t call) {
          values.push_back(emit({function.fn, function.dtype},
                                llvm::ArrayRef(given).slice(call * arity, arity), b));
        },
        b);
    mlir::func::ReturnOp::create(b, values);
  }
}

} // namespace kolam::lower
