// kolam.attention for few query rows, one at a time: keys in lanes for scores, columns for what
// they find.
#include "kolam/lower/cpu/attention_tile.h"
#include "kolam/lower/cpu/reduction.h"
#include "kolam/lower/cpu/shuffles.h"
#include "kolam/lower/scalar_builder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <limits>

namespace kolam::lower::cpu {
namespace {

/// Size of code: vectors of columns whose sums go side by side.
constexpr int kSideBySide = 4;

/// The rows of k or v at the leading dims of a head.
class Lines {
public:
  Lines(const AttentionCode& code, Value operand, const std::optional<Strided>& cells,
        IndexSpan head)
      : e_(code.e), code_(code), operand_(operand), leading_(code.leading(operand, head)) {
    if (!cells || constant_of(cells->strides.back()) != 1)
      return;
    cells_ = &*cells;
    for (const Coordinate& place : leading_)
      places_.push_back(place.base);
    if (has_lines(*cells))
      return;
    places_.push_back(e_.i64(0));
    first_ = cell_number(*cells, places_, e_);
    places_.pop_back();
  }

  /// Elements of the key `key`, or of several keys.
  Value load(const Coordinate& key, const Coordinate& columns) const {
    if (!cells_ || !key.is_uniform() || columns.stride != 1) {
      Index index(leading_);
      index.push_back(key);
      index.push_back(columns);
      return e_.spread(code_.widened(e_.cell(operand_, index)));
    }
    Value line;
    if (first_) {
      line = e_.add(first_, e_.mul(key.base, cells_->strides.rbegin()[1]));
    } else {
      Values places(places_);
      places.push_back(key.base);
      line = cell_number(*cells_, places, e_);
    }
    return e_.load(cells_->pointer, code_.wide,
                   Coordinate::progression(e_.add(line, columns.base), 1));
  }

private:
  Emission& e_;
  const AttentionCode& code_;
  Value operand_;
  Index leading_;
  const Strided* cells_ = nullptr; ///< where elements of a row follow one another in memory
  Values places_;
  Value first_; ///< the number of the first key's first element; null where no stride leads on
};

class RowEmitter {
public:
  RowEmitter(const AttentionCode& code, Value memory)
      : code_(code), op_(code.op), e_(code.e), s_(e_.b) {
    Value bytes = e_.i64(0);
    auto place = [&](Value count, int64_t width) {
      Value pointer = e_.advanced(memory, bytes);
      bytes = e_.add(bytes, e_.mul(rounded(count, e_), e_.i64(width)));
      return pointer;
    };
    const int64_t width = byte_width(code.wide);
    q_ = place(code.depth, width);
    scores_ = place(e_.i64(ir::kAttentionKeys), width);
    found_ = place(code.columns, width);
    sum_ = place(e_.i64(1), width);
    bits_ = place(e_.i64(ir::kAttentionKeys), sizeof(int32_t));
  }

  static Value bytes(const AttentionCode& code) {
    Emission& e = code.e;
    Value cells = e.add(rounded(code.depth, e), rounded(code.columns, e));
    cells = e.add(cells, e.i64(3 * ir::kAttentionKeys)); // scores, the sum, bits
    return e.mul(cells, e.i64(byte_width(code.wide)));
  }

