// Loops that change arrays element by element (ir/element_loop.h), as they stand: what a body
// computes is emitted op by op in its order, so that every read and change of memory is where the
// program has it.
#include "kolam/ir/element_loop.h"

#include "kolam/ir/pointwise.h"
#include "kolam/lower/carried.h"
#include "kolam/lower/clipped_starts.h"
#include "kolam/lower/cpu/scatter.h"
#include "kolam/lower/cpu/whole.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/lower/window.h"
#include "kolam/support/elementwise_code.h"
#include "kolam/support/error.h"

namespace kolam::lower::cpu {
namespace {

class ElementLoop {
public:
  ElementLoop(mlir::Operation* root, Emission& e) : root_(root), e_(e), s_(e.b) {}

  void emit() {
    mlir::OperandRange inits = ir::inits_of(root_);
    Places places;
    for (size_t state = 0; state < inits.size(); ++state) {
      places.push_back(ir::lies_in_memory(root_, state) ? std::optional(static_cast<int>(state))
                                                        : std::nullopt);
      if (places.back())
        e_.when(e_.lies_apart(*places.back(), inits[state]),
                [&] { emit_copy(*places.back(), inits[state]); });
    }
    Values last = emit_loop(root_, places);
    ValueSpan left = last;
    for (size_t state = 0; state < inits.size(); ++state)
      if (!places[state])
        store_few(root_->getResult(static_cast<unsigned>(state)), {}, take(left, inits[state]));
    e_.tell_apart(groups_of_memory(inits, places));
  }

private:
  /// By state: the result of the root in whose memory it lies; none of numbers.
  using Places = std::vector<std::optional<int>>;

  Values emit_loop(mlir::Operation* loop, const Places& places) {
    if (auto op = llvm::dyn_cast<ir::ForOp>(loop))
      return emit_for(op, places);
    if (auto op = llvm::dyn_cast<ir::ScanOp>(loop))
      return emit_scan(op, places);
    return emit_while(llvm::cast<ir::WhileOp>(loop), places);
  }

  /// Each changed array lies in memory of its own, which may be that of what it starts from. All
  /// others are one group: of these a result may take over the memory of an operand.
  std::vector<int> groups_of_memory(mlir::OperandRange inits, const Places& places) {
    std::vector<int> groups(e_.memories(), 0);
    int group = 0;
    for (auto [init, place] : llvm::zip(inits, places)) {
      if (!place)
        continue;
      groups[*place] = ++group;
      if (auto parameter = e_.parameter_of(init)) {
        if (groups[*parameter] != 0)
          return {}; // two start from it
        groups[*parameter] = group;
      }
    }
    return groups;
  }

  // Values of few elements are known by each of their places, in order.

  static int64_t few(mlir::Value value) { return *ir::few_elements(value); }

  /// Where the element of a number, row-major, lies, behind a place along the first dims.
  Index place_of_number(const Shape& shape, int64_t number, IndexSpan outer = {}) {
    Index index(outer);
    index.resize(shape.size());
    for (size_t dim = shape.size(); dim-- > outer.size(); number /= *shape[dim].constant())
      index[dim] = e_.i64(number % *shape[dim].constant());
    return index;
  }
  void each_place(mlir::Value value, llvm::function_ref<void(const Index&)> body) {
    for (int64_t number = 0; number < few(value); ++number)
      body(place_of_number(ir::shape_of(value), number));
  }

  Values cells_of(mlir::ValueRange values, const Places& places) {
    Values cells;
    for (auto [value, place] : llvm::zip(values, places))
      if (!place)
        each_place(value,
                   [&, value = value](const Index& at) { cells.push_back(e_.cell(value, at)); });
    return cells;
  }

  static ValueSpan take(ValueSpan& cells, mlir::Value like) {
    ValueSpan own = cells.take_front(static_cast<size_t>(few(like)));
    cells = cells.drop_front(own.size());
    return own;
  }

