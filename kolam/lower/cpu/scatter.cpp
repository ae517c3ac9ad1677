// kolam.scatter as a nest of its own: copies the destinations, then combines updates in batch
// order.
#include "kolam/lower/cpu/scatter.h"

#include "kolam/analysis/access.h"
#include "kolam/lower/cpu/fetch_ahead.h"
#include "kolam/lower/cpu/result_cells.h"
#include "kolam/lower/cpu/scattered_elements.h"
#include "kolam/lower/cpu/whole.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/lower/window.h"
#include "kolam/nest/scattered_elements.h"
#include "kolam/support/elementwise_code.h"

#include "llvm/ADT/bit.h"

namespace kolam::lower::cpu {

Values emit_combine(ir::ScatterOp op, const Values& state, const Values& update, Emission& e) {
  llvm::StringRef combiner = op.getCombiner();
  if (combiner == "kUpdate")
    return update;
  if (combiner == "user") {
    Values arguments = state;
    arguments.append(update);
    return e.region(op.getCombine(), arguments, op.getCaptures());
  }
  ScalarBuilder s(e.b);
  Values next;
  for (auto [destination, old, value] : llvm::zip(op.getDestinations(), state, update)) {
    DType dtype = ir::dtype_of(destination);
    auto apply = [&](Fn fn, Value x, Value y) {
      return elementwise<ScalarBuilder, Value>(s, fn, dtype, Values{x, y});
    };
    if (combiner == "kAdd")
      next.push_back(apply(Fn::add, old, value));
    else if (combiner == "kMul")
      next.push_back(apply(Fn::multiply, old, value));
    else if (combiner == "kMin")
      next.push_back(s.select(apply(Fn::less, value, old), value, old));
    else
      next.push_back(s.select(apply(Fn::greater, value, old), value, old));
  }
  return next;
}

namespace {

/// Places [first, last) along a dim.
struct Range {
  Value first, last;
};

/// Elements of a window differ from one another, so that those side by side in memory, its run, are
/// taken by vectors; windows come one after another.
class ScatterEmitter {
public:
  ScatterEmitter(ir::ScatterOp op, Emission& e)
      : op_(op), e_(e), shape_(e.shape(op.getDestinations()[0])),
        batches_(e.shape(op.getIndices())), window_(e.shape(op.getUpdates()[0])),
        batched_(op.getBatchedDims()), shared_(analysis::shared_dims(op)) {
    batches_.pop_back();
    window_.erase(window_.begin(), window_.begin() + static_cast<int64_t>(batches_.size()));
    covers_run_ = shared_.trailing > 0;
    run_dims_ = covers_run_ ? shared_.trailing : std::min<size_t>(1, window_.size());
    cells_ = e.i64(1);
    for (Value extent : ValueSpan(window_).take_back(run_dims_))
      cells_ = e.mul(cells_, extent);
    run_ = {e.i64(0), cells_};
    if (shared_.are_wide && !shared_.outermost)
      run_ = {e.begin(), e.end()};
    lanes_ = nest::root_stage(e.schedule)->lanes;
  }

  void emit() {
    for (auto [number, destination] : llvm::enumerate(op_.getDestinations()))
      e_.when(e_.lies_apart(static_cast<int>(number), destination),
              [&] { emit_copy(static_cast<int>(number)); });
    if (nest::places_by_vectors(op_))
      elements_.emplace(
          op_, lanes_,
          [this](const Values& states, const Values& updates) {
            return emit_combine(op_, states, updates, e_);
          },
          e_);
    Index batch;
    emit_batches(batch);
  }

private:
  /// Batches act in parts, between which the call may stop.
  static constexpr int64_t kBatchBlock = kThreads.look_batches;
  /// Size of code: vectors that stand in it one after another.
  static constexpr int64_t kUnrolled = 8;

  /// Rows are copied by whole registers, or the part of one that they fill.
  int copied_at_once(Value destination, Value length) {
    int64_t row = constant_of(length).value_or(INT64_MAX);
    int64_t most = e_.machine.vector_bytes / byte_width(ir::dtype_of(destination));
    return row < kShortRun
               ? 1
               : static_cast<int>(llvm::bit_floor(static_cast<uint64_t>(std::min(row, most))));
  }

  /// The part of a destination's dim that this call takes.
  Range range_of(size_t dim) {
    return dim == 0 && (shared_.outermost || nest::shares_results(op_))
               ? Range{e_.begin(), e_.end()}
               : Range{e_.i64(0), shape_[dim]};
  }

