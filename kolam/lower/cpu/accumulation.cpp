// Emits chunks, lanes and the pairwise tree over chunks.
#include "kolam/lower/cpu/accumulation.h"

#include "kolam/lower/interleaved.h"
#include "kolam/nest/lanes.h"

namespace kolam::lower::cpu {
namespace {

/// Memory for states: that of the combiner's slots, or scratch memory for `count`.
class StateMemory {
public:
  StateMemory(const Combiner& combiner, int64_t count, Emission& e)
      : dtypes_(combiner.dtypes), e_(e) {
    for (DType dtype : dtypes_)
      pointers_.push_back(e.scratch(dtype, count));
  }
  StateMemory(const Combiner& combiner, Emission& e) : dtypes_(combiner.dtypes), e_(e) {
    stride_ = static_cast<int64_t>(dtypes_.size());
    for (size_t part = 0; part < dtypes_.size(); ++part)
      pointers_.push_back(e.advanced(
          combiner.slots, e.i64(static_cast<int64_t>(part) * e.lanes() * byte_width(dtypes_[0]))));
  }

  Values load(Value slot) {
    Values state;
    for (auto [dtype, pointer] : llvm::zip(dtypes_, pointers_))
      state.push_back(e_.load(pointer, dtype, cell_of(slot)));
    return state;
  }

  void store(Value slot, ValueSpan state) {
    for (auto [dtype, pointer, value] : llvm::zip(dtypes_, pointers_, state))
      e_.store(pointer, dtype, cell_of(slot), value);
  }

private:
  /// A state has an element for each lane.
  Coordinate cell_of(Value slot) {
    Value first = e_.mul(slot, e_.i64(stride_ * e_.lanes()));
    return Coordinate::progression(first, e_.lanes() > 1 ? 1 : 0);
  }

  const std::vector<DType>& dtypes_;
  Values pointers_;
  int64_t stride_ = 1; ///< from a state to the next, in elements of all lanes
  Emission& e_;
};

Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y, Emission& e) {
  return e.b.createOrFold<mlir::arith::CmpIOp>(predicate, x, y);
}

Value smaller(Value x, Value y, Emission& e) { return mlir::arith::MinSIOp::create(e.b, x, y); }

/// A state is a vector wherever several elements are computed at once, also where its elements are
/// the same for all lanes.
Combiner spread_states(const Combiner& cells, Emission& e) {
  Combiner combiner = cells;
  combiner.first = [first = cells.first, &e](const Coordinate& i) { return e.spread(first(i)); };
  combiner.step = [step = cells.step, &e](ValueSpan state, const Coordinate& i) {
    return e.spread(step(state, i));
  };
  combiner.merge = [merge = cells.merge, &e](ValueSpan a, ValueSpan b) {
    return e.spread(merge(a, b));
  };
  combiner.empty = [empty = cells.empty, &e] { return e.spread(empty()); };
  if (cells.neutral)
    combiner.neutral = [neutral = cells.neutral, &e] { return e.spread(neutral()); };
  if (cells.chunk)
    combiner.chunk = [chunk = cells.chunk, &e](Value start, Value count) {
      return e.spread(chunk(start, count));
    };
  return combiner;
}

/// How many states fill a register: of integers of one and two bytes more than of others.
int64_t lanes_of_states(const Combiner& combiner, const Emission& e) {
  constexpr int kLeast = 4; // meaning: lanes count elements of so many bytes
  int width = 1;
  for (DType dtype : combiner.dtypes)
    width =
        std::max(width, is_float(dtype) || dtype == DType::boolean ? kLeast : byte_width(dtype));
  return int64_t{e.machine.lanes()} * std::max(1, kLeast / width);
}

/// A chunk of `count` >= 1 elements in the order of lanes, by vectors: piece p of the state holds
/// lanes p w, p w + 1, ... for vectors of w lanes.
class LanesEmitter {
public:
  LanesEmitter(int64_t lanes, bool is_aligned, Value start, Value count, const Combiner& combiner,
               Emission& e)
      : lanes_(lanes),
        width_(std::min(lanes, std::max(lanes / kMaxPieces, lanes_of_states(combiner, e)))),
        pieces_(static_cast<size_t>(lanes / width_)), is_aligned_(is_aligned), start_(start),
        count_(count), combiner_(combiner), e_(e) {}