  void bind_few(mlir::Value value, ValueSpan cells) {
    e_.bind_cells(value, [this, value, own = Values(cells)](IndexSpan index) {
      if (own.size() == 1)
        return own[0];
      Values shape = e_.shape(value);
      Value number = e_.ravel(index, shape).base;
      if (auto known = constant_of(number)) // outside it is asked for in a branch that is not taken
        return own[std::min(static_cast<size_t>(*known), own.size() - 1)];
      Value cell = own[0];
      for (size_t other = 1; other < own.size(); ++other)
        cell = s_.select(
            e_.compare(mlir::arith::CmpIPredicate::eq, number, e_.i64(static_cast<int64_t>(other))),
            own[other], cell);
      return cell;
    });
  }

  void bind_memory(mlir::Value value, int place) {
    place_of_[value] = place;
    e_.bind_cells(value, [this, value, place](IndexSpan index) {
      return e_.load(place, ir::dtype_of(value), number_in(place, index));
    });
  }

  void bind_same(mlir::Value argument, mlir::Value value) {
    if (auto place = place_of(value))
      return bind_memory(argument, *place);
    e_.bind_cells(argument, [this, value](IndexSpan index) { return e_.cell(value, index); });
  }

  std::optional<int> place_of(mlir::Value value) const {
    auto found = place_of_.find(value);
    return found == place_of_.end() ? std::nullopt : std::optional(found->second);
  }

  Coordinate number_in(int place, IndexSpan index) {
    return e_.element_number(root_->getResult(static_cast<unsigned>(place)), index);
  }

  void store(int place, IndexSpan index, Value cell) {
    e_.store(place, ir::dtype_of(root_->getResult(static_cast<unsigned>(place))),
             number_in(place, index), cell);
  }

  /// Elements of a result behind a place along its first dims.
  void store_few(mlir::Value result, IndexSpan outer, ValueSpan cells) {
    const Shape shape = ir::shape_of(result);
    for (auto [number, cell] : llvm::enumerate(cells))
      e_.store_result(result, place_of_number(shape, static_cast<int64_t>(number), outer), cell);
  }

  /// The elements that a state starts from.
  void emit_copy(int place, mlir::Value from) {
    const Shape shape = ir::shape_of(from);
    const DType dtype = ir::dtype_of(from);
    const int64_t lanes = e_.machine.vector_bytes / byte_width(dtype);
    Value count = e_.extent(element_count(shape));
    auto copy = [&](const Coordinate& number) {
      Index index(shape.size(), Coordinate(e_.i64(0)));
      index.back() = number; // row-major, beyond the last dim's extent
      e_.store(place, dtype, number, e_.cell(from, index));
    };
    Value whole = e_.sub(count, e_.b.createOrFold<mlir::arith::RemUIOp>(count, e_.i64(lanes)));
    e_.loop(
        e_.i64(0), whole,
        [&](Value i) {
          e_.with_lanes(static_cast<int>(lanes), {}, [&] { copy(Coordinate::progression(i, 1)); });
        },
        lanes);
    e_.loop(whole, count, [&](Value i) { copy(Coordinate(i)); });
  }

  // Loops and branches.

  Value number(mlir::Value value) {
    Index zeros(ir::shape_of(value).size(), Coordinate(e_.i64(0)));
    return e_.cell(value, zeros);
  }
  Value as_i64(mlir::Value value) {
    Value own = number(value);
    Value wide = e_.widened(own);
    return wide ? wide : cast<ScalarBuilder, Value>(s_, ir::dtype_of(value), DType::i64, own);
  }

  void bind_states(mlir::Block& block, unsigned first, const Places& places, ValueSpan cells) {
    for (auto [state, place] : llvm::enumerate(places)) {
      mlir::Value argument = block.getArgument(first + static_cast<unsigned>(state));
      if (place)
        bind_memory(argument, *place);
      else
        bind_few(argument, take(cells, argument));
    }
  }
  void bind_captures(mlir::Block& block, size_t first, mlir::ValueRange captures) {
    for (auto [argument, value] : llvm::zip_equal(block.getArguments().drop_front(first), captures))
      bind_same(argument, value);
  }

  /// Operations of a step, about.
  static double work_of(mlir::Operation* loop) {
    return static_cast<double>(1 + ir::ops_inside(loop));
  }

