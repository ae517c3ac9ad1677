// Loops over elements and small arrays (ir/element_loop.h), as they stand: what a body computes is
// emitted op by op in its order, so that every read and change of memory is where the program has
// it.
#include "kolam/ir/element_loop.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/ir/pointwise.h"
#include "kolam/lower/carried.h"
#include "kolam/lower/clipped_starts.h"
#include "kolam/lower/cpu/scatter.h"
#include "kolam/lower/cpu/small_arrays.h"
#include "kolam/lower/cpu/whole.h"
#include "kolam/lower/window.h"
#include "kolam/support/elementwise_code.h"
#include "kolam/support/error.h"

namespace kolam::lower::cpu {
namespace {

/// Whether a matrix is a factor of products that go along vectors of their last dim, along which
/// its own elements do not lie side by side.
bool is_read_across(mlir::Value matrix, bool is_transposed = false) {
  constexpr int64_t kMost = 1024; // bound: elements that are copied once
  if (ir::rank_of(matrix) != 2 ||
      element_count(ir::shape_of(matrix)).constant().value_or(kMost + 1) > kMost)
    return false;
  return llvm::any_of(matrix.getUses(), [&](mlir::OpOperand& use) {
    if (llvm::isa<ir::TransposeOp>(use.getOwner()))
      return !is_transposed && is_read_across(use.getOwner()->getResult(0), true);
    auto product = llvm::dyn_cast<ir::ContractOp>(use.getOwner());
    if (!product || use.getOperandNumber() > 1)
      return false;
    auto spec = *ir::parse_contract_spec(product.getSpec().str());
    const std::vector<int>& dims = use.getOperandNumber() == 0 ? spec.lhs : spec.rhs;
    return dims[is_transposed ? 1 : 0] == spec.result_count - 1;
  });
}

class ElementLoop {
public:
  ElementLoop(mlir::Operation* root, Emission& e) : root_(root), e_(e), s_(e.b), arrays_(root, e) {}

  void emit() {
    mlir::OperandRange inits = ir::inits_of(root_);
    Places places;
    for (size_t state = 0; state < inits.size(); ++state) {
      places.emplace_back();
      if (!ir::lies_in_memory(root_, state))
        continue;
      const auto number = static_cast<int>(state);
      places.back().result = number;
      places.back().is_anew = !ir::is_kept(root_, state);
      e_.when(e_.lies_apart(number, inits[state]), [&] { arrays_.copy(number, inits[state]); });
    }
    transpose_captures();
    Values last = emit_loop(root_, places);
    ValueSpan left = last;
    for (size_t state = 0; state < inits.size(); ++state)
      if (places[state].is_numbers())
        arrays_.store_few(root_->getResult(static_cast<unsigned>(state)), {},
                          arrays_.take(left, inits[state]));
    e_.tell_apart(groups_of_memory(inits, places));
  }

private:
  /// Of matrices that every step reads across, copies of which vectors are read.
  void transpose_captures() {
    mlir::Block& body = root_->getRegions().back().front();
    for (auto [argument, capture] :
         llvm::zip(body.getArguments().take_back(ir::captures_of(root_).size()),
                   ir::captures_of(root_))) {
      if (!is_read_across(argument))
        continue;
      const DType dtype = ir::dtype_of(capture);
      Values extents = e_.shape(capture);
      Value memory = e_.scratch(dtype, *element_count(ir::shape_of(capture)).constant());
      e_.loops(extents, [&, capture = capture](IndexSpan index) {
        e_.store(memory, dtype, e_.ravel({index[1], index[0]}, {extents[1], extents[0]}),
                 e_.cell(capture, index));
      });
      transposed_[argument] = memory;
    }
  }

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
      if (!place.result)
        continue;
      groups[*place.result] = ++group;
      if (auto parameter = e_.parameter_of(init)) {
        if (groups[*parameter] != 0)
          return {}; // two start from it
        groups[*parameter] = group;
      }
    }
    return groups;
  }