  Values emit() {
    if (auto known = constant_of(count_))
      return *known >= lanes_ ? emit_full() : emit_part();
    return e_.choose_way(
        compare(mlir::arith::CmpIPredicate::sge, count_, e_.i64(lanes_), e_),
        [&] { return emit_full(); }, [&] { return emit_part(); });
  }
  /// The same where few elements are as likely as many: pieces without any cost nothing, but for
  /// the first ones where these cost less than a branch that is guessed wrong.
  Values emit_short() {
    constexpr int64_t kAtOnce = 32; // assumed: elements of most short lists
    return emit_short(combiner_.costs_little ? static_cast<size_t>(kAtOnce / width_) : 1);
  }
  /// With so many pieces or more.
  Values emit_short(size_t pieces) {
    if (pieces >= pieces_ || constant_of(count_))
      return emit();
    Value most = e_.i64(static_cast<int64_t>(pieces) * width_);
    return e_.choose_way(
        compare(mlir::arith::CmpIPredicate::sle, count_, most, e_),
        [&] { return emit_part(pieces); }, [&] { return emit_short(2 * pieces); });
  }
  /// Segments of `count` elements each, in any order: a lane goes on from one to the next.
  Values emit_segments(Value segments) {
    State state(pieces_);
    e_.with_lanes(static_cast<int>(width_), {}, [&] {
      for (Values& piece : state)
        piece = combiner_.empty();
    });
    auto through = [&](Value segment, ValueSpan carried) {
      const Combiner own = spread_states(combiner_.in_segment(segment), e_);
      LanesEmitter row(lanes_, is_aligned_, start_, count_, own, e_);
      return joined(row.onto(parted(carried), e_.i64(0)));
    };
    return emit_merged(parted(e_.loop(e_.i64(0), segments, joined(state), through)), {});
  }

private:
  static constexpr int64_t kMaxPieces = 16; ///< size of code
  using State = std::vector<Values>;        // a piece without elements is empty

  Coordinate elements_of(Value row, size_t piece) {
    Value first = e_.add(e_.mul(row, e_.i64(lanes_)), e_.i64(static_cast<int64_t>(piece) * width_));
    auto elements = Coordinate::progression(e_.add(start_, first), width_ > 1 ? 1 : 0);
    elements.is_aligned = is_aligned_;
    return elements;
  }

  /// How many of `count` elements lie in the piece or behind it; may be negative.
  Value left_in(size_t piece, Value count) {
    return e_.sub(count, e_.i64(static_cast<int64_t>(piece) * width_));
  }

  /// `full` where all lanes of the piece have elements, `part` of so many where some have, or where
  /// that is not known, else `none`.
  Values by_lanes(size_t piece, Value count, llvm::function_ref<Values()> full,
                  llvm::function_ref<Values(Value)> part, llvm::function_ref<Values()> none) {
    Value left = left_in(piece, count);
    auto known = constant_of(left);
    Values result;
    if (known && *known <= 0)
      return none();
    e_.with_lanes(static_cast<int>(width_), known && *known >= width_ ? Value() : left,
                  [&] { result = known && *known >= width_ ? full() : part(left); });
    return result;
  }

  static Values joined(const State& state) {
    Values all;
    for (const Values& piece : state)
      all.append(piece);
    return all;
  }
  State parted(ValueSpan all) const {
    State state;
    for (size_t piece = 0; piece < pieces_; ++piece)
      state.emplace_back(all.take_front(all.size() / pieces_ * (piece + 1))
                             .drop_front(all.size() / pieces_ * piece));
    return state;
  }

  Values emit_full() {
    State state(pieces_);
    e_.with_lanes(static_cast<int>(width_), {}, [&] {
      for (size_t piece = 0; piece < pieces_; ++piece)
        state[piece] = combiner_.first(elements_of(e_.i64(0), piece));
    });
    return emit_merged(onto(state, e_.i64(1)), {});
  }

