// kolam.cumulative: loops that carry a state along the dim, line by line, or for neighbouring lines
// row by row; lines along the innermost dim by vectors, where the grouping changes nothing, else
// side by side, as many as there are lanes, by squares that are turned.
#include "kolam/ir/monoid.h"
#include "kolam/lower/cpu/prefetch.h"
#include "kolam/lower/cpu/reduction.h"
#include "kolam/lower/cpu/result_cells.h"
#include "kolam/lower/cpu/shuffles.h"
#include "kolam/lower/cpu/whole.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/symbols.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kolam::lower::cpu {
namespace {

/// Walks along lines: a line is an index whose place along the dim is free.
class LineEmitter {
public:
  LineEmitter(ir::CumulativeOp op, Emission& e)
      : op_(op), e_(e), fn_(*parse_fn(op.getFunction())), dtype_(ir::dtype_of(op.getResult())),
        state_(ir::named_state(fn_, dtype_)), shape_(e.shape(op.getResult())) {}

  /// One line, whose state registers carry; of so many elements at once, which may be grouped in
  /// any way.
  void emit(IndexSpan line, int lanes) {
    auto steps = [&](Value begin, Value first) {
      Value whole = begin, state = first;
      if (lanes > 1) {
        Value left = mlir::arith::RemSIOp::create(e_.b, e_.sub(extent(), begin), e_.i64(lanes));
        whole = e_.sub(extent(), left);
        e_.with_lanes(lanes, {}, [&] {
          auto each = [&](Value step, ValueSpan before) {
            return Values{emit_vector(line, step, before[0], lanes)};
          };
          Values last = e_.loop(begin, whole, e_.spread(first), each, lanes);
          state = e_.lanes_from(last, 0, 1)[0];
        });
      }
      e_.loop(whole, extent(), state, [&](Value step, ValueSpan before) {
        return Values{emit_step(index_at(line, step), before[0])};
      });
    };
    if (op_.getExclusive())
      return steps(e_.i64(0), identity());
    e_.when(any(), [&] { steps(e_.i64(1), emit_first(index_at(line, e_.i64(0)))); });
  }

  /// The lines of a block of columns, row by row, so that memory is read in its own order: `line`
  /// is free in the innermost dim too. States lie in scratch memory between rows.
  void emit(IndexSpan line, const Columns& columns, Value states) {
    auto each = [&](Value step, llvm::function_ref<Value(IndexSpan, const Coordinate&)> next) {
      emit_columns(
          columns,
          [&](const Coordinate& offset, const Coordinate& column) {
            Index index = index_at(line, step);
            index.back() = column;
            e_.store(states, state_, offset, next(index, offset));
          },
          e_);
    };
    auto rows = [&](Value start, Value end) {
      e_.loop(start, end, [&](Value step) {
        each(step, [&](IndexSpan index, const Coordinate& offset) {
          return emit_step(index, e_.load(states, state_, offset));
        });
      });
    };
    Value start = e_.i64(op_.getExclusive() ? 0 : 1);
    if (op_.getExclusive())
      each(start, [&](IndexSpan, const Coordinate&) { return e_.spread(identity()); });
    else
      e_.when(any(), [&] {
        each(e_.i64(0), [&](IndexSpan index, const Coordinate&) { return emit_first(index); });
      });
    e_.loop(
        start, extent(),
        [&](Value block) {
          Value end = mlir::arith::MinSIOp::create(e_.b, e_.add(block, e_.i64(kThreads.look_rows)),
                                                   extent());
          e_.unless_cancelled([&] { rows(block, end); });
        },
        kThreads.look_rows);
  }

  /// The lines of all columns, so few that registers carry their states.
  void emit_few(IndexSpan line, int64_t columns, int lanes) {
    auto row = [&](Value step, llvm::function_ref<Value(IndexSpan, size_t)> next) {
      Values states;
      for (int64_t first = 0; first < columns; first += lanes) {
        Value active = columns - first < lanes ? e_.i64(columns - first) : Value();
        with_cells(lanes, active, e_, [&](int own) {
          Index index = index_at(line, step);
          index.back() = Coordinate::progression(e_.i64(first), own > 1);
          states.push_back(next(index, states.size()));
        });
      }
      return states;
    };
    auto rest = [&](Value begin, ValueSpan first) {
      e_.loop(begin, extent(), first, [&](Value step, ValueSpan before) {
        return row(step, [&](IndexSpan index, size_t number) {
          return e_.spread(emit_step(index, before[number]));
        });
      });
    };
    if (op_.getExclusive())
      return rest(e_.i64(0),
                  row(e_.i64(0), [&](IndexSpan, size_t) { return e_.spread(identity()); }));
    e_.when(any(), [&] {
      rest(e_.i64(1),
           row(e_.i64(0), [&](IndexSpan index, size_t) { return e_.spread(emit_first(index)); }));
    });
  }

