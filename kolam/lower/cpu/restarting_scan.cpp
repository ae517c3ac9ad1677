// Elements of a part follow one another in memory, those of a vector lie in different parts: they
// are loaded and stored as squares of so many steps of each part, and turned on the way.
#include "kolam/lower/cpu/restarting_scan.h"

#include "kolam/lower/cpu/shuffles.h"
#include "kolam/lower/scan.h"

namespace kolam::lower::cpu {
namespace {

using mlir::arith::CmpIPredicate;

class Parts {
public:
  Parts(ir::ScanOp op, unsigned starts, int lanes, Emission& e)
      : op_(op), starts_(op.getXs()[starts]), lanes_(lanes), e_(e),
        steps_(op, {}, e, /*lanes_differ=*/true), cuts_(e.scratch(DType::i64, lanes + 1)),
        firsts_(e.scratch(DType::i64, lanes)) {}

  void emit() {
    Value whole = e_.mul(count_squares(), e_.i64(lanes_));
    emit_side_by_side(whole);
    e_.loop(e_.i64(0), e_.i64(lanes_), [&](Value part) {
      Value first = e_.add(cut(part), whole), end = cut(e_.add(part, e_.i64(1)));
      Values states;
      for (auto [memory, state] : llvm::zip(states_, op_.getInits()))
        states.push_back(e_.load(memory, ir::dtype_of(state), part));
      emit_counted(
          e_.sub(end, first), steps_.flops(), states,
          [&](Value k, ValueSpan carried) { return steps_.run(e_.add(first, k), carried); }, e_);
    });
  }

private:
  Value less(Value x, Value y) {
    return e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::slt, x, y);
  }
  Value cut(Value part) { return e_.load(cuts_, DType::i64, part); }

  /// The lowest place of a run of so many steps from number k on.
  Value place_of(Value k, int64_t count) {
    return op_.getReverse() ? e_.sub(steps_.length(), e_.add(k, e_.i64(count))) : k;
  }

  /// The number of the first step from `from` on that starts anew, or that of all steps.
  Value find_start(Value from) {
    Value length = steps_.length(), width = e_.i64(lanes_), one = e_.constant(DType::boolean, 1);
    auto none = [&](Value condition) { return mlir::arith::XOrIOp::create(e_.b, condition, one); };
    auto run_of_none = [&](Value k) -> Values {
      Value some;
      e_.with_lanes(lanes_, {}, [&] {
        some = e_.any(e_.cell(starts_, Coordinate::progression(place_of(k, lanes_), 1)));
      });
      return {none(some)};
    };
    auto no = [&] { return Values{e_.constant(DType::boolean, 0)}; };
    Values at = e_.repeat(
        {from},
        [&](ValueSpan k) {
          Value fits = less(e_.add(k[0], width), length);
          return e_.choose(fits, [&] { return run_of_none(k[0]); }, no)[0];
        },
        [&](ValueSpan k) { return Values{e_.add(k[0], width)}; });
    at = e_.repeat(
        at,
        [&](ValueSpan k) {
          return e_.choose(
              less(k[0], length),
              [&] { return Values{none(e_.cell(starts_, {Coordinate(place_of(k[0], 1))}))}; },
              no)[0];
        },
        [&](ValueSpan k) { return Values{e_.add(k[0], e_.i64(1))}; });
    return at[0];
  }

  /// Cuts the steps into parts; how many squares fit into the shortest that has steps. A part
  /// without does in its lane what the first part does. None where too few have steps.
  Value count_squares() {
    Value zero = e_.i64(0), one = e_.i64(1), parts = e_.i64(lanes_);
    e_.store(cuts_, DType::i64, zero, zero);
    Values found = e_.loop(
        one, e_.i64(lanes_ + 1), {zero, steps_.length(), zero}, [&](Value end, ValueSpan carried) {
          Value first = carried[0];
          Value even = mlir::arith::DivSIOp::create(e_.b, e_.mul(end, steps_.length()), parts);
          Value next = find_start(mlir::arith::MaxSIOp::create(e_.b, even, first));
          e_.store(cuts_, DType::i64, end, next);
          Value has_steps = less(first, next);
          auto choose = [&](Value yes, Value no) -> Value {
            return mlir::arith::SelectOp::create(e_.b, has_steps, yes, no);
          };
          e_.store(firsts_, DType::i64, e_.sub(end, one), choose(first, zero));
          Value size = mlir::arith::MinSIOp::create(e_.b, e_.sub(next, first), carried[1]);
          return Values{next, choose(size, carried[1]), e_.add(carried[2], choose(one, zero))};
        });
    Value squares = mlir::arith::DivSIOp::create(e_.b, found[1], parts);
    return mlir::arith::SelectOp::create(e_.b, less(found[2], e_.i64(kFewestScanParts)), zero,
                                         squares);
  }