  /// The state with the elements of row `first`, where a row has one for each lane, and of all
  /// behind it.
  State onto(State state, Value first) {
    Value rows = e_.b.createOrFold<mlir::arith::DivSIOp>(count_, e_.i64(lanes_));
    e_.with_lanes(static_cast<int>(width_), {}, [&] {
      state = parted(e_.loop(first, rows, joined(state), [&](Value row, ValueSpan carried) {
        State next = parted(carried);
        emit_interleaved(
            pieces_,
            [&](size_t piece) {
              next[piece] = combiner_.step(next[piece], elements_of(row, piece));
            },
            e_.b, &e_.functions);
        return joined(next);
      }));
    });
    Value left = e_.sub(count_, e_.mul(rows, e_.i64(lanes_)));
    return parted(e_.choose(
        compare(mlir::arith::CmpIPredicate::sgt, left, e_.i64(0), e_),
        [&] { return emit_tail(state, rows, left); }, [&] { return joined(state); }));
  }

  Values emit_tail(const State& state, Value row, Value left) {
    State next(pieces_);
    for (size_t piece = 0; piece < pieces_; ++piece) {
      auto step = [&] { return combiner_.step(state[piece], elements_of(row, piece)); };
      auto some = [&](Value) { return chosen(step(), state[piece]); };
      next[piece] = by_lanes(piece, left, step, some, [&] { return state[piece]; });
    }
    return joined(next);
  }

  Values emit_part() { return emit_part(pieces_); }
  /// Of which the first pieces have elements. Lanes without any are left out, or neutral.
  Values emit_part(size_t pieces) {
    State state(pieces_);
    const bool fills_up = combiner_.neutral && !constant_of(count_);
    for (size_t piece = 0; piece < pieces; ++piece) {
      auto first = [&] { return combiner_.first(elements_of(e_.i64(0), piece)); };
      auto some = [&](Value) { return fills_up ? chosen(first(), combiner_.neutral()) : first(); };
      state[piece] = by_lanes(piece, count_, first, some, [] { return Values(); });
    }
    return emit_merged(state, fills_up ? Value() : count_);
  }

  /// The first state in active lanes, the second in others.
  Values chosen(Values state, ValueSpan other) {
    for (auto [x, y] : llvm::zip(state, other))
      x = mlir::arith::SelectOp::create(e_.b, e_.active(), x, y);
    return state;
  }

  /// Lane l with lane l + half, for halves down to one lane, of which only the first `count` have
  /// elements where that is set.
  Values emit_merged(State state, Value count) {
    auto width = static_cast<int>(width_);
    for (size_t half = pieces_ / 2; half >= 1; half /= 2)
      for (size_t piece = 0; piece < half; ++piece) {
        const Values& low = state[piece];
        const Values& high = state[piece + half];
        if (high.empty())
          continue;
        Value left = count ? left_in(piece + half, count) : e_.i64(width_);
        e_.with_lanes(width, {}, [&] { state[piece] = merged(low, high, left, width); });
      }
    Values result = state[0];
    for (int half = width / 2; half >= 1; half /= 2) {
      Values low = e_.lanes_from(result, 0, half), high = e_.lanes_from(result, half, half);
      Value left = count ? e_.sub(count, e_.i64(half)) : e_.i64(half);
      if (constant_of(left).value_or(1) <= 0) {
        result = low;
        continue;
      }
      e_.with_lanes(half, {}, [&] { result = merged(low, high, left, half); });
    }
    return result;
  }

  /// The first `left` lanes of both merged, the others as `low` has them.
  Values merged(ValueSpan low, ValueSpan high, Value left, int lanes) {
    Values state = combiner_.merge(low, high);
    if (constant_of(left).value_or(0) >= lanes)
      return state;
    Value has_both = e_.compare(mlir::arith::CmpIPredicate::slt,
                                Coordinate::progression(e_.i64(0), lanes > 1 ? 1 : 0), left);
    for (auto [both, alone] : llvm::zip(state, low))
      both = mlir::arith::SelectOp::create(e_.b, has_both, both, alone);
    return state;
  }

