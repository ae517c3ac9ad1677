// A block of keys against a tile of query rows: scores, weights, and what they find.
#include "kolam/lower/cpu/attention_tile.h"
#include "kolam/lower/cpu/product.h"
#include "kolam/lower/cpu/reduction.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/error.h"

#include <limits>

namespace kolam::lower::cpu {
namespace {

/// The elements of k or v for the keys of a block: where they lie, or copied to working memory.
class KeyLines {
public:
  /// Copies the keys of the range to `copy` where `cells` is not set; writes where they lie to
  /// `lines` where that is no stride.
  KeyLines(const AttentionTile& tile, Value operand, const std::optional<Strided>& cells,
           const KeyRange& range, Value copy, Value lines)
      : code_(tile.code), e_(tile.code.e), pointer_(copy) {
    Index index = code_.leading(operand, tile.head);
    if (cells) {
      Values first;
      for (const Coordinate& place : index)
        first.push_back(place.base);
      first.push_back(range.block);
      pointer_ = cells->pointer;
      cell_ = cells->strides.back();
      if (!has_lines(*cells)) {
        first_ = cell_number(*cells, first, e_);
        line_ = cells->strides.rbegin()[1];
        return;
      }
      lines_ = lines;
      e_.with_lanes(1, {}, [&] {
        e_.loop(range.first, range.last, [&](Value key) {
          first.back() = e_.add(range.block, key);
          e_.store(lines_, DType::i64, Coordinate(key), cell_number(*cells, first, e_));
        });
      });
      return;
    }
    Value count = e_.shape(operand).back();
    first_ = e_.i64(0);
    line_ = count;
    cell_ = e_.i64(1);
    e_.loop(range.first, range.last, [&](Value key) {
      code_.by_lanes(count, [&](Coordinate cell) {
        Index from(index);
        from.push_back(e_.add(range.block, key));
        from.push_back(cell);
        Coordinate to = e_.add(cell, Coordinate(e_.mul(key, line_)));
        e_.store(pointer_, code_.wide, to, code_.widened(e_.cell(operand, from)));
      });
    });
  }

  /// Element `cell` + `more` of key `key` + `more_keys`.
  Value load(Value key, int64_t more_keys, Value cell, int64_t more) const {
    if (lines_) {
      Value line = e_.load(lines_, DType::i64, Coordinate(e_.add(key, e_.i64(more_keys))));
      Value number = e_.add(line, e_.mul(cell, cell_));
      return e_.load(pointer_, code_.wide, Coordinate(e_.add(number, e_.mul(e_.i64(more), cell_))));
    }
    // What is known now comes last: it becomes part of the address.
    Value number = e_.add(e_.add(first_, e_.mul(key, line_)), e_.mul(cell, cell_));
    Value beyond = e_.add(e_.mul(e_.i64(more_keys), line_), e_.mul(e_.i64(more), cell_));
    return e_.load(pointer_, code_.wide, Coordinate(e_.add(number, beyond)));
  }

private:
  const AttentionCode& code_;
  Emission& e_;
  Value pointer_, first_, line_, cell_;
  Value lines_; ///< where the line of each key begins; null where strides lead there
};

class BlockEmitter {
public:
  BlockEmitter(const AttentionTile& tile, const KeyRange& range, ValueSpan rows)
      : tile_(tile), code_(tile.code), memory_(tile.memory), e_(tile.code.e), s_(e_.b),
        range_(range), rows_(rows), scale_(e_.cell(code_.op.getScale(), {})) {}

  /// memory.scores = the scores of the range, minus infinity where the row does not see the key;
  /// the highest of each row.
  Values emit_scores() {
    Values highest(tile_.vectors, e_.spread(lowest()));
    KeyLines keys(tile_, code_.op.getK(), code_.k, range_, memory_.k, memory_.k_lines);
    return emit_groups(range_.first, range_.last, highest,
                       [&](Value key, int count, ValueSpan state) {
                         return finish_scores(key, count, emit_products(keys, key, count), state);
                       });
  }