  /// The first `whole` steps of each part; leaves the states in memory.
  void emit_side_by_side(Value whole) {
    Values first = steps_.first();
    e_.with_lanes(lanes_, {}, [&] {
      for (mlir::Value state : op_.getInits())
        states_.push_back(e_.scratch(ir::dtype_of(state), 1));
      for (mlir::Value x : op_.getXs())
        xs_.push_back(e_.scratch(ir::dtype_of(x), lanes_));
      for (mlir::Value y : stacked())
        ys_.push_back(e_.output_of(y) ? e_.scratch(ir::dtype_of(y), lanes_) : Value());
      Value squares = mlir::arith::DivSIOp::create(e_.b, whole, e_.i64(lanes_));
      Values last = emit_counted(
          squares, steps_.flops() * lanes_ * lanes_, e_.spread(first),
          [&](Value square, ValueSpan states) {
            return emit_square(e_.mul(square, e_.i64(lanes_)), states);
          },
          e_);
      for (auto [memory, state, value] : llvm::zip(states_, op_.getInits(), last))
        e_.store(memory, ir::dtype_of(state), row(e_.i64(0)), value);
    });
  }

  mlir::ValueRange stacked() { return op_.getResults().drop_front(op_.getInits().size()); }

  Coordinate row(Value number) {
    return Coordinate::progression(e_.mul(number, e_.i64(lanes_)), 1);
  }

  /// The steps k, k + 1, ... of all parts.
  Values emit_square(Value k, ValueSpan states) {
    for (auto [x, memory] : llvm::zip(op_.getXs(), xs_)) {
      DType dtype = ir::dtype_of(x);
      e_.loop(e_.i64(0), e_.i64(lanes_), [&, x = x, memory = memory](Value part) {
        Value place = place_of(e_.add(first_of(part), k), lanes_);
        Value cells = e_.cell(x, Coordinate::progression(place, 1));
        e_.store(memory, dtype, row(part), e_.spread(cells));
      });
      for (auto [step, cells] : llvm::enumerate(turned(memory, dtype)))
        e_.store(memory, dtype, row(e_.i64(static_cast<int64_t>(step))), cells);
    }
    Values next = e_.loop(e_.i64(0), e_.i64(lanes_), states, [&](Value step, ValueSpan carried) {
      Value at = op_.getReverse() ? e_.sub(e_.i64(lanes_ - 1), step) : step;
      std::vector<Elements> slices;
      for (auto [x, memory] : llvm::zip(op_.getXs(), xs_))
        slices.push_back(always(e_.load(memory, ir::dtype_of(x), row(at))));
      ScanSteps::Step done = steps_.step(carried, slices);
      for (auto [y, memory, cells] : llvm::zip(stacked(), ys_, done.stacked))
        if (memory)
          e_.store(memory, ir::dtype_of(y), row(at), e_.spread(cells));
      return e_.spread(done.states);
    });
    for (auto [y, memory] : llvm::zip(stacked(), ys_)) {
      if (!memory)
        continue;
      DType dtype = ir::dtype_of(y);
      for (auto [part, cells] : llvm::enumerate(turned(memory, dtype))) {
        Value first = first_of(e_.i64(static_cast<int64_t>(part)));
        e_.store(*e_.output_of(y), dtype,
                 Coordinate::progression(place_of(e_.add(first, k), lanes_), 1), cells);
      }
    }
    return next;
  }

  /// The first step of what a lane does.
  Value first_of(Value part) { return e_.load(firsts_, DType::i64, Coordinate(part)); }

  /// The rows of a square in memory, turned.
  Values turned(Value memory, DType dtype) {
    Values rows;
    for (int number = 0; number < lanes_; ++number)
      rows.push_back(e_.load(memory, dtype, row(e_.i64(number))));
    if (dtype != DType::boolean)
      return transposed(rows, e_);
    auto bytes = mlir::VectorType::get({lanes_}, e_.b.getI8Type());
    Value zero = mlir::arith::ConstantOp::create(e_.b, e_.b.getZeroAttr(bytes));
    for (Value& cells : rows)
      cells = mlir::arith::ExtUIOp::create(e_.b, bytes, cells);
    rows = transposed(rows, e_);
    for (Value& cells : rows)
      cells = mlir::arith::CmpIOp::create(e_.b, CmpIPredicate::ne, cells, zero);
    return rows;
  }

  ir::ScanOp op_;
  mlir::Value starts_;
  const int lanes_;
  Emission& e_;
  ScanSteps steps_;
  Value cuts_, firsts_;     ///< where parts begin and end, in memory; and lanes
  Values states_, xs_, ys_; ///< memory: of each part; squares
};

} // namespace

void emit_restarting_scan(unsigned starts, int lanes, Emission& e) {
  Parts(llvm::cast<ir::ScanOp>(e.nest().root), starts, lanes, e).emit();
}

} // namespace kolam::lower::cpu