  const int64_t lanes_, width_;
  const size_t pieces_;
  const bool is_aligned_;
  Value start_, count_;
  const Combiner& combiner_;
  Emission& e_;
};

/// A chunk of few elements, each a lane of the order in a register of its own.
Values emit_few(int64_t lanes, Value start, int64_t count, const Combiner& combiner, Emission& e) {
  std::vector<Values> states;
  for (int64_t i = 0; i < count; ++i)
    states.push_back(combiner.first(Coordinate(e.add(start, e.i64(i)))));
  for (int64_t half = lanes / 2; half >= 1; half /= 2)
    for (int64_t lane = 0; lane < half && lane + half < static_cast<int64_t>(states.size()); ++lane)
      states[lane] = combiner.merge(states[lane], states[lane + half]);
  return states[0];
}

/// A chunk of `count` >= 1 elements in their order, by squares of as many as there are lanes, then
/// one by one.
Values emit_squares(Value start, Value count, const Combiner& combiner, Emission& e) {
  const int64_t lanes = e.lanes();
  Value whole = e.sub(count, e.b.createOrFold<mlir::arith::RemUIOp>(count, e.i64(lanes)));
  auto square = [&](Value first, Values state) {
    Values rows;
    for (int64_t row = 0; row < lanes; ++row)
      rows.push_back(e.add(first, e.i64(row)));
    e.with_tile(rows, {}, [&] {
      for (auto [number, row] : llvm::enumerate(rows)) {
        e.at_tile_row(number);
        state = state.empty() ? combiner.first(Coordinate(row)) : combiner.step(state, row);
      }
    });
    return state;
  };
  auto rest = [&](Value begin, ValueSpan state) {
    return e.loop(begin, count, state, [&](Value i, ValueSpan before) {
      return combiner.step(before, Coordinate(e.add(start, i)));
    });
  };
  return e.choose(
      compare(mlir::arith::CmpIPredicate::sgt, whole, e.i64(0), e),
      [&] {
        auto each = [&](Value i, ValueSpan before) {
          return square(e.add(start, i), Values(before));
        };
        return rest(whole, e.loop(e.i64(lanes), whole, square(start, {}), each, lanes));
      },
      [&] { return rest(e.i64(1), combiner.first(Coordinate(start))); });
}

/// Of `count` states the one that their merging by halves gives: i with i + count / 2, then with
/// i + count / 4 and so on. Few are held at once; the last ones may be empty.
Values emit_halves(int64_t count, llvm::function_ref<Values(int64_t)> state,
                   const Combiner& combiner) {
  auto merged = [&](auto& self, int64_t first, int64_t step) -> Values {
    if (step == count)
      return state(first);
    Values low = self(self, first, 2 * step);
    Values high = self(self, first + step, 2 * step);
    return high.empty() ? low : combiner.merge(low, high);
  };
  return merged(merged, 0, 1);
}

constexpr int64_t kLanesAtOnce = 16;  // size of code: whose states merge without memory between
constexpr int64_t kMostRowsKnown = 4; // size of code: elements of a lane

/// A chunk of a known count in the order of lanes, of which there are a multiple of kLanesAtOnce:
/// lanes merge as soon as they have their elements.
Values emit_known(int64_t order, Value start, int64_t count, StateMemory& memory,
                  const Combiner& combiner, Emission& e) {
  // Of every kLanesAtOnce lanes those from `begin` to `end`, all of which have a first element in
  // the same groups, or none of which has.
  auto emit_lanes = [&](int64_t begin, int64_t end) {
    e.loop(e.i64(begin), e.i64(end), [&](Value lane) {
      auto state_of = [&](int64_t group) {
        Values state;
        for (int64_t at = group * kLanesAtOnce; at + begin < count; at += order) {
          Coordinate element(e.add(e.add(start, lane), e.i64(at)));
          auto step = [&] { return combiner.step(state, element); };
          if (state.empty())
            state = combiner.first(element);
          else if (at + end <= count)
            state = step();
          else
            state = e.choose(compare(mlir::arith::CmpIPredicate::slt, lane, e.i64(count - at), e),
                             step, [&] { return state; });
        }
        return state;
      };
      memory.store(lane, emit_halves(order / kLanesAtOnce, state_of, combiner));
    });
  };
  if (count >= order) {
    emit_lanes(0, kLanesAtOnce);
  } else {
    const int64_t rest = count % kLanesAtOnce;
    emit_lanes(0, rest);
    emit_lanes(rest, std::min(count, kLanesAtOnce));
  }
  return emit_halves(
      kLanesAtOnce,
      [&](int64_t lane) { return lane < count ? memory.load(e.i64(lane)) : Values(); }, combiner);
}

/// One chunk of `count` >= 1 elements from `start`.
Values emit_chunk(const Accumulate& order, bool is_aligned, Value start, Value count,
                  StateMemory& lanes, const Combiner& combiner, Emission& e) {
  if (combiner.chunk)
    return combiner.chunk(start, count);
  if (order.order != Order::lanes && combiner.by_squares && !e.active())
    return emit_squares(start, count, combiner, e);
  if (order.order != Order::lanes)
    return e.loop(e.i64(1), count, combiner.first(Coordinate(start)),
                  [&](Value i, ValueSpan state) {
                    return combiner.step(state, Coordinate(e.add(start, i)));
                  });
  const int64_t few = e.lanes() > 1 ? nest::kMostInterleaved : nest::kFewReduced;
  if (auto known = constant_of(count); known && *known <= std::min(order.lanes, few))
    return emit_few(order.lanes, start, *known, combiner, e);
  if (e.lanes() == 1 && order.lanes > 1) {
    LanesEmitter lanes(order.lanes, is_aligned, start, count, combiner, e);
    return combiner.fits_chunk ? lanes.emit_short() : lanes.emit();
  }

  if (auto known = constant_of(count);
      known && *known <= kMostRowsKnown * order.lanes && order.lanes % kLanesAtOnce == 0)
    return emit_known(order.lanes, start, *known, lanes, combiner, e);
  Value lane_count = smaller(count, e.i64(order.lanes), e);
  e.loop(e.i64(0), lane_count,
         [&](Value lane) { lanes.store(lane, combiner.first(Coordinate(e.add(start, lane)))); });
  Value rows = mlir::arith::CeilDivSIOp::create(e.b, count, e.i64(order.lanes));
  e.loop(e.i64(1), rows, [&](Value row) {
    Value base = e.mul(row, e.i64(order.lanes));
    Value left = smaller(e.sub(count, base), e.i64(order.lanes), e);
    e.loop(e.i64(0), left, [&](Value lane) {
      Coordinate element = e.add(e.add(start, base), lane);
      lanes.store(lane, combiner.step(lanes.load(lane), element));
    });
  });
  for (int64_t half = order.lanes / 2; half >= 1; half /= 2) {
    // Lane l merges with l + half where that has elements.
    Value pairs = e.clip(e.sub(lane_count, e.i64(half)), e.i64(half));
    e.loop(e.i64(0), pairs, [&](Value lane) {
      Values low = lanes.load(lane), high = lanes.load(e.add(lane, e.i64(half)));
      lanes.store(lane, combiner.merge(low, high));
    });
  }
  return lanes.load(e.i64(0));
}

bool at_most(Value value, int64_t limit) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantIntOp>();
  return constant && constant.value() <= limit;
}

