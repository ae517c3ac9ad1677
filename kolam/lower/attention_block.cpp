// A block of keys against a tile of query rows: scores, weights, and what they find.
#include "kolam/lower/attention_tile.h"
#include "kolam/lower/reduction.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/error.h"

#include <limits>

namespace kolam::lower {
namespace {

/// The lines of k or v for the keys of a block, some cells of each: plain memory of the nest, or
/// copied to scratch memory.
class KeyLines {
public:
  /// Cells [start, start + count) of the keys [range.first, range.last). `copy` is null where
  /// the operand is plain memory.
  KeyLines(const AttentionTile& tile, Value operand, const KeyRange& range, Value start,
           Value count, Value copy, int64_t copy_stride)
      : code_(tile.code), e_(tile.code.e), copy_(copy) {
    Index index = code_.leading(operand, tile.head);
    index.push_back(range.block);
    index.push_back(start);
    if (!copy) {
      Values shape = e_.shape(operand);
      auto place = llvm::find(e_.nest().inputs, operand);
      parameter_ = static_cast<int>(e_.nest().outputs.size() + (place - e_.nest().inputs.begin()));
      first_ = e_.ravel(index, shape).base;
      stride_ = shape.back();
      return;
    }
    first_ = e_.i64(0);
    stride_ = e_.i64(copy_stride);
    e_.loop(range.first, range.last, [&](Value key) {
      code_.by_lanes(count, [&](Coordinate cell) {
        Index from(index);
        from.rbegin()[1] = e_.add(index.rbegin()[1], Coordinate(key));
        from.back() = e_.add(index.back(), cell);
        Coordinate to = e_.add(cell, Coordinate(e_.mul(key, stride_)));
        e_.store(copy_, code_.wide, to, code_.widened(e_.cell(operand, from)));
      });
    });
  }

  /// Cell `cell` + `more` of key `key` + `more_keys`.
  Value load(Value key, int64_t more_keys, Value cell, int64_t more) const {
    // What is known now comes last: it becomes part of the address.
    Value number = e_.add(e_.add(e_.add(first_, e_.mul(key, stride_)), cell),
                          e_.add(e_.mul(e_.i64(more_keys), stride_), e_.i64(more)));
    return copy_ ? e_.load(copy_, code_.wide, Coordinate(number))
                 : e_.load(parameter_, code_.wide, Coordinate(number));
  }

private:
  const AttentionCode& code_;
  Emission& e_;
  Value copy_, first_, stride_;
  int parameter_ = -1;
};

class BlockEmitter {
public:
  BlockEmitter(const AttentionTile& tile, const KeyRange& range)
      : tile_(tile), code_(tile.code), memory_(tile.memory), e_(tile.code.e), s_(e_.b),
        range_(range), scale_(e_.cell(code_.op.getScale(), {})) {}

