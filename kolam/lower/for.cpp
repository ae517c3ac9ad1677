// Elements of kolam.for, whose states are carried in registers.
#include "kolam/ir/going.h"
#include "kolam/lower/carried.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kolam::lower {
namespace {

class Counted {
public:
  Counted(ir::ForOp op, IndexSpan index, Emission& e)
      : op_(op), e_(e), bodies_(op, index, e), dtype_(ir::dtype_of(op.getLower())), s_(e.b) {}

  Values emit() {
    Value lower = bound(op_.getLower()), upper = bound(op_.getUpper());
    Values state = bodies_.first(op_.getInits());
    captures_ = bodies_.captured(2 + op_.getInits().size(), op_.getCaptures());
    bool lanes_differ = llvm::isa<mlir::VectorType>(lower.getType()) ||
                        llvm::isa<mlir::VectorType>(upper.getType());
    return lanes_differ ? emit_by_lanes(lower, upper, state) : emit_at_once(lower, upper, state);
  }

private:
  Value bound(mlir::Value value) {
    Value number = cast<ScalarBuilder, Value>(s_, dtype_, DType::i64, e_.cell(value, {}));
    auto known = constant_of(number);
    return known ? e_.i64(*known) : number;
  }

  /// Also whether the step changes anything, where that is asked.
  Values emit_step(Value counter, ValueSpan state, Value* changes = nullptr) {
    Value i = cast<ScalarBuilder, Value>(s_, DType::i64, dtype_, counter);
    mlir::Block& body = op_.getBody().front();
    bodies_.enter(body, joined(joined({always(i)}, all_always(state)), captures_));
    Values next = bodies_.next(body.getTerminator()->getOperands());
    // A state that is the same for all lanes stays one, where an op gives it for each of them.
    for (auto [own, before] : llvm::zip_equal(next, state))
      if (own.getType() != before.getType() && llvm::isa<mlir::VectorType>(own.getType()))
        own = mlir::LLVM::ExtractElementOp::create(e_.b, own, e_.i64(0));
    if (changes)
      *changes = emit_changes(next, state);
    e_.leave();
    return next;
  }

  Values emit_at_once(Value lower, Value upper, ValueSpan state) {
    if (may_settle())
      return emit_until_settled(emit_count(lower, upper, e_), state);
    return emit_counted(
        emit_count(lower, upper, e_), bodies_.pointwise().step_flops, state,
        [&](Value k, ValueSpan carried) { return emit_step(e_.add(lower, k), carried); }, e_);
  }

  /// Whether steps do the same to the same states, and may leave them as they are: then all that
  /// follow do.
  bool may_settle() {
    return !bodies_.pointwise().reads_counter && ir::rank_of(op_.getResult(0)) > 0 &&
           ir::keeps_some(op_.getBody().front(), 1, op_.getInits().size());
  }

  Values emit_until_settled(Value count, ValueSpan state) {
    Values all(state.begin(), state.end());
    all.append({e_.i64(0), e_.constant(DType::boolean, 1)});
    Values last = e_.repeat(
        all,
        [&](ValueSpan carried) {
          Value is_left = s_.slt(carried[carried.size() - 2], count);
          return s_.and_(carried.back(), is_left);
        },
        [&](ValueSpan carried) {
          Value k = carried[carried.size() - 2];
          ValueSpan before = carried.drop_back(2);
          Value changes;
          Values next = emit_step(k, before, &changes);
          next.append({s_.iadd(k, e_.i64(1)), changes});
          return next;
        });
    last.truncate(last.size() - 2);
    return last;
  }

  /// Whether some element may differ from the one before, in any bit.
  Value emit_changes(ValueSpan next, ValueSpan before) {
    mlir::Block& body = op_.getBody().front();
    mlir::ValueRange yields = body.getTerminator()->getOperands();
    Values conditions;
    for (auto [number, value] : llvm::enumerate(yields)) {
      mlir::Value own = body.getArgument(1 + number);
      auto elementwise = value.getDefiningOp<ir::ElementwiseOp>();
      bool is_where = elementwise && parse_fn(elementwise.getFunction()) == Fn::where &&
                      elementwise->getOperand(2) == own;
      Value differs = is_where ? bodies_.cells(elementwise->getOperand(0))[0]
                               : s_.ine(s_.bits(next[number]), s_.bits(before[number]));
      if (!llvm::is_contained(conditions, differs))
        conditions.push_back(differs);
    }
    Value changes = conditions[0];
    for (Value condition : llvm::drop_begin(conditions))
      changes = s_.or_(changes, condition);
    return e_.any(changes);
  }

  /// The counter is carried as well.
  Values emit_by_lanes(Value lower, Value upper, ValueSpan state) {
    Values all{e_.spread(lower)};
    all.append(state.begin(), state.end());
    Values last = e_.repeat_lanes(
        all, [&](ValueSpan carried) { return s_.slt(carried[0], upper); },
        [&](ValueSpan carried) {
          Values next = emit_step(carried[0], carried.drop_front());
          next.insert(next.begin(), s_.iadd(carried[0], e_.spread(e_.i64(1))));
          return next;
        },
        [&](size_t number) { return number > 0 && !op_.getResult(number - 1).use_empty(); });
    last.erase(last.begin());
    return last;
  }

  ir::ForOp op_;
  Emission& e_;
  Bodies bodies_;
  DType dtype_;
  ScalarBuilder s_;
  std::vector<Elements> captures_;
};

} // namespace

Values emit_cells(ir::ForOp op, IndexSpan index, Emission& e) {
  return Counted(op, index, e).emit();
}

} // namespace kolam::lower