  void emit(IndexSpan head, Value row) {
    head_ = Index(head);
    row_ = row;
    Index query = code_.leading(op_.getQ(), head);
    query.push_back(row);
    code_.by_lanes(code_.depth, [&](const Coordinate& cell) {
      Index index(query);
      index.push_back(cell);
      e_.store(q_, code_.wide, cell, e_.spread(code_.widened(e_.cell(op_.getQ(), index))));
    });
    code_.by_lanes(code_.columns, [&](const Coordinate& cell) {
      e_.store(found_, code_.wide, cell, e_.spread(e_.constant(code_.wide, 0)));
    });
    scale_ = e_.cell(op_.getScale(), {});
    e_.with_lanes(code_.lanes, {}, [&] {
      Values state = blocks({e_.spread(lowest()), e_.spread(zero())});
      e_.store(sum_, code_.wide, first_lanes(), state[1]);
      if (op_.getLse())
        e_.store(scores_, code_.wide, first_lanes(),
                 s_.add(state[0], emit_function(Fn::log, code_.wide, state[1], e_)));
    });
    if (Value lse = op_.getLse()) {
      Index index(head_);
      index.push_back(row_);
      e_.store(1, code_.wide, e_.ravel(index, e_.shape(lse)),
               e_.load(scores_, code_.wide, Coordinate(e_.i64(0))));
    }
    Value sum = e_.load(sum_, code_.wide, Coordinate(e_.i64(0)));
    code_.by_lanes(code_.columns, [&](const Coordinate& cell) {
      Value all = e_.spread(sum), none = e_.spread(zero());
      Value found = s_.div(e_.load(found_, code_.wide, cell), all);
      Index index(head_);
      index.push_back(row_);
      index.push_back(cell);
      e_.store(0, code_.dtype, e_.ravel(index, code_.result),
               emit_cast(code_.wide, code_.dtype, s_.select(s_.feq(all, none), none, found), e_));
    });
  }

private:
  /// What the weights and the maximum of a block rest on.
  struct Scores {
    Value highest;           ///< by lanes
    Value first, last, seen; ///< the keys that the row sees, and how many
  };

  /// A multiple of the most lanes that there are.
  static Value rounded(Value count, Emission& e) {
    constexpr int64_t unit = 64; // bound
    Value more = e.add(count, e.i64(unit - 1));
    return e.mul(e.b.createOrFold<mlir::arith::DivSIOp>(more, e.i64(unit)), e.i64(unit));
  }

  Value lowest() { return e_.constant(code_.wide, -std::numeric_limits<double>::infinity()); }
  Value zero() { return e_.constant(code_.wide, 0); }
  Coordinate first_lanes() { return Coordinate::progression(e_.i64(0), 1); }
  Coordinate lanes_at(Value first) { return Coordinate::progression(first, 1); }
  Value smaller(Value x, Value y) { return e_.b.createOrFold<mlir::arith::MinSIOp>(x, y); }
  Value larger(Value x, Value y) { return e_.b.createOrFold<mlir::arith::MaxSIOp>(x, y); }
  Value quotient(Value x, int64_t y) {
    return e_.b.createOrFold<mlir::arith::DivSIOp>(x, e_.i64(y));
  }
  Value exp(Value x) { return emit_function(Fn::exp, code_.wide, x, e_); }
  Value multiply_add(Value x, Value y, Value sum) {
    return e_.machine.has_fma ? s_.fma(x, y, sum) : s_.add(sum, s_.mul(x, y));
  }
  Value i32(int64_t value) {
    return mlir::arith::ConstantIntOp::create(e_.b, e_.b.getI32Type(), value);
  }
  /// Combines all lanes, l with l + n / 2 first; every lane then holds the result.
  Value combined(Value vector, llvm::function_ref<Value(Value, Value)> combine) {
    for (int distance = code_.lanes / 2; distance > 0; distance /= 2) {
      llvm::SmallVector<int32_t> lanes;
      for (int lane = 0; lane < code_.lanes; ++lane)
        lanes.push_back(lane ^ distance);
      vector = combine(vector, mlir::LLVM::ShuffleVectorOp::create(e_.b, vector, vector, lanes));
    }
    return vector;
  }

  /// Every block that the window lets the row see; (maximum, sum) of weights, each in all lanes.
  Values blocks(const Values& start) {
    Value low = e_.i64(0), high = code_.keys;
    if (code_.left)
      low = larger(e_.sub(row_, e_.i64(*code_.left)), low);
    if (code_.right)
      high = smaller(e_.add(row_, e_.i64(*code_.right + 1)), high);
    Value unit = e_.i64(ir::kAttentionKeys);
    Value first = e_.mul(quotient(low, ir::kAttentionKeys), unit);
    return e_.loop(
        first, high, start,
        [&](Value block, ValueSpan state) {
          KeyRange range{block, larger(e_.sub(low, block), e_.i64(0)),
                         smaller(e_.sub(high, block), unit)};
          Scores scores = emit_scores(range);
          auto all = [&] {
            KeyRange own = range;
            if (code_.is_masked)
              own = {block, scores.first, scores.last};
            return emit_found(own, scores, state);
          };
          if (!code_.is_masked)
            return all();
          Value any = s_.ine(scores.seen, e_.i64(0));
          return e_.choose_alike(any, all, [&] { return Values(state); });
        },
        ir::kAttentionKeys);
  }