  Values emit_for(ir::ForOp op, const Places& places) {
    Value lower = as_i64(op.getLower()), upper = as_i64(op.getUpper());
    mlir::Block& body = op.getBody().front();
    return emit_counted(
        emit_count(lower, upper, e_), work_of(op), cells_of(op.getInits(), places),
        [&](Value k, ValueSpan cells) {
          return turn([&] {
            Value i = cast<ScalarBuilder, Value>(s_, DType::i64, ir::dtype_of(op.getLower()),
                                                 e_.add(lower, k));
            bind_few(body.getArgument(0), {i});
            bind_states(body, 1, places, cells);
            bind_captures(body, 1 + places.size(), op.getCaptures());
            emit_block(body);
            return cells_of(body.getTerminator()->getOperands(), places);
          });
        },
        e_);
  }

  Values emit_scan(ir::ScanOp op, const Places& places) {
    Value length = e_.extent(op.getLength().shape()[0]);
    mlir::Block& body = op.getBody().front();
    const size_t states = places.size();
    return emit_counted(
        length, work_of(op), cells_of(op.getInits(), places),
        [&](Value k, ValueSpan cells) {
          return turn([&] {
            Value t = op.getReverse() ? e_.sub(e_.sub(length, e_.i64(1)), k) : k;
            bind_states(body, 0, places, cells);
            for (auto [argument, x] : llvm::zip(body.getArguments().drop_front(states), op.getXs()))
              e_.bind_cells(argument, [this, x = mlir::Value(x), t](IndexSpan inner) {
                Index place{Coordinate(t)};
                place.append(inner.begin(), inner.end());
                return e_.cell(x, place);
              });
            bind_captures(body, states + op.getXs().size(), op.getCaptures());
            emit_block(body);
            mlir::ValueRange yields = body.getTerminator()->getOperands();
            for (auto [whole, value] :
                 llvm::zip(op.getResults().drop_front(states), yields.drop_front(states)))
              store_few(whole, {Coordinate(t)}, cells_of(value, {std::nullopt}));
            return cells_of(yields.take_front(states), places);
          });
        },
        e_);
  }

  Values emit_while(ir::WhileOp op, const Places& places) {
    mlir::Block &condition = op.getCondition().front(), &body = op.getBody().front();
    auto enter = [&](mlir::Block& block, ValueSpan cells) {
      bind_states(block, 0, places, cells);
      bind_captures(block, places.size(), op.getCaptures());
      emit_block(block);
    };
    return e_.repeat(
        cells_of(op.getInits(), places),
        [&](ValueSpan cells) {
          return turn([&] {
            enter(condition, cells);
            return Values{number(condition.getTerminator()->getOperand(0))};
          })[0];
        },
        [&](ValueSpan cells) {
          return turn([&] {
            enter(body, cells);
            return cells_of(body.getTerminator()->getOperands(), places);
          });
        });
  }

  Values turn(llvm::function_ref<Values()> body) {
    e_.enter();
    Values values = body();
    e_.leave();
    return values;
  }

  void emit_branches(ir::CondOp op) {
    Places places(op.getNumResults());
    auto branch = [&](size_t chosen) {
      return turn([&] {
        mlir::Block& block = op.getBranches()[chosen].front();
        bind_captures(block, 0, op.getCaptures());
        emit_block(block);
        mlir::ValueRange yields = block.getTerminator()->getOperands();
        for (auto [place, value] : llvm::zip(places, yields))
          place = place_of(value);
        return cells_of(yields, places);
      });
    };
    Value selector = number(op.getSelector());
    const DType dtype = ir::dtype_of(op.getSelector());
    const size_t count = op.getBranches().size();
    std::function<Values(size_t)> from = [&](size_t first) -> Values {
      if (first + 1 == count)
        return branch(first);
      Value bound = s_.int_constant_like(selector, static_cast<int64_t>(first));
      Value is_up_to = is_signed_integer(dtype) ? s_.sle(selector, bound) : s_.ule(selector, bound);
      return e_.choose_alike(
          is_up_to, [&] { return branch(first); }, [&] { return from(first + 1); });
    };
    Values cells = dtype == DType::boolean
                       ? e_.choose_alike(
                             selector, [&] { return branch(1); }, [&] { return branch(0); })
                       : from(0);
    bind_results(op, places, cells);
  }