  /// What a step hands on: numbers, and states that it made anew, all of which are there before
  /// one takes the memory of what it was.
  Values next_states(mlir::ValueRange yields, const Places& places) {
    Values numbers = arrays_.cells_of(yields, places);
    std::vector<std::pair<size_t, Place>> anew;
    for (auto [state, place] : llvm::enumerate(places))
      if (place.is_anew) {
        anew.emplace_back(state, arrays_.place_for(yields[state]));
        arrays_.write(anew.back().second, yields[state]);
      }
    for (const auto& [state, next] : anew)
      arrays_.copy(next, places[state], yields[state]);
    return numbers;
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
    for (auto [state, place] : llvm::enumerate(places))
      bind(block.getArgument(first + static_cast<unsigned>(state)), place, cells);
  }
  /// Of a value that is numbers the next of them.
  void bind(mlir::Value value, const Place& place, ValueSpan& cells) {
    if (place.is_numbers())
      arrays_.bind_few(value, arrays_.take(cells, value));
    else if (place.is_anew)
      arrays_.bind_kept(value, place);
    else
      arrays_.bind_memory(value, place);
  }
  void bind_captures(mlir::Block& block, size_t first, mlir::ValueRange captures) {
    for (auto [argument, value] :
         llvm::zip_equal(block.getArguments().drop_front(first), captures)) {
      arrays_.bind_same(argument, value);
      if (Value memory = transposed_.lookup(argument))
        e_.bind_cells(argument, [this, value = mlir::Value(value), memory](IndexSpan index) {
          if (index[0].is_uniform() || !index[1].is_uniform())
            return e_.cell(value, index);
          Values extents = e_.shape(value);
          return e_.load(memory, ir::dtype_of(value),
                         e_.ravel({index[1], index[0]}, {extents[1], extents[0]}));
        });
    }
  }

  /// Operations of a step, about.
  static double work_of(mlir::Operation* loop) {
    return static_cast<double>(1 + ir::ops_inside(loop));
  }

  Values emit_for(ir::ForOp op, const Places& places) {
    Value lower = as_i64(op.getLower()), upper = as_i64(op.getUpper());
    mlir::Block& body = op.getBody().front();
    return emit_counted(
        emit_count(lower, upper, e_), work_of(op), arrays_.cells_of(op.getInits(), places),
        [&](Value k, ValueSpan cells) {
          return turn([&] {
            Value i = cast<ScalarBuilder, Value>(s_, DType::i64, ir::dtype_of(op.getLower()),
                                                 e_.add(lower, k));
            arrays_.bind_few(body.getArgument(0), {i});
            bind_states(body, 1, places, cells);
            bind_captures(body, 1 + places.size(), op.getCaptures());
            emit_block(body);
            return next_states(body.getTerminator()->getOperands(), places);
          });
        },
        e_);
  }