  /// Scores become weights: exp(score - m'). Updates the maximum and the sum; gives exp(m - m').
  Values emit_weights(ValueSpan highest) {
    Values before = tile_.load(memory_.max, e_.i64(0)), shift, keep;
    Values sums = tile_.load(memory_.sum, e_.i64(0)), max;
    for (auto [m, block] : llvm::zip(before, highest)) {
      max.push_back(s_.select(s_.fgt(block, m), block, m));
      Value size = s_.abs(max.back());
      Value finite = s_.flt(size, s_.neg(e_.spread(lowest())));
      shift.push_back(s_.select(finite, max.back(), e_.constant(code_.wide, 0)));
      keep.push_back(exp(s_.sub(m, shift.back())));
    }
    tile_.store(memory_.max, e_.i64(0), max);
    fill(e_.i64(0), range_.first);
    fill(range_.last, e_.i64(ir::kAttentionKeys));
    e_.loop(range_.first, range_.last, [&](Value key) {
      Values weights = tile_.load(memory_.scores, key);
      for (auto [weight, m] : llvm::zip(weights, shift))
        weight = exp(s_.sub(weight, m));
      tile_.store(memory_.scores, key, weights);
    });
    Values added = emit_sum_of_weights();
    for (int vector = 0; vector < tile_.vectors; ++vector)
      sums[vector] = s_.add(s_.mul(sums[vector], keep[vector]), added[vector]);
    tile_.store(memory_.sum, e_.i64(0), sums);
    return keep;
  }

  /// found = found keep + weights v, for rows that see a key of the block.
  void emit_found(ValueSpan keep) {
    KeyLines values(tile_, code_.op.getV(), code_.v, range_, memory_.v, memory_.v_lines);
    emit_groups(e_.i64(0), code_.columns, {}, [&](Value first, int count, ValueSpan) {
      Values sums =
          e_.loop(range_.first, range_.last, zeros(count), [&](Value key, ValueSpan state) {
            Values weights = tile_.load(memory_.scores, key), sees, next(state);
            for (int vector = 0; !rows_.empty() && vector < tile_.vectors; ++vector)
              sees.push_back(sees_key(key, vector));
            for (int line = 0; line < count; ++line) {
              Value cell = values.load(key, 0, first, line);
              for (int vector = 0; vector < tile_.vectors; ++vector) {
                Value& sum = next[line * tile_.vectors + vector];
                Value added = multiply_add(weights[vector], cell, sum);
                sum = rows_.empty() ? added : s_.select(sees[vector], added, sum);
              }
            }
            return next;
          });
      for (int line = 0; line < count; ++line)
        add_found(e_.add(first, e_.i64(line)),
                  ValueSpan(sums).slice(line * tile_.vectors, tile_.vectors), keep);
      return Values();
    });
  }

private:
  Value lowest() { return e_.constant(code_.wide, -std::numeric_limits<double>::infinity()); }
  Values zeros(int lines) {
    return e_.spread(Values(lines * tile_.vectors, e_.constant(code_.wide, 0)));
  }
  Value exp(Value x) { return emit_function(Fn::exp, code_.wide, x, e_); }
  Value multiply_add(Value x, Value y, Value sum) {
    return e_.machine.has_fma ? s_.fma(x, y, sum) : s_.add(sum, s_.mul(x, y));
  }
  /// One condition for each row of a vector.
  Value unpack(Value bits) {
    Value packed = mlir::arith::TruncIOp::create(e_.b, e_.b.getIntegerType(code_.lanes), bits);
    return mlir::LLVM::BitcastOp::create(
        e_.b, mlir::VectorType::get({code_.lanes}, e_.b.getI1Type()), packed);
  }
  /// Whether each row of a vector sees a key of the block.
  Value sees_key(Value key, int vector) {
    Value slot = e_.add(e_.mul(key, e_.i64(tile_.vectors)), e_.i64(vector));
    return unpack(e_.load(memory_.visible, DType::i32, Coordinate(slot)));
  }
  /// Weights of keys outside the range.
  void fill(Value first, Value last) {
    e_.loop(first, last, [&](Value key) { tile_.store(memory_.scores, key, zeros(1)); });
  }

  /// `body(first, lines, state)` for groups of lines, then for lines one by one.
  Values emit_groups(Value first, Value last, Values state,
                     llvm::function_ref<Values(Value, int, ValueSpan)> body) {
    Value left = e_.b.createOrFold<mlir::arith::RemSIOp>(e_.sub(last, first), e_.i64(code_.group));
    Value whole = e_.sub(last, left);
    state = e_.loop(
        first, whole, state, [&](Value line, ValueSpan s) { return body(line, code_.group, s); },
        code_.group);
    return e_.loop(whole, last, state, [&](Value line, ValueSpan s) { return body(line, 1, s); });
  }