  /// scores = those of the range; minus infinity elsewhere, and where the row does not see the key.
  Scores emit_scores(const KeyRange& range) {
    for (int64_t key = 0; key < ir::kAttentionKeys; key += code_.lanes)
      e_.store(scores_, code_.wide, lanes_at(e_.i64(key)), e_.spread(lowest()));
    Lines keys(code_, op_.getK(), code_.k, head_);
    // Vectors of keys start at multiples of the lanes.
    Value first = e_.mul(quotient(range.first, code_.lanes), e_.i64(code_.lanes));
    Values state{e_.spread(lowest())};
    if (code_.is_masked)
      state.append({range.last, range.first, e_.i64(0)});
    auto body = [&](Value key, ValueSpan before) {
      return emit_vector_of_scores(keys, range, key, before);
    };
    state = e_.loop(first, range.last, state, body, code_.lanes);
    return {state[0], code_.is_masked ? state[1] : range.first,
            code_.is_masked ? state[2] : range.last, code_.is_masked ? state[3] : Value()};
  }

  /// Which keys of a vector the row sees, and what is added to their scores, or null.
  struct Seen {
    Value sees, added;
  };

  Seen emit_seen(const KeyRange& range, Value key) {
    Coordinate keys = lanes_at(e_.add(range.block, key));
    Seen seen;
    e_.with_lanes(code_.lanes, smaller(e_.sub(range.last, key), e_.i64(code_.lanes)), [&] {
      seen.sees = e_.active();
      if (code_.left) // the first vector may begin in front of the range
        seen.sees = s_.and_(seen.sees, e_.compare(mlir::arith::CmpIPredicate::sge, lanes_at(key),
                                                  Coordinate(range.first)));
      if (Value mask = op_.getMask()) {
        Value cell = e_.spread(e_.cell(mask, code_.mask_index(head_, row_, keys)));
        if (ir::dtype_of(mask) != DType::boolean) {
          seen.added = cell;
          cell = s_.fne(cell, e_.spread(lowest()));
        }
        seen.sees = s_.and_(seen.sees, cell);
      }
      for (Value one :
           {emit_in_segment(code_, head_, row_, keys), emit_in_region(code_, head_, row_, keys)})
        if (one)
          seen.sees = s_.and_(seen.sees, e_.spread(one));
    });
    return seen;
  }

  /// A vector of keys; of one that has none which the row sees nothing is read.
  Values emit_vector_of_scores(const Lines& keys, const KeyRange& range, Value key,
                               ValueSpan before) {
    const Seen seen = emit_seen(range, key);
    if (!code_.is_masked)
      return {finish_scores(key, emit_products(keys, range, key), seen, before[0])};
    mlir::Type packed = e_.b.getIntegerType(code_.lanes);
    Value bits = mlir::LLVM::BitcastOp::create(e_.b, packed, seen.sees);
    bits = mlir::arith::ExtUIOp::create(e_.b, e_.b.getI32Type(), bits);
    e_.store(bits_, DType::i32, Coordinate(quotient(key, code_.lanes)), bits);
    auto wide = [&](Value x) -> Value {
      return mlir::arith::ExtUIOp::create(e_.b, e_.b.getI64Type(), x);
    };
    auto some = [&] {
      Value from = e_.add(key, wide(mlir::LLVM::CountTrailingZerosOp::create(
                                   e_.b, e_.b.getI32Type(), bits, false)));
      Value to = e_.sub(e_.add(key, e_.i64(32)), wide(mlir::LLVM::CountLeadingZerosOp::create(
                                                     e_.b, e_.b.getI32Type(), bits, false)));
      Value count = wide(mlir::LLVM::CtPopOp::create(e_.b, e_.b.getI32Type(), bits));
      return Values{finish_scores(key, emit_products(keys, range, key), seen, before[0]),
                    smaller(before[1], from), larger(before[2], to), e_.add(before[3], count)};
    };
    return e_.choose_alike(s_.ine(bits, i32(0)), some, [&] { return Values(before); });
  }