bool is_positive(Value value) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantIntOp>();
  return constant && constant.value() > 0;
}

} // namespace

ChunkPlace::ChunkPlace(Value number, Value chunks, bool in_order, Emission& e) {
  Value next = e.add(number, e.i64(1));
  waits = compare(mlir::arith::CmpIPredicate::ne, next, chunks, e);
  if (in_order) {
    merged = e.b.createOrFold<mlir::arith::MinSIOp>(number, e.i64(1));
    slot = e.i64(0);
    return;
  }
  // A chunk that makes 2^l of them full merges with slots 0 .. l - 1; the last one with all that
  // wait.
  Value ends_in_ones = e.b.createOrFold<mlir::arith::XOrIOp>(next, e.i64(-1));
  ends_in_ones = e.b.createOrFold<mlir::arith::AndIOp>(number, ends_in_ones);
  merged = e.b.createOrFold<mlir::arith::SelectOp>(waits, ends_in_ones, number);
  slot = e.b.createOrFold<mlir::math::CountTrailingZerosOp>(next);
}

Values ChunkPlace::merge(ValueSpan state, llvm::function_ref<Values(Value, ValueSpan)> merge,
                         Emission& e) const {
  Values carried{merged};
  carried.append(state.begin(), state.end());
  Value times = mlir::math::CtPopOp::create(e.b, merged);
  carried = e.loop(e.i64(0), times, carried, [&](Value, ValueSpan now) {
    Value left = now[0];
    Values next{e.b.createOrFold<mlir::arith::AndIOp>(left, e.sub(left, e.i64(1)))};
    next.append(merge(mlir::math::CountTrailingZerosOp::create(e.b, left), now.drop_front()));
    return next;
  });
  carried.erase(carried.begin());
  return carried;
}