  /// q k^T for `count` keys.
  Values emit_products(const KeyLines& keys, Value key, int count) {
    auto step = [&](ValueSpan sums, const Coordinate& cell) {
      Values queries = tile_.load(memory_.q, cell.base), next;
      for (int line = 0; line < count; ++line) {
        Value factor = keys.load(key, line, cell.base, 0);
        for (int vector = 0; vector < tile_.vectors; ++vector)
          next.push_back(
              multiply_add(queries[vector], factor, sums[line * tile_.vectors + vector]));
      }
      return next;
    };
    ProductArithmetic arithmetic(code_.wide, code_.wide, e_);
    return emit_sum_steps(arithmetic, {kContractChain, memory_.slots}, code_.depth,
                          static_cast<size_t>(count) * tile_.vectors, step, e_);
  }

  /// Scales, masks and stores scores; the highest with them.
  Values finish_scores(Value key, int count, ValueSpan sums, ValueSpan highest) {
    Values most(highest);
    for (int line = 0; line < count; ++line) {
      Value own = e_.add(key, e_.i64(line));
      Values scores;
      for (int vector = 0; vector < tile_.vectors; ++vector) {
        Value score = s_.mul(sums[line * tile_.vectors + vector], scale_);
        if (is_biased())
          score = s_.add(score, bias(own, vector));
        if (!rows_.empty())
          score = s_.select(sees_key(own, vector), score, lowest());
        scores.push_back(score);
        most[vector] = s_.select(s_.fgt(score, most[vector]), score, most[vector]);
      }
      tile_.store(memory_.scores, own, scores);
    }
    return most;
  }

  bool is_biased() {
    Value mask = code_.op.getMask();
    return mask && ir::dtype_of(mask) != DType::boolean;
  }
  /// What the mask adds to a score of each row of a vector.
  Value bias(Value key, int vector) {
    if (code_.has_mask_cells)
      return tile_.load(memory_.mask, key)[vector];
    Value cells;
    e_.with_lanes(code_.lanes, tile_.active_in(vector), [&] {
      Coordinate place = e_.add(range_.block, key);
      Index index = code_.mask_index(tile_.head, tile_.rows_of(vector), place);
      cells = e_.spread(e_.cell(code_.op.getMask(), index));
    });
    return cells;
  }

  /// In the order of lanes: l with l + 64, then the halves that are left.
  Values emit_sum_of_weights() {
    static_assert(ir::kAttentionKeys == 128 && ir::kAttentionLanes == 64);
    auto weight = [&](Value lane, int64_t more) {
      return tile_.load(memory_.scores, e_.add(lane, e_.i64(more)));
    };
    auto sum = [&](Value lane, int64_t more) {
      return tile_.load(memory_.sums, e_.add(lane, e_.i64(more)));
    };
    e_.loop(e_.i64(0), e_.i64(32), [&](Value lane) {
      tile_.store(memory_.sums, lane,
                  added(added(weight(lane, 0), weight(lane, 64)),
                        added(weight(lane, 32), weight(lane, 96))));
    });
    e_.loop(e_.i64(0), e_.i64(8), [&](Value lane) {
      tile_.store(memory_.sums, lane,
                  added(added(sum(lane, 0), sum(lane, 16)), added(sum(lane, 8), sum(lane, 24))));
    });
    Value zero = e_.i64(0);
    auto pair = [&](int64_t lane) { return added(sum(zero, lane), sum(zero, lane + 4)); };
    return added(added(pair(0), pair(2)), added(pair(1), pair(3)));
  }

  Values added(ValueSpan x, ValueSpan y) {
    Values sums;
    for (auto [a, b] : llvm::zip(x, y))
      sums.push_back(s_.add(a, b));
    return sums;
  }

  void add_found(Value line, ValueSpan sums, ValueSpan keep) {
    Values found = tile_.load(memory_.found, line);
    for (int vector = 0; vector < tile_.vectors; ++vector) {
      Value next = s_.add(s_.mul(found[vector], keep[vector]), sums[vector]);
      found[vector] = rows_.empty() ? next : s_.select(unpack(rows_[vector]), next, found[vector]);
    }
    tile_.store(memory_.found, line, found);
  }

  const AttentionTile& tile_;
  const AttentionCode& code_;
  const AttentionMemory& memory_;
  Emission& e_;
  ScalarBuilder s_;
  KeyRange range_;
  ValueSpan rows_; ///< none where every row sees every key
  Value scale_;
};

} // namespace

void emit_block(const AttentionTile& tile, const KeyRange& range, ValueSpan rows) {
  tile.code.e.with_lanes(tile.code.lanes, {}, [&] {
    BlockEmitter block(tile, range, rows);
    block.emit_found(block.emit_weights(block.emit_scores()));
  });
}

} // namespace kolam::lower::cpu