  /// memory.scores = the scores of the range, minus infinity where the row does not see the key or
  /// outside the range; the highest of each row.
  Values emit_scores() {
    fill(e_.i64(0), range_.first, lowest());
    fill(range_.last, e_.i64(ir::kAttentionKeys), lowest());
    Values highest(tile_.vectors, e_.spread(lowest()));
    if (!code_.is_deep) {
      KeyLines keys(tile_, code_.op.getK(), range_, e_.i64(0), code_.depth, memory_.k,
                    code_.depth_chunk);
      return emit_groups(range_.first, range_.last, highest,
                         [&](Value key, int count, ValueSpan state) {
                           Values sums = emit_products(keys, key, count, code_.depth, zeros(count));
                           return finish_scores(key, count, sums, state);
                         });
    }
    fill(range_.first, range_.last, e_.constant(code_.wide, 0));
    e_.loop(
        e_.i64(0), code_.depth, [&](Value start) { emit_part_of_depth(start); }, code_.depth_chunk);
    return e_.loop(range_.first, range_.last, highest, [&](Value key, ValueSpan state) {
      return finish_scores(key, 1, tile_.load(memory_.scores, key), state);
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
    emit_lanes(shift);
    Values added = emit_sum_of_lanes();
    for (int vector = 0; vector < tile_.vectors; ++vector)
      sums[vector] = s_.add(s_.mul(sums[vector], keep[vector]), added[vector]);
    tile_.store(memory_.sum, e_.i64(0), sums);
    return keep;
  }

  /// found = found keep + weights v, for rows that see a key of the block. `is_masked` where some
  /// row does not see some key.
  void emit_found(Value column, Value columns, ValueSpan keep, ValueSpan rows, bool is_masked) {
    KeyLines values(tile_, code_.op.getV(), range_, column, columns, memory_.v, code_.column_chunk);
    emit_groups(e_.i64(0), columns, {}, [&](Value first, int count, ValueSpan) {
      Values sums =
          e_.loop(range_.first, range_.last, zeros(count), [&](Value key, ValueSpan sums) {
            Values weights = tile_.load(memory_.scores, key), sees, next(sums);
            for (int vector = 0; is_masked && vector < tile_.vectors; ++vector) {
              Value slot = e_.add(e_.mul(key, e_.i64(tile_.vectors)), e_.i64(vector));
              sees.push_back(unpack(e_.load(memory_.visible, DType::i32, Coordinate(slot))));
            }
            for (int line = 0; line < count; ++line) {
              Value cell = values.load(key, 0, first, line);
              for (int vector = 0; vector < tile_.vectors; ++vector) {
                Value& sum = next[line * tile_.vectors + vector];
                Value added = multiply_add(weights[vector], cell, sum);
                sum = is_masked ? s_.select(sees[vector], added, sum) : added;
              }
            }
            return next;
          });
      for (int line = 0; line < count; ++line)
        add_found(e_.add(first, e_.i64(line)),
                  ValueSpan(sums).slice(line * tile_.vectors, tile_.vectors), keep, rows);
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
  void fill(Value first, Value last, Value with) {
    Values vectors(tile_.vectors, with);
    e_.loop(first, last, [&](Value line) { tile_.store(memory_.scores, line, vectors); });
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

  /// sums + q k^T for `count` keys, over `depth` cells in memory.q.
  Values emit_products(const KeyLines& keys, Value key, int count, Value depth,
                       const Values& sums) {
    return e_.loop(e_.i64(0), depth, sums, [&](Value cell, ValueSpan state) {
      Values queries = tile_.load(memory_.q, cell), next;
      for (int line = 0; line < count; ++line) {
        Value factor = keys.load(key, line, cell, 0);
        for (int vector = 0; vector < tile_.vectors; ++vector)
          next.push_back(
              multiply_add(queries[vector], factor, state[line * tile_.vectors + vector]));
      }
      return next;
    });
  }

  /// memory.scores += q k^T over the chunk of d that starts at `start`.
  void emit_part_of_depth(Value start) {
    Value left = e_.sub(code_.depth, start);
    Value count = e_.b.createOrFold<mlir::arith::MinSIOp>(left, e_.i64(code_.depth_chunk));
    emit_queries(tile_, start, count);
    KeyLines keys(tile_, code_.op.getK(), range_, start, count, memory_.k, code_.depth_chunk);
    emit_groups(range_.first, range_.last, {}, [&](Value key, int lines, ValueSpan) {
      Values sums;
      for (int line = 0; line < lines; ++line)
        sums.append(tile_.load(memory_.scores, e_.add(key, e_.i64(line))));
      sums = emit_products(keys, key, lines, count, sums);
      for (int line = 0; line < lines; ++line)
        tile_.store(memory_.scores, e_.add(key, e_.i64(line)),
                    ValueSpan(sums).slice(line * tile_.vectors, tile_.vectors));
      return Values();
    });
  }

  /// Scales, masks and stores scores; the highest with them.
  Values finish_scores(Value key, int count, ValueSpan sums, ValueSpan highest) {
    Values most(highest);
    for (int line = 0; line < count; ++line) {
      Value own = e_.add(key, e_.i64(line));
      Values scores;
      for (int vector = 0; vector < tile_.vectors; ++vector) {
        Value score = s_.mul(sums[line * tile_.vectors + vector], scale_);
        if (code_.is_masked)
          score = masked(score, own, vector);
        scores.push_back(score);
        most[vector] = s_.select(s_.fgt(score, most[vector]), score, most[vector]);
      }
      tile_.store(memory_.scores, own, scores);
    }
    return most;
  }

  Value masked(Value score, Value key, int vector) {
    Value mask = code_.op.getMask();
    if (mask && ir::dtype_of(mask) != DType::boolean)
      e_.with_lanes(code_.lanes, tile_.active, [&] {
        Index index =
            code_.mask_index(tile_.head, tile_.rows_of(vector), e_.add(range_.block, key));
        score = s_.add(score, e_.spread(e_.cell(mask, index)));
      });
    Value slot = e_.add(e_.mul(key, e_.i64(tile_.vectors)), e_.i64(vector));
    Value sees = unpack(e_.load(memory_.visible, DType::i32, Coordinate(slot)));
    return s_.select(sees, score, lowest());
  }

  /// Weights of the keys l, l + 32, l + 64, l + 96, and their sum as the first two steps of the
  /// order have it.
  void emit_lanes(ValueSpan shift) {
    static_assert(ir::kAttentionKeys == 128 && ir::kAttentionLanes == 64);
    e_.loop(e_.i64(0), e_.i64(32), [&](Value lane) {
      Values weights[4];
      for (int part = 0; part < 4; ++part) {
        Value key = e_.add(lane, e_.i64(int64_t{32} * part));
        weights[part] = tile_.load(memory_.scores, key);
        for (auto [weight, m] : llvm::zip(weights[part], shift))
          weight = exp(s_.sub(weight, m));
        tile_.store(memory_.scores, key, weights[part]);
      }
      tile_.store(memory_.sums, lane,
                  added(added(weights[0], weights[2]), added(weights[1], weights[3])));
    });
  }

  /// What is left of the order: 32 lanes to one.
  Values emit_sum_of_lanes() {
    auto at = [&](Value lane, int64_t more) {
      return tile_.load(memory_.sums, e_.add(lane, e_.i64(more)));
    };
    e_.loop(e_.i64(0), e_.i64(8), [&](Value lane) {
      Values even = added(at(lane, 0), at(lane, 16)), odd = added(at(lane, 8), at(lane, 24));
      tile_.store(memory_.sums, lane, added(even, odd));
    });
    auto pair = [&](int64_t lane) { return added(at(e_.i64(0), lane), at(e_.i64(0), lane + 4)); };
    return added(added(pair(0), pair(2)), added(pair(1), pair(3)));
  }

  Values added(ValueSpan x, ValueSpan y) {
    Values sums;
    for (auto [a, b] : llvm::zip(x, y))
      sums.push_back(s_.add(a, b));
    return sums;
  }

  void add_found(Value line, ValueSpan sums, ValueSpan keep, ValueSpan rows) {
    Values found = tile_.load(memory_.found, line);
    for (int vector = 0; vector < tile_.vectors; ++vector) {
      Value next = s_.add(s_.mul(found[vector], keep[vector]), sums[vector]);
      found[vector] = rows.empty() ? next : s_.select(unpack(rows[vector]), next, found[vector]);
    }
    tile_.store(memory_.found, line, found);
  }

  const AttentionTile& tile_;
  const AttentionCode& code_;
  const AttentionMemory& memory_;
  Emission& e_;
  ScalarBuilder s_;
  KeyRange range_;
  Value scale_;
};

} // namespace

void emit_queries(const AttentionTile& tile, Value start, Value count) {
  const AttentionCode& code = tile.code;
  Emission& e = code.e;
  e.loop(e.i64(0), count, [&](Value line) {
    e.with_lanes(code.lanes, tile.active, [&] {
      Values cells;
      for (int vector = 0; vector < tile.vectors; ++vector) {
        Index index = code.leading(code.op.getQ(), tile.head);
        index.push_back(tile.rows_of(vector));
        index.push_back(e.add(start, line));
        cells.push_back(e.spread(code.widened(e.cell(code.op.getQ(), index))));
      }
      tile.store(tile.memory.q, line, cells);
    });
  });
}

void emit_block(const AttentionTile& tile, const KeyRange& range, Value column, Value columns,
                ValueSpan rows, Value all) {
  Emission& e = tile.code.e;
  e.with_lanes(tile.code.lanes, {}, [&] {
    BlockEmitter block(tile, range);
    Values keep = block.emit_weights(block.emit_scores());
    if (!all)
      return block.emit_found(column, columns, keep, rows, false);
    e.when(all, [&] { block.emit_found(column, columns, keep, {}, false); });
    e.when(ScalarBuilder(e.b).not_(all),
           [&] { block.emit_found(column, columns, keep, rows, true); });
  });
}

} // namespace kolam::lower