Value chunks_of(Value length, const Accumulate& order, Emission& e) {
  return e.b.createOrFold<mlir::arith::CeilDivSIOp>(length, e.i64(order.chunk));
}

Value chunk_slots(Value chunks, bool in_order, Emission& e) {
  if (in_order)
    return e.i64(constant_of(chunks) == 1 ? 0 : 1);
  // As many as the number of the last chunk has bits.
  if (auto known = constant_of(chunks))
    return e.i64(llvm::bit_width(static_cast<uint64_t>(std::max<int64_t>(*known - 1, 0))));
  Value last = mlir::arith::MaxSIOp::create(e.b, e.sub(chunks, e.i64(1)), e.i64(0));
  return e.sub(e.i64(64), mlir::math::CountLeadingZerosOp::create(e.b, last));
}

/// Size of code: elements of a few chunks, whose states are in registers.
constexpr int64_t kMostInCode = 64;

/// How many segments of a few elements, a chunk each, are merged in code of their own: a power of
/// two, 1 where that is not worth it.
static int64_t segments_at_once(const Accumulate& order, Value length) {
  constexpr int64_t kMost = 8, kMostElements = 128; // size of code
  const auto each = constant_of(length);
  if (order.in_order || !each || *each < 1 || *each > order.chunk || *each > kMostElements / 2)
    return 1;
  return std::min(
      kMost, static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(kMostElements / *each))));
}

