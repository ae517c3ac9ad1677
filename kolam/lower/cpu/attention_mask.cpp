// Which query rows of a tile see which keys of a block.
#include "kolam/lower/cpu/attention_tile.h"
#include "kolam/lower/cpu/reduction.h"
#include "kolam/lower/cpu/shuffles.h"
#include "kolam/lower/scalar_builder.h"

#include <limits>

namespace kolam::lower::cpu {
namespace {

class MaskEmitter {
public:
  MaskEmitter(const AttentionTile& tile, Value block)
      : tile_(tile), code_(tile.code), op_(tile.code.op), e_(tile.code.e), s_(e_.b),
        head_(tile.head), block_(block) {}

  /// memory.mask = the mask's elements of the range, whose rows lie along keys in memory.
  void emit_mask_lines(const KeyRange& range) {
    Value whole = range.first;
    if (!tile_.active) {
      Value count = e_.sub(range.last, range.first);
      Value left = e_.b.createOrFold<mlir::arith::RemSIOp>(count, e_.i64(code_.lanes));
      whole = e_.sub(range.last, left);
    }
    auto by_blocks = [&](Value key) {
      std::vector<Values> columns; // by vector
      Coordinate keys = Coordinate::progression(e_.add(block_, key), 1);
      for (int vector = 0; vector < tile_.vectors; ++vector) {
        Values rows;
        for (int64_t row = 0; row < code_.lanes; ++row)
          rows.push_back(added(e_.add(tile_.rows_of(vector).base, e_.i64(row)), keys));
        columns.push_back(transposed(rows, e_));
      }
      for (int64_t line = 0; line < code_.lanes; ++line) {
        Values cells;
        for (const Values& column : columns)
          cells.push_back(column[line]);
        tile_.store(tile_.memory.mask, e_.add(key, e_.i64(line)), cells);
      }
    };
    e_.with_lanes(code_.lanes, {}, [&] { e_.loop(range.first, whole, by_blocks, code_.lanes); });
    e_.loop(whole, range.last, [&](Value key) {
      Values cells;
      for (int vector = 0; vector < tile_.vectors; ++vector)
        e_.with_lanes(code_.lanes, tile_.active_in(vector), [&] {
          cells.push_back(added(tile_.rows_of(vector), Coordinate(e_.add(block_, key))));
        });
      e_.with_lanes(code_.lanes, {}, [&] { tile_.store(tile_.memory.mask, key, cells); });
    });
  }

  /// One bit for each row of a vector, in an i32: whether it sees `key`. Rows beyond the tile's do
  /// not.
  Value emit_bits(Value key, int vector) {
    Value bits;
    e_.with_lanes(code_.lanes, tile_.active_in(vector), [&] {
      vector_ = vector;
      rows_ = tile_.rows_of(vector);
      key_ = key;
      Value sees = e_.active() ? e_.active() : e_.spread(e_.constant(DType::boolean, 1));
      for (Value one : {in_window(), in_mask(), emit_in_segment(code_, head_, rows_, key_),
                        emit_in_region(code_, head_, rows_, key_)})
        if (one)
          sees = s_.and_(sees, one);
      mlir::Type packed = e_.b.getIntegerType(code_.lanes);
      bits = mlir::LLVM::BitcastOp::create(e_.b, packed, sees);
      bits = mlir::arith::ExtUIOp::create(e_.b, e_.b.getI32Type(), bits);
    });
    return bits;
  }

private:
  static constexpr double kHidden = -std::numeric_limits<double>::infinity();

  /// What the mask adds to scores: minus infinity where it is false.
  Value added(const Coordinate& row, const Coordinate& key) {
    Index index = code_.mask_index(head_, row, key);
    Value cell = e_.spread(e_.cell(op_.getMask(), index)); // which may be the same for all lanes
    if (ir::dtype_of(op_.getMask()) != DType::boolean)
      return cell;
    return s_.select(cell, e_.constant(code_.wide, 0), e_.spread(e_.constant(code_.wide, kHidden)));
  }

  Value in_window() {
    using Predicate = mlir::arith::CmpIPredicate;
    Value sees;
    if (code_.left)
      sees = e_.compare(Predicate::sle, rows_, Coordinate(e_.add(key_, e_.i64(*code_.left))));
    if (code_.right) {
      Value right =
          e_.compare(Predicate::sge, rows_, Coordinate(e_.sub(key_, e_.i64(*code_.right))));
      sees = sees ? s_.and_(sees, right) : right;
    }
    return sees;
  }

  Value in_mask() {
    if (!op_.getMask())
      return {};
    if (code_.has_mask_cells)
      return is_shown(tile_.load(tile_.memory.mask, e_.sub(key_, block_))[vector_]);
    Value cell = e_.cell(op_.getMask(), code_.mask_index(head_, rows_, key_));
    return ir::dtype_of(op_.getMask()) == DType::boolean ? cell : is_shown(cell);
  }
  Value is_shown(Value added) { return s_.fne(added, s_.constant_like(added, kHidden)); }