  /// As many lines as there are lanes, which go along another dim, `line` there a progression: by
  /// squares of as many steps, which are turned, then step by step.
  void emit_side_by_side(Index line, int64_t lanes) {
    e_.with_lanes(static_cast<int>(lanes), {}, [&] {
      Value whole =
          e_.sub(extent(), e_.b.createOrFold<mlir::arith::RemUIOp>(extent(), e_.i64(lanes)));
      auto square = [&](Value step, Value before) {
        return emit_square(line, step, before, lanes);
      };
      auto squares = [&](Value begin, Value state) {
        auto each = [&](Value step, ValueSpan before) { return Values{square(step, before[0])}; };
        return e_.loop(begin, whole, state, each, lanes)[0];
      };
      auto rest = [&](Value begin, Value state) {
        e_.loop(begin, extent(), state, [&](Value step, ValueSpan before) {
          return Values{e_.spread(emit_step(index_at(line, step), before[0]))};
        });
      };
      if (op_.getExclusive())
        return rest(whole, squares(e_.i64(0), e_.spread(identity())));
      Value has_square =
          e_.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::sgt, whole, e_.i64(0));
      e_.when(has_square, [&] { rest(whole, squares(e_.i64(lanes), square(e_.i64(0), {}))); });
      Value has_few = e_.b.createOrFold<mlir::arith::AndIOp>(
          any(),
          e_.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::eq, whole, e_.i64(0)));
      e_.when(has_few, [&] { rest(e_.i64(1), e_.spread(emit_first(index_at(line, e_.i64(0))))); });
    });
  }

  Value state_memory(int64_t columns) { return e_.scratch(state_, columns); }

private:
  Value extent() { return shape_[op_.getDim()]; }
  Value identity() { return emit_identity(fn_, state_, e_); }
  Value any() {
    return e_.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::sgt, extent(),
                                                  e_.i64(0));
  }

  Index index_at(IndexSpan line, Value step) {
    Index index(line);
    index[op_.getDim()] = op_.getReverse() ? e_.sub(e_.sub(extent(), e_.i64(1)), step) : step;
    return index;
  }
  Value element(IndexSpan index) {
    return e_.spread(emit_cast(dtype_, state_, e_.cell(op_.getOperand(), index), e_));
  }
  void store(IndexSpan index, Value state) {
    e_.store(0, dtype_, e_.ravel(index, shape_), emit_cast(state_, dtype_, state, e_));
  }

  /// The steps from one on in a vector, whose state all lanes of another hold; that behind them.
  /// Each element is combined with those 1, 2, 4, ... in front of it, and then with the state.
  Value emit_vector(IndexSpan line, Value step, Value state, int lanes) {
    Index from = index_at(line, step), to(from);
    if (op_.getReverse())
      to[op_.getDim()] = e_.sub(from[op_.getDim()].base, e_.i64(lanes - 1));
    from.back() = Coordinate::progression(from.back().base, op_.getReverse() ? -1 : 1);
    to.back() = Coordinate::progression(to.back().base, 1);
    Value neutral = e_.spread(identity()), combined = element(from);
    for (int distance = 1; distance < lanes; distance *= 2)
      combined =
          emit_function(fn_, state_, {shifted(neutral, combined, distance, lanes), combined}, e_);
    combined = emit_function(fn_, state_, {state, combined}, e_);
    Value given = op_.getExclusive() ? shifted(state, combined, 1, lanes) : combined;
    store(to, op_.getReverse() ? reversed(given, e_) : given);
    llvm::SmallVector<int32_t> last(lanes, lanes - 1);
    return mlir::LLVM::ShuffleVectorOp::create(e_.b, combined, combined, last);
  }

  /// A square of steps, of all lanes, from the state before them on; null where there is none.
  /// Gives the state behind them.
  Value emit_square(IndexSpan line, Value step, Value state, int64_t lanes) {
    // In the order of memory.
    Value first = index_at(line, step)[op_.getDim()].base;
    if (op_.getReverse())
      first = e_.sub(first, e_.i64(lanes - 1));
    Values rows, given(lanes);
    for (int64_t row = 0; row < lanes; ++row)
      rows.push_back(e_.add(first, e_.i64(row)));
    e_.with_tile(rows, {}, [&] {
      for (int64_t turn = 0; turn < lanes; ++turn) {
        const int64_t row = op_.getReverse() ? lanes - 1 - turn : turn;
        Index index(line);
        index[op_.getDim()] = rows[row];
        e_.at_tile_row(row);
        Value cell = element(index);
        Value next = state ? emit_function(fn_, state_, {state, cell}, e_) : cell;
        given[row] = emit_cast(state_, dtype_, op_.getExclusive() ? state : next, e_);
        state = next;
      }
    });
    Index from(line);
    from[op_.getDim()] = rows[0];
    e_.store_tile(op_.getResult(), from, given);
    return state;
  }

  /// The last elements of `front`, and behind them the first of `vector`.
  Value shifted(Value front, Value vector, int distance, int lanes) {
    llvm::SmallVector<int32_t> from;
    for (int lane = 0; lane < lanes; ++lane)
      from.push_back(lanes - distance + lane);
    return mlir::LLVM::ShuffleVectorOp::create(e_.b, front, vector, from);
  }

  /// The state of a line's first element alone.
  Value emit_first(IndexSpan index) {
    Value first = element(index);
    store(index, first);
    return first;
  }
  /// The next state.
  Value emit_step(IndexSpan index, Value state) {
    Value next = emit_function(fn_, state_, {state, element(index)}, e_);
    store(index, op_.getExclusive() ? state : next);
    return next;
  }

  ir::CumulativeOp op_;
  Emission& e_;
  Fn fn_;
  DType dtype_, state_;
  Values shape_;
};