  /// q k^T for a vector of keys from `key` on; those behind the range repeat its last.
  Value emit_products(const Lines& keys, const KeyRange& range, Value key) {
    Value at = e_.add(range.block, key);
    Value end = e_.add(range.block, range.last), last = e_.sub(end, e_.i64(1));
    Values rows;
    for (int64_t lane = 0; lane < code_.lanes; ++lane)
      rows.push_back(smaller(e_.add(at, e_.i64(lane)), last));
    Value whole = e_.mul(quotient(code_.depth, code_.lanes), e_.i64(code_.lanes));
    auto query = [&](Value cell) { return e_.spread(e_.load(q_, code_.wide, Coordinate(cell))); };
    Values sums = e_.loop(
        e_.i64(0), whole, Values{e_.spread(zero())},
        [&](Value cell, ValueSpan state) {
          Values lines;
          for (Value row : rows)
            lines.push_back(keys.load(row, lanes_at(cell)));
          Value sum = state[0];
          for (auto [lane, factors] : llvm::enumerate(transposed(lines, e_)))
            sum =
                multiply_add(query(e_.add(cell, e_.i64(static_cast<int64_t>(lane)))), factors, sum);
          return Values{sum};
        },
        code_.lanes);
    sums = e_.loop(whole, code_.depth, sums, [&](Value cell, ValueSpan state) {
      Value factors;
      e_.with_lanes(code_.lanes, smaller(e_.sub(end, at), e_.i64(code_.lanes)),
                    [&] { factors = keys.load(lanes_at(at), Coordinate(cell)); });
      return Values{multiply_add(query(cell), factors, state[0])};
    });
    return sums[0];
  }

  /// Scales, masks and stores a vector of scores; the highest with them.
  Value finish_scores(Value key, Value sums, const Seen& seen, Value highest) {
    Value scores = s_.mul(sums, e_.spread(scale_));
    if (seen.added)
      scores = s_.add(scores, seen.added);
    scores = s_.select(seen.sees, scores, e_.spread(lowest()));
    e_.store(scores_, code_.wide, lanes_at(key), scores);
    return s_.select(s_.fgt(scores, highest), scores, highest);
  }

  /// found = found keep + weights v; the next maximum and sum.
  Values emit_found(const KeyRange& range, const Scores& scores, ValueSpan state) {
    auto higher = [&](Value x, Value y) { return s_.select(s_.fgt(y, x), y, x); };
    Value block = combined(scores.highest, higher);
    Value most = higher(state[0], block);
    Value finite = s_.flt(s_.abs(most), s_.neg(e_.spread(lowest())));
    Value shift = s_.select(finite, most, e_.spread(zero()));
    Value keep = exp(s_.sub(state[0], shift));
    e_.loop(
        e_.i64(0), e_.i64(ir::kAttentionKeys),
        [&](Value key) {
          Value own = e_.load(scores_, code_.wide, lanes_at(key));
          e_.store(scores_, code_.wide, lanes_at(key), exp(s_.sub(own, shift)));
        },
        code_.lanes);
    Value sum = s_.add(s_.mul(state[1], keep), sum_of_weights());
    e_.store(sum_, code_.wide, first_lanes(), keep);
    auto columns = [&](bool is_open) {
      Lines lines(code_, op_.getV(), code_.v, head_);
      const int64_t wide = int64_t{kSideBySide} * code_.lanes;
      Value groups = e_.mul(quotient(code_.columns, wide), e_.i64(wide));
      Value whole = e_.mul(quotient(code_.columns, code_.lanes), e_.i64(code_.lanes));
      auto at = [&](int vectors, Value active) {
        return [&, vectors, active](Value first) {
          add_columns(lines, range, first, vectors, active, is_open);
        };
      };
      e_.loop(e_.i64(0), groups, at(kSideBySide, {}), wide);
      e_.loop(groups, whole, at(1, {}), code_.lanes);
      e_.loop(whole, code_.columns, at(1, e_.sub(code_.columns, whole)), code_.lanes);
    };
    if (!code_.is_masked) {
      columns(true);
    } else {
      Value is_open = s_.ieq(scores.seen, e_.sub(range.last, range.first));
      e_.choose(
          is_open,
          [&] {
            columns(true);
            return Values();
          },
          [&] {
            columns(false);
            return Values();
          });
    }
    return {most, sum};
  }