  Values emit_scan(ir::ScanOp op, const Places& places) {
    Value length = e_.extent(op.getLength().shape()[0]);
    mlir::Block& body = op.getBody().front();
    const size_t states = places.size();
    return emit_counted(
        length, work_of(op), arrays_.cells_of(op.getInits(), places),
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
              arrays_.stack(whole, t, value);
            return next_states(yields.take_front(states), places);
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
        arrays_.cells_of(op.getInits(), places),
        [&](ValueSpan cells) {
          return turn([&] {
            enter(condition, cells);
            return Values{number(condition.getTerminator()->getOperand(0))};
          })[0];
        },
        [&](ValueSpan cells) {
          return turn([&] {
            enter(body, cells);
            return next_states(body.getTerminator()->getOperands(), places);
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
    for (auto [result, place] : llvm::zip(op->getResults(), places))
      if (!ir::few_elements(result) && !changes_memory(result)) {
        place = arrays_.place_for(result);
        place.is_anew = true;
      }
    auto branch = [&](size_t chosen) {
      return turn([&] {
        mlir::Block& block = op.getBranches()[chosen].front();
        bind_captures(block, 0, op.getCaptures());
        emit_block(block);
        mlir::ValueRange yields = block.getTerminator()->getOperands();
        for (auto [place, value] : llvm::zip(places, yields))
          if (place.is_anew)
            arrays_.write(place, value);
          else
            place = arrays_.place_of(value);
        return arrays_.cells_of(yields, places);
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
      bind(result, place, cells);
  }

  /// Whether a branch's result is a version of an array that changes in memory.
  bool changes_memory(mlir::OpResult result) const {
    mlir::Value source = ir::changed_by(result);
    return source && arrays_.changes_in_memory(source);
  }

  // Bodies.

  void emit_block(mlir::Block& block) {
    for (mlir::Operation& op : block.without_terminator())
      emit_op(&op);
  }

  void emit_op(mlir::Operation* op) {
    if (ir::is_loop(op)) {
      Places places;
      for (auto [state, init] : llvm::enumerate(ir::inits_of(op))) {
        places.push_back(arrays_.place_of(init));
        if (arrays_.changes_in_memory(init) || ir::few_elements(init))
          continue;
        places.back() = arrays_.place_for(init);
        places.back().is_anew = !ir::is_kept(op, state);
        arrays_.write(places.back(), init);
      }
      return bind_results(op, places, emit_loop(op, places));
    }
    if (auto cond = llvm::dyn_cast<ir::CondOp>(op))
      return emit_branches(cond);
    if (auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op))
      if (arrays_.changes_in_memory(update.getOperand())) {
        const Place place = arrays_.place_of(update.getOperand());
        Index start = clipped_starts(op, update.getStarts(), ir::shape_of(update.getOperand()),
                                     ir::shape_of(update.getUpdate()), e_);
        mlir::Value window = update.getUpdate();
        arrays_.each_vector(ir::shape_of(window), window, [&](const Index& index) {
          arrays_.store(place, update.getOperand(), sum(start, index),
                        e_.spread(e_.cell(window, index)));
        });
        return arrays_.bind_memory(update.getResult(), place);
      }
    if (auto scatter = llvm::dyn_cast<ir::ScatterOp>(op))
      if (arrays_.changes_in_memory(scatter.getDestinations()[0]))
        return emit_scatter(scatter);
    const bool is_few =
        llvm::all_of(op->getResults(), [](mlir::Value v) { return !!ir::few_elements(v); });
    const bool reads_memory = llvm::any_of(
        op->getOperands(), [&](mlir::Value operand) { return arrays_.changes_in_memory(operand); });
    if (ir::is_written(op) || (reads_memory && !is_few))
      return arrays_.write(op);
    // An array that no one changes is computed where it is read.
    if (!is_few)
      return;
    std::vector<Values> cells(op->getNumResults());
    e_.turn_by_turn(ir::kFewElements, [&] {
      arrays_.each_place(op->getResult(0), [&](const Index& at) {
        for (auto [own, cell] : llvm::zip(cells, e_.cells(op, at)))
          own.push_back(cell);
      });
    });
    for (auto [result, own] : llvm::zip(op->getResults(), cells))
      arrays_.bind_few(result, own);
  }

  /// An index from a start on.
  Index sum(IndexSpan start, IndexSpan index) {
    Index result;
    for (auto [from, step] : llvm::zip_equal(start, index))
      result.push_back(e_.add(from, step));
    return result;
  }

  void emit_scatter(ir::ScatterOp op) {
    mlir::Value first = op.getDestinations()[0];
    Index batch(static_cast<size_t>(ir::rank_of(op.getIndices()) - 1), Coordinate(e_.i64(0)));
    const auto batched = static_cast<size_t>(op.getBatchedDims());
    Values extents = e_.shape(first);
    const Shape update = ir::shape_of(op.getUpdates()[0]),
                own(update.begin() + batch.size(), update.end());
    Values window;
    for (const Extent& extent : own)
      window.push_back(e_.extent(extent));
    WindowStart places = window_start(emit_places(op.getIndices(), batch, e_), op.getDims(),
                                      ValueSpan(extents).drop_front(batched), window, e_);
    auto change = [&](const Index& start) {
      arrays_.each_vector(own, op.getUpdates(), [&](const Index& index) {
        Index at(batched, Coordinate(e_.i64(0))), from(batch);
        llvm::append_range(at, sum(start, index));
        llvm::append_range(from, index);
        Values before, updates;
        for (auto [destination, update] : llvm::zip(op.getDestinations(), op.getUpdates())) {
          before.push_back(e_.cell(destination, at));
          updates.push_back(e_.cell(update, from));
        }
        for (auto [destination, cell] :
             llvm::zip(op.getDestinations(), emit_combine(op, before, updates, e_)))
          arrays_.store(arrays_.place_of(destination), destination, at, e_.spread(cell));
      });
    };
    if (op.getMode() == "drop" || op.getMode() == "element")
      e_.when(emit_is_inside(places, op.getDims(), e_), [&] { change(places.start); });
    else
      change(emit_clip_start(places, op.getDims(), e_));
    for (auto [destination, result] : llvm::zip(op.getDestinations(), op->getResults()))
      arrays_.bind_memory(result, arrays_.place_of(destination));
  }

  mlir::Operation* root_;
  Emission& e_;
  ScalarBuilder s_;
  SmallArrays arrays_;
  llvm::DenseMap<mlir::Value, Value> transposed_; ///< see `transpose_captures`
};

} // namespace

void emit_whole(ir::ForOp op, Emission& e) { ElementLoop(op, e).emit(); }
void emit_whole(ir::ScanOp op, Emission& e) { ElementLoop(op, e).emit(); }
void emit_whole(ir::WhileOp op, Emission& e) { ElementLoop(op, e).emit(); }

} // namespace kolam::lower::cpu