  /// The element of a value at `outer` and a place along the run, which its last dims form.
  Value cell(Value value, IndexSpan outer, const Coordinate& place) {
    Values extents = e_.shape(value);
    bool joins = true;
    for (size_t dim = outer.size(); dim + 1 < extents.size(); ++dim)
      joins = joins && e_.joined.joins(value, static_cast<int64_t>(dim));
    Index index(outer);
    if (joins) {
      index.append(extents.size() - outer.size(), Coordinate(e_.i64(0)));
      if (run_dims_ > 0)
        index.back() = place;
    } else {
      index.append(e_.unravel(place, ValueSpan(extents).drop_front(outer.size())));
    }
    return e_.cell(value, index);
  }

  /// for every vector of a range: body(place)
  void emit_run(Range range, int lanes, llvm::function_ref<void(const Coordinate&)> body) {
    if (lanes == 1)
      return e_.loop(range.first, range.last, [&](Value place) { body(place); });
    auto whole = [&](Value place) {
      e_.with_lanes(lanes, {}, [&] { body(Coordinate::progression(place, 1)); });
    };
    Value count = e_.sub(range.last, range.first);
    Value left = e_.b.createOrFold<mlir::arith::RemUIOp>(count, e_.i64(lanes));
    Value end = e_.sub(range.last, left);
    if (auto known = constant_of(count); known && *known / lanes <= kUnrolled)
      for (int64_t vector = 0; vector < *known / lanes; ++vector)
        whole(e_.add(range.first, e_.i64(vector * lanes)));
    else
      e_.loop(range.first, end, whole, lanes);
    Value some =
        e_.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::sgt, left, e_.i64(0));
    e_.when(some, [&] {
      with_cells(lanes, left, e_, [&](int count) {
        body(count > 1 ? Coordinate::progression(end, 1) : Coordinate(end));
      });
    });
  }

  void emit_copy(int number) {
    Value destination = op_.getDestinations()[number];
    size_t outer = shape_.size() - run_dims_;
    Index row;
    std::function<void()> nested = [&] {
      if (row.size() < outer) {
        Range range = range_of(row.size());
        return e_.loop(range.first, range.last, [&](Value i) {
          row.push_back(i);
          nested();
          row.pop_back();
        });
      }
      Value length = run_dims_ > 0 ? shape_.back() : e_.i64(1);
      Index first(row);
      first.append(run_dims_, Coordinate(e_.i64(0)));
      Value start = e_.ravel(first, shape_).base;
      auto copy = [&](const Coordinate& place) {
        e_.store(number, ir::dtype_of(destination), e_.add(Coordinate(start), place),
                 cell(destination, row, place));
      };
      // Rows are copied by vectors, whatever the windows fill of them.
      if (covers_run_)
        emit_run(run_, lanes_, copy);
      else
        emit_run(run_dims_ == 1 ? range_of(outer) : Range{e_.i64(0), length},
                 copied_at_once(destination, length), copy);
    };
    nested();
  }

  void emit_batches(Index& batch) {
    size_t dim = batch.size();
    if (dim == batches_.size())
      return emit_batch(batch);
    Range range = dim < batched_ ? range_of(dim) : Range{e_.i64(0), batches_[dim]};
    auto each = [&](Value first, Value last) {
      if (elements_ && dim + 1 == batches_.size())
        return elements_->emit_row(batch, first, last);
      e_.loop(first, last, [&](Value i) {
        batch.push_back(i);
        emit_batches(batch);
        batch.pop_back();
      });
    };
    if (dim + 1 < batches_.size() || constant_of(batches_[dim]).value_or(INT64_MAX) <= kBatchBlock)
      return each(range.first, range.last);
    e_.loop(
        range.first, range.last,
        [&](Value first) {
          Value last =
              mlir::arith::MinSIOp::create(e_.b, e_.add(first, e_.i64(kBatchBlock)), range.last);
          e_.unless_cancelled([&] { each(first, last); });
        },
        kBatchBlock);
  }

  void emit_batch(IndexSpan batch) {
    emit_fetches(batch);
    ValueSpan extents = ValueSpan(shape_).drop_front(batched_);
    WindowStart places =
        window_start(emit_places(op_.getIndices(), batch, e_), op_.getDims(), extents, window_, e_);
    auto emit = [&](const Index& start) {
      Index offset;
      emit_window(batch, start, offset);
    };
    if (op_.getMode() == "drop")
      e_.when(emit_is_inside(places, op_.getDims(), e_), [&] { emit(places.start); });
    else if (op_.getMode() == "element")
      emit(clip_to_edges(places.start));
    else
      emit(emit_clip_start(places, op_.getDims(), e_));
  }