  /// Chains over the keys of the range for columns from `first` on.
  void add_columns(const Lines& lines, const KeyRange& range, Value first, int vectors,
                   Value active, bool is_open) {
    Value keep = e_.load(sum_, code_.wide, Coordinate(e_.i64(0)));
    e_.with_lanes(code_.lanes, active, [&] {
      auto column = [&](int vector) {
        return lanes_at(e_.add(first, e_.i64(int64_t{vector} * code_.lanes)));
      };
      Values zeros(static_cast<size_t>(vectors), e_.spread(zero()));
      Values sums = e_.loop(range.first, range.last, zeros, [&](Value key, ValueSpan state) {
        Value weight = e_.spread(e_.load(scores_, code_.wide, Coordinate(key)));
        Value sees;
        if (!is_open) {
          Value word = e_.load(bits_, DType::i32, Coordinate(quotient(key, code_.lanes)));
          Value place = e_.b.createOrFold<mlir::arith::RemSIOp>(key, e_.i64(code_.lanes));
          place = mlir::arith::TruncIOp::create(e_.b, e_.b.getI32Type(), place);
          sees = s_.ine(s_.and_(s_.lshr(word, place), i32(1)), i32(0));
        }
        Values next;
        for (int vector = 0; vector < vectors; ++vector) {
          Value cells = lines.load(e_.add(range.block, key), column(vector));
          Value added = multiply_add(weight, cells, state[vector]);
          next.push_back(is_open ? added : s_.select(sees, added, state[vector]));
        }
        return next;
      });
      for (int vector = 0; vector < vectors; ++vector) {
        Value found = e_.load(found_, code_.wide, column(vector));
        e_.store(found_, code_.wide, column(vector),
                 s_.add(s_.mul(found, e_.spread(keep)), sums[vector]));
      }
    });
  }

  /// In the order of lanes: l with l + 64, then the halves that are left.
  Value sum_of_weights() {
    static_assert(ir::kAttentionKeys == 128 && ir::kAttentionLanes == 64);
    Values weights;
    for (int64_t key = 0; key < ir::kAttentionKeys; key += code_.lanes)
      weights.push_back(e_.load(scores_, code_.wide, lanes_at(e_.i64(key))));
    for (size_t half = weights.size() / 2; half > 0; half /= 2)
      for (size_t i = 0; i < half; ++i)
        weights[i] = s_.add(weights[i], weights[i + half]);
    return combined(weights[0], [&](Value x, Value y) { return s_.add(x, y); });
  }

  const AttentionCode& code_;
  ir::AttentionOp op_;
  Emission& e_;
  ScalarBuilder s_;
  Value q_, scores_, found_, sum_, bits_;
  Index head_;
  Value row_, scale_;
};

} // namespace

void emit_rows(const AttentionCode& code) {
  Emission& e = code.e;
  e.with_working_memory(RowEmitter::bytes(code), [&](Value memory) {
    RowEmitter rows(code, memory);
    // All rows are one task, as they are fewer than a task has.
    Values tasks(code.result.begin(), code.result.end() - 2);
    e.loop(e.begin(), e.end(), [&](Value task) {
      Index head = e.unravel(Coordinate(task), tasks);
      e.loop(e.i64(0), code.rows, [&](Value row) { rows.emit(head, row); });
    });
  });
}

} // namespace kolam::lower::cpu