  const AttentionTile& tile_;
  const AttentionCode& code_;
  ir::AttentionOp op_;
  Emission& e_;
  ScalarBuilder s_;
  IndexSpan head_;
  Value block_;
  int vector_ = 0;
  Coordinate rows_;
  Value key_;
};

} // namespace

Value emit_in_segment(const AttentionCode& code, IndexSpan head, const Coordinate& rows,
                      const Coordinate& keys) {
  ir::AttentionOp op = code.op;
  if (!op.getQSegments())
    return {};
  auto segment = [&](Value segments, const Coordinate& place) {
    Index index = code.leading(segments, head);
    index.push_back(place);
    return code.e.cell(segments, index);
  };
  ScalarBuilder s(code.e.b);
  Value own = segment(op.getQSegments(), rows), other = segment(op.getKSegments(), keys);
  if (rows.is_uniform() != keys.is_uniform()) // one for all lanes
    return s.ieq(code.e.spread(own), code.e.spread(other));
  return s.ieq(own, other);
}

Value emit_in_region(const AttentionCode& code, IndexSpan head, const Coordinate& rows,
                     const Coordinate& keys) {
  ir::AttentionOp op = code.op;
  Emission& e = code.e;
  if (op.getVisible().empty())
    return {};
  DType dtype = ir::dtype_of(op.getVisible().getArgument(0));
  Coordinate batch = e.i64(0), own = e.i64(0);
  if (!head.empty()) {
    own = head.back();
    batch = e.ravel(head.drop_back(), ValueSpan(code.result).take_front(head.size() - 1));
  }
  Values places;
  for (const Coordinate& place : {batch, own, rows, keys})
    places.push_back(emit_cast(DType::i64, dtype, e.value(place), e));
  return e.region(op.getVisible(), places, op.getCaptures())[0];
}

Visible emit_visible(const AttentionTile& tile, const KeyRange& range) {
  const AttentionCode& code = tile.code;
  Emission& e = code.e;
  ScalarBuilder s(e.b);
  MaskEmitter mask(tile, range.block);
  if (code.has_mask_cells)
    mask.emit_mask_lines(range);
  auto i32 = [&](int64_t value) -> Value {
    return mlir::arith::ConstantIntOp::create(e.b, e.b.getI32Type(), value);
  };
  // Bits of rows that see some key, of rows that see every key; the first and last key that is
  // seen.
  Values state(tile.vectors, i32(0));
  state.append(tile.vectors, i32(-1));
  state.append({range.last, range.first});
  state = e.loop(range.first, range.last, state, [&](Value key, ValueSpan seen) {
    Values next(seen);
    Value rows = i32(0);
    for (int vector = 0; vector < tile.vectors; ++vector) {
      Value bits = mask.emit_bits(e.add(range.block, key), vector);
      Value slot = e.add(e.mul(key, e.i64(tile.vectors)), e.i64(vector));
      e.store(tile.memory.visible, DType::i32, Coordinate(slot), bits);
      next[vector] = s.or_(next[vector], bits);
      next[tile.vectors + vector] = s.and_(next[tile.vectors + vector], bits);
      rows = s.or_(rows, bits);
    }
    Value is_seen = s.ine(rows, i32(0)), &first = next.rbegin()[1], &end = next.back();
    first = s.select(s.and_(is_seen, s.slt(key, first)), key, first);
    end = s.select(is_seen, e.add(key, e.i64(1)), end);
    return next;
  });
  // Groups start at multiples of the group.
  Value group = e.i64(code.group);
  Value first = e.mul(e.b.createOrFold<mlir::arith::DivSIOp>(state.rbegin()[1], group), group);
  Visible visible{Values(ValueSpan(state).take_front(tile.vectors)),
                  {range.block, first, state.back()},
                  {},
                  {}};
  Value any = i32(0);
  visible.all = e.constant(DType::boolean, 1);
  for (int vector = 0; vector < tile.vectors; ++vector) {
    any = s.or_(any, state[vector]);
    Value full = i32((int64_t{1} << code.lanes) - 1);
    if (Value active = tile.active_in(vector)) {
      Value count = mlir::arith::TruncIOp::create(e.b, e.b.getI32Type(), active);
      full = s.isub(s.shl(i32(1), count), i32(1));
    }
    Value all = state[tile.vectors + vector];
    visible.all = s.and_(visible.all, s.ieq(s.and_(all, full), full));
  }
  visible.any = s.ine(any, i32(0));
  return visible;
}

Value emit_window_is_open(const AttentionTile& tile, const KeyRange& range) {
  using Predicate = mlir::arith::CmpIPredicate;
  Emission& e = tile.code.e;
  ScalarBuilder s(e.b);
  // The last row's first key, and the first row's last.
  Value open = e.constant(DType::boolean, 1);
  if (tile.code.left)
    open = e.compare(Predicate::sle, e.add(tile.row, tile.count()),
                     e.add(e.add(range.block, range.first), e.i64(*tile.code.left + 1)));
  if (tile.code.right)
    open = s.and_(open, e.compare(Predicate::sle, e.add(range.block, range.last),
                                  e.add(tile.row, e.i64(*tile.code.right + 1))));
  return open;
}

} // namespace kolam::lower::cpu