  void emit_fetches(IndexSpan batch) {
    if (lanes_ == 1)
      return;
    Shape window = ir::shape_of(op_.getUpdates()[0]);
    window.erase(window.begin(), window.begin() + static_cast<int64_t>(batches_.size()));
    for (auto [number, destination] : llvm::enumerate(op_.getDestinations())) {
      FarWindows windows{e_.result_buffer(static_cast<int>(number)),
                         ir::dtype_of(destination),
                         ir::shape_of(destination),
                         window,
                         op_.getIndices(),
                         op_.getDims(),
                         batched_};
      if (!are_fetched_ahead(windows, e_))
        continue;
      Range run = covers_run_ ? run_ : Range{e_.i64(0), e_.extent(cells_in_a_row(windows))};
      // Parts of rows that follow one another are no stream that the processor would fetch.
      emit_fetch_ahead(windows, batch, run.first, run.last, op_.getUpdates()[number], e_);
    }
  }

  /// Starts in [-length, extent]: windows further off have no elements inside either.
  Index clip_to_edges(Index start) {
    ValueSpan extents = ValueSpan(shape_).drop_front(batched_);
    for (int64_t dim : op_.getDims()) {
      Value lowest = e_.sub(e_.i64(0), window_[dim]);
      Value lifted = mlir::arith::MaxSIOp::create(e_.b, start[dim].base, lowest);
      start[dim] = mlir::arith::MinSIOp::create(e_.b, lifted, extents[dim]).getResult();
    }
    return start;
  }

  /// The part of a window along a dim that lies inside and is this call's.
  Range inside(const Index& start, size_t dim) {
    if (!llvm::is_contained(op_.getDims(), static_cast<int64_t>(dim)))
      return range_of(batched_ + dim);
    if (op_.getMode() != "element")
      return {e_.i64(0), window_[dim]};
    Value extent = shape_[batched_ + dim], place = start[dim].base;
    Value first = mlir::arith::MaxSIOp::create(e_.b, e_.sub(e_.i64(0), place), e_.i64(0));
    Value last = mlir::arith::MinSIOp::create(e_.b, e_.sub(extent, place), window_[dim]);
    return {first, last};
  }

  /// The elements of a batch's window at `start` that lie inside.
  void emit_window(IndexSpan batch, const Index& start, Index& offset) {
    size_t dim = offset.size(), outer = window_.size() - run_dims_;
    if (dim < outer) {
      Range range = inside(start, dim);
      auto at = [&](Value i) {
        offset.push_back(i);
        emit_window(batch, start, offset);
        offset.pop_back();
      };
      bool is_single = constant_of(range.first) == 0 && constant_of(range.last) == 1;
      return is_single ? at(range.first) : e_.loop(range.first, range.last, at);
    }
    Index target(batch.take_front(batched_)), source(batch);
    source.append(offset.begin(), offset.end());
    for (size_t d = 0; d < window_.size(); ++d)
      target.push_back(d < outer ? e_.add(start[d], offset[d]) : start[d]);
    Value first = e_.ravel(target, shape_).base;
    Range run = run_dims_ == 0 ? Range{e_.i64(0), e_.i64(1)}
                : covers_run_  ? run_
                               : inside(start, dim);
    emit_run(run, lanes_, [&](const Coordinate& place) {
      emit_update(e_.add(Coordinate(first), place), source, place);
    });
  }

  /// result[target] = combine(result[target], update[source, place]) for all destinations.
  void emit_update(const Coordinate& target, IndexSpan source, const Coordinate& place) {
    Values state, update;
    for (auto [number, value] : llvm::enumerate(op_.getUpdates())) {
      state.push_back(e_.load(static_cast<int>(number), ir::dtype_of(value), target));
      update.push_back(cell(value, source, place));
    }
    for (auto [number, value] : llvm::enumerate(emit_combine(op_, state, update, e_)))
      e_.store(static_cast<int>(number), ir::dtype_of(op_.getUpdates()[number]), target, value);
  }

  ir::ScatterOp op_;
  Emission& e_;
  Values shape_, batches_, window_;
  size_t batched_;
  analysis::SharedDims shared_;
  size_t run_dims_; ///< the last dims of a window, whose elements follow one another
  bool covers_run_; ///< windows are as long as the destination along them
  Value cells_;     ///< of the run
  Range run_;       ///< of these, what this call takes
  int lanes_;
  std::optional<ScatteredElements> elements_; ///< where windows are single elements
};

} // namespace

void emit_whole(ir::ScatterOp op, Emission& e) { ScatterEmitter(op, e).emit(); }

} // namespace kolam::lower::cpu