Values emit_accumulation(const Accumulate& order, Value segments, Value length,
                         const Combiner& cells, Emission& e) {
  const Combiner combiner = spread_states(cells, e);
  StateMemory lanes(combiner, order.order == Order::lanes ? order.lanes : 1, e);
  // The common small case: one chunk, known at compile time.
  if (at_most(segments, 1) && at_most(length, order.chunk) && is_positive(segments) &&
      is_positive(length))
    return emit_chunk(order, true, e.i64(0), length, lanes, combiner, e);

  if (combiner.in_any_order && combiner.in_segment) {
    if (order.lanes > 1 && e.lanes() == 1)
      return LanesEmitter(order.lanes, true, e.i64(0), length, combiner, e).emit_segments(segments);
    return e.loop(e.i64(0), segments, combiner.empty(), [&](Value segment, ValueSpan before) {
      const Combiner own = spread_states(combiner.in_segment(segment), e);
      return e.loop(e.i64(0), length, before,
                    [&](Value i, ValueSpan state) { return own.step(state, Coordinate(i)); });
    });
  }

  if (combiner.fits_chunk && !constant_of(length) && constant_of(segments) == 1) {
    Combiner any = cells;
    any.fits_chunk = false;
    Value is_one =
        compare(mlir::arith::CmpIPredicate::ult, e.sub(length, e.i64(1)), e.i64(order.chunk), e);
    auto one = [&] {
      // A number of its own, of which the range is known.
      mlir::Type narrow = e.b.getI32Type();
      Value count = mlir::arith::ExtSIOp::create(
          e.b, length.getType(), mlir::arith::TruncIOp::create(e.b, narrow, length));
      e.assume(count, 1, order.chunk, 0);
      return emit_chunk(order, true, e.i64(0), count, lanes, combiner, e);
    };
    return e.choose_way(is_one, one,
                        [&] { return emit_accumulation(order, segments, length, any, e); });
  }

  // Chunks start at multiples of the lanes where segments do.
  auto run = length.getDefiningOp<mlir::arith::ConstantIntOp>();
  bool is_aligned =
      order.chunk % order.lanes == 0 &&
      (at_most(segments, 1) || combiner.in_segment || (run && run.value() % order.lanes == 0));

  if (auto parts = constant_of(segments), each = constant_of(length);
      parts && each && *parts > 0 && *each > 0 && *each <= order.chunk && !combiner.in_segment &&
      *parts * *each <= kMostInCode && e.lanes() > 1) {
    ChunkTree<Values, decltype(combiner.merge)> tree(combiner.merge, order.in_order);
    for (int64_t number = 0; number < *parts; ++number)
      tree.push(emit_chunk(order, is_aligned, e.i64(number * *each), length, lanes, combiner, e));
    return *tree.finish();
  }

  Value chunks_each = chunks_of(length, order, e);
  Value chunks = e.mul(segments, chunks_each);
  auto memory = [&] {
    if (combiner.slots)
      return StateMemory(combiner, e);
    auto most = constant_of(chunks) ? constant_of(chunk_slots(chunks, order.in_order, e)) : 63;
    return StateMemory(combiner, std::max<int64_t>(*most, 1), e);
  };
  StateMemory slots = memory();
  bool is_whole = run && run.value() % order.chunk == 0;
  // The state of one chunk of a segment.
  auto chunk_of = [&](Value segment, Value chunk) {
    const Combiner own =
        combiner.in_segment ? spread_states(combiner.in_segment(segment), e) : combiner;
    Value first = combiner.in_segment ? e.i64(0) : e.mul(segment, length);
    Value offset = e.mul(chunk, e.i64(order.chunk));
    Value count = e.i64(order.chunk);
    if (!is_whole)
      count = smaller(e.sub(length, offset), count, e);
    return emit_chunk(order, is_aligned, e.add(first, offset), count, lanes, own, e);
  };
  auto placed = [&](const ChunkPlace& place, Values state) {
    state = place.merge(
        state, [&](Value slot, ValueSpan later) { return combiner.merge(slots.load(slot), later); },
        e);
    e.when(place.waits, [&] { slots.store(place.slot, state); });
    return state;
  };
  Value next = e.i64(0);
  Values state = combiner.empty();
  if (const int64_t group = segments_at_once(order, length); group > 1) {
    next = e.sub(segments, e.b.createOrFold<mlir::arith::RemUIOp>(segments, e.i64(group)));
    state = e.loop(
        e.i64(0), next, state,
        [&](Value first, ValueSpan) {
          ChunkTree<Values, decltype(combiner.merge)> tree(combiner.merge);
          for (int64_t number = 0; number < group; ++number)
            tree.push(chunk_of(e.add(first, e.i64(number)), e.i64(0)));
          ChunkPlace place(e.add(first, e.i64(group - 1)), chunks, false, e);
          place.merged = e.b.createOrFold<mlir::arith::AndIOp>(place.merged, e.i64(-group));
          return placed(place, *tree.finish());
        },
        group);
  }
  return e.loop(next, segments, state, [&](Value segment, ValueSpan before) {
    auto each = [&](Value chunk, ValueSpan) {
      Values state = chunk_of(segment, chunk);
      ChunkPlace place(e.add(e.mul(segment, chunks_each), chunk), chunks, order.in_order, e);
      return placed(place, std::move(state));
    };
    return constant_of(chunks_each) == 1 ? each(e.i64(0), before)
                                         : e.loop(e.i64(0), chunks_each, before, each);
  });
}

} // namespace kolam::lower::cpu