  void bind_results(mlir::Operation* op, const Places& places, ValueSpan cells) {
    for (auto [result, place] : llvm::zip(op->getResults(), places))
      if (place)
        bind_memory(result, *place);
      else
        bind_few(result, take(cells, result));
  }

  // Bodies.

  void emit_block(mlir::Block& block) {
    for (mlir::Operation& op : block.without_terminator())
      emit_op(&op);
  }

  void emit_op(mlir::Operation* op) {
    if (ir::is_loop(op)) {
      Places places;
      for (mlir::Value init : ir::inits_of(op))
        places.push_back(place_of(init));
      return bind_results(op, places, emit_loop(op, places));
    }
    if (auto cond = llvm::dyn_cast<ir::CondOp>(op))
      return emit_branches(cond);
    if (auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op))
      if (auto place = place_of(update.getOperand())) {
        Index at = clipped_starts(op, update.getStarts(), ir::shape_of(update.getOperand()),
                                  ir::shape_of(update.getUpdate()), e_);
        store(*place, at, number(update.getUpdate()));
        return bind_memory(update.getResult(), *place);
      }
    if (auto scatter = llvm::dyn_cast<ir::ScatterOp>(op))
      if (place_of(scatter.getDestinations()[0]))
        return emit_scatter(scatter);
    // An array that no one changes is computed where it is read.
    if (!llvm::all_of(op->getResults(), [](mlir::Value v) { return !!ir::few_elements(v); }))
      return;
    std::vector<Values> cells(op->getNumResults());
    e_.turn_by_turn(ir::kFewElements, [&] {
      each_place(op->getResult(0), [&](const Index& at) {
        for (auto [own, cell] : llvm::zip(cells, e_.cells(op, at)))
          own.push_back(cell);
      });
    });
    for (auto [result, own] : llvm::zip(op->getResults(), cells))
      bind_few(result, own);
  }

  void emit_scatter(ir::ScatterOp op) {
    mlir::Value first = op.getDestinations()[0];
    Index batch(static_cast<size_t>(ir::rank_of(op.getIndices()) - 1), Coordinate(e_.i64(0)));
    const auto batched = static_cast<size_t>(op.getBatchedDims());
    Values extents = e_.shape(first), window(extents.size() - batched, e_.i64(1));
    WindowStart places = window_start(emit_places(op.getIndices(), batch, e_), op.getDims(),
                                      ValueSpan(extents).drop_front(batched), window, e_);
    auto change = [&](const Index& start) {
      Index at(batched, Coordinate(e_.i64(0)));
      at.append(start.begin(), start.end());
      Values before, updates;
      for (auto [destination, update] : llvm::zip(op.getDestinations(), op.getUpdates())) {
        before.push_back(e_.cell(destination, at));
        updates.push_back(number(update));
      }
      for (auto [destination, cell] :
           llvm::zip(op.getDestinations(), emit_combine(op, before, updates, e_)))
        store(*place_of(destination), at, cell);
    };
    if (op.getMode() == "drop" || op.getMode() == "element")
      e_.when(emit_is_inside(places, op.getDims(), e_), [&] { change(places.start); });
    else
      change(emit_clip_start(places, op.getDims(), e_));
    for (auto [destination, result] : llvm::zip(op.getDestinations(), op->getResults()))
      bind_memory(result, *place_of(destination));
  }

  mlir::Operation* root_;
  Emission& e_;
  ScalarBuilder s_;
  llvm::DenseMap<mlir::Value, int> place_of_; ///< of versions of arrays: see `Places`
};

} // namespace

void emit_whole(ir::ForOp op, Emission& e) { ElementLoop(op, e).emit(); }
void emit_whole(ir::ScanOp op, Emission& e) { ElementLoop(op, e).emit(); }
void emit_whole(ir::WhileOp op, Emission& e) { ElementLoop(op, e).emit(); }

} // namespace kolam::lower::cpu