/// Loops over the dims of the result, but for those of `line`; a part of the nest's own range.
class LineWalk {
public:
  LineWalk(ir::CumulativeOp op, Emission& e)
      : dim_(static_cast<size_t>(op.getDim())), e_(e), shape_(e.shape(op.getResult())),
        parallel_(nest::parallel_dim(e.nest())), emitter_(op, e) {
    lanes_ = nest::root_stage(e.schedule)->lanes;
    for (const nest::ScheduleNode& node : e.schedule.nodes)
      if (auto* ahead = std::get_if<nest::ScheduleAhead>(&node.what))
        emit_prefetch(*ahead, e);
    if (auto columns = nest::inner_step(e.schedule)) {
      columns_ = *columns;
      if (dim_ + 1 < shape_.size())
        states_ = emitter_.state_memory(columns_);
    }
  }

  void emit() {
    Index line(shape_.size(), Coordinate(e_.i64(0)));
    emit_from(0, line);
  }

private:
  std::pair<Value, Value> places_along(size_t dim) {
    return parallel_ == static_cast<int64_t>(dim) ? std::pair(e_.begin(), e_.end())
                                                  : std::pair(e_.i64(0), shape_[dim]);
  }

  void emit_from(size_t dim, Index& line) {
    if (dim == shape_.size())
      return emitter_.emit(line, lanes_);
    if (dim == dim_)
      return emit_from(dim + 1, line);
    auto [first, last] = places_along(dim);
    if (columns_ > 0 && dim + 2 == shape_.size() && dim_ + 1 == shape_.size())
      return emit_lines(line, first, last);
    if (columns_ > 0 && dim + 1 == shape_.size()) {
      auto count = constant_of(shape_[dim]);
      if (!count || *count > e_.machine.registers() / 2 * lanes_)
        return emit_blocks(line, first, last);
      Value all = e_.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::eq,
                                                         e_.sub(last, first), shape_[dim]);
      e_.choose(
          all,
          [&] {
            emitter_.emit_few(line, *count, lanes_);
            return Values();
          },
          [&, first = first, last = last] {
            emit_blocks(line, first, last);
            return Values();
          });
      return;
    }
    e_.loop(first, last, [&](Value place) {
      line[dim] = place;
      emit_from(dim + 1, line);
    });
  }

  /// Lines along the innermost dim, as many side by side as there are lanes.
  void emit_lines(Index line, Value first, Value last) {
    const size_t dim = shape_.size() - 2;
    Value left = e_.b.createOrFold<mlir::arith::RemUIOp>(e_.sub(last, first), e_.i64(lanes_));
    Value whole = e_.sub(last, left);
    e_.loop(
        first, whole,
        [&](Value place) {
          line[dim] = Coordinate::progression(place, 1);
          e_.unless_cancelled([&] { emitter_.emit_side_by_side(line, lanes_); });
        },
        lanes_);
    e_.loop(whole, last, [&](Value place) {
      line[dim] = place;
      emitter_.emit(IndexSpan(line), 1);
    });
  }

  void emit_blocks(IndexSpan line, Value first, Value last) {
    e_.loop(
        first, last,
        [&, last = last](Value column) {
          Value left = e_.sub(last, column);
          Value count = mlir::arith::MinSIOp::create(e_.b, left, e_.i64(columns_));
          emitter_.emit(line, {column, count, columns_, lanes_}, states_);
        },
        columns_);
  }

  const size_t dim_;
  Emission& e_;
  Values shape_;
  std::optional<int64_t> parallel_;
  LineEmitter emitter_;
  int lanes_;
  int64_t columns_ = 0; ///< lines that go side by side, row by row; 0: line by line
  Value states_;
};

} // namespace

void emit_whole(ir::CumulativeOp op, Emission& e) { LineWalk(op, e).emit(); }

} // namespace kolam::lower::cpu
