// Which query rows of a tile see which keys of a block.
#include "kolam/lower/attention_tile.h"
#include "kolam/lower/reduction.h"
#include "kolam/lower/scalar_builder.h"

#include <limits>

namespace kolam::lower {
namespace {

class MaskEmitter {
public:
  explicit MaskEmitter(const AttentionTile& tile)
      : tile_(tile), code_(tile.code), op_(tile.code.op), e_(tile.code.e), s_(e_.b),
        head_(tile.head) {}

  /// One bit for each row of a vector, in an i32: whether it sees `key`. Rows beyond the tile's do
  /// not.
  Value emit_bits(Value key, int vector) {
    Value bits;
    e_.with_lanes(code_.lanes, tile_.active, [&] {
      rows_ = tile_.rows_of(vector);
      key_ = key;
      Value sees = e_.active() ? e_.active() : e_.spread(e_.constant(DType::boolean, 1));
      for (Value one : {in_window(), in_mask(), in_segment(), in_region()})
        if (one)
          sees = s_.and_(sees, one);
      mlir::Type packed = e_.b.getIntegerType(code_.lanes);
      bits = mlir::LLVM::BitcastOp::create(e_.b, packed, sees);
      bits = mlir::arith::ExtUIOp::create(e_.b, e_.b.getI32Type(), bits);
    });
    return bits;
  }

private:
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
    Value cell = e_.cell(op_.getMask(), code_.mask_index(head_, rows_, key_));
    if (ir::dtype_of(op_.getMask()) != DType::boolean)
      cell = s_.fne(cell, s_.constant_like(cell, -std::numeric_limits<double>::infinity()));
    return cell;
  }

  Value in_segment() {
    if (!op_.getQSegments())
      return {};
    auto segment = [&](Value segments, const Coordinate& place) {
      Index index = code_.leading(segments, head_);
      index.push_back(place);
      return e_.cell(segments, index);
    };
    return s_.ieq(segment(op_.getQSegments(), rows_), segment(op_.getKSegments(), key_));
  }

  Value in_region() {
    if (op_.getVisible().empty())
      return {};
    DType dtype = ir::dtype_of(op_.getVisible().getArgument(0));
    Coordinate batch = e_.i64(0), head = e_.i64(0);
    if (!head_.empty()) {
      head = head_.back();
      batch = e_.ravel(head_.drop_back(), ValueSpan(code_.result).take_front(head_.size() - 1));
    }
    Values places;
    for (const Coordinate& place : {batch, head, rows_, Coordinate(key_)})
      places.push_back(emit_cast(DType::i64, dtype, e_.value(place), e_));
    return e_.region(op_.getVisible(), places, op_.getCaptures())[0];
  }

  const AttentionTile& tile_;
  const AttentionCode& code_;
  ir::AttentionOp op_;
  Emission& e_;
  ScalarBuilder s_;
  IndexSpan head_;
  Coordinate rows_;
  Value key_;
};

} // namespace

Visible emit_visible(const AttentionTile& tile, const KeyRange& range) {
  const AttentionCode& code = tile.code;
  Emission& e = code.e;
  ScalarBuilder s(e.b);
  MaskEmitter mask(tile);
  auto i32 = [&](int64_t value) -> Value {
    return mlir::arith::ConstantIntOp::create(e.b, e.b.getI32Type(), value);
  };
  // Bits of rows that see some key, then of rows that see every key.
  Values state(tile.vectors, i32(0));
  state.append(tile.vectors, i32(-1));
  state = e.loop(range.first, range.last, state, [&](Value key, ValueSpan seen) {
    Values next(seen);
    for (int vector = 0; vector < tile.vectors; ++vector) {
      Value bits = mask.emit_bits(e.add(range.block, key), vector);
      Value slot = e.add(e.mul(key, e.i64(tile.vectors)), e.i64(vector));
      e.store(tile.memory.visible, DType::i32, Coordinate(slot), bits);
      next[vector] = s.or_(next[vector], bits);
      next[tile.vectors + vector] = s.and_(next[tile.vectors + vector], bits);
    }
    return next;
  });
  Visible visible{Values(ValueSpan(state).take_front(tile.vectors)), {}, {}};
  Value any = i32(0), all = i32(-1);
  for (int vector = 0; vector < tile.vectors; ++vector) {
    any = s.or_(any, state[vector]);
    all = s.and_(all, state[tile.vectors + vector]);
  }
  Value full = i32((int64_t{1} << code.lanes) - 1);
  if (tile.active) {
    Value count = mlir::arith::TruncIOp::create(e.b, e.b.getI32Type(), tile.active);
    full = s.isub(s.shl(i32(1), count), i32(1));
  }
  visible.any = s.ine(any, i32(0));
  visible.all = s.ieq(s.and_(all, full), full);
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

} // namespace kolam::lower
