// Asks of each vector whether it lies in one row.
#include "kolam/lower/in_rows.h"

namespace kolam::lower {

bool may_lie_in_two_rows(const Coordinate& number, ValueSpan extents, const Emission& e) {
  auto length = extents.size() < 2 ? std::nullopt : constant_of(extents.back());
  return length && *length >= e.lanes() && !number.lanes && number.stride == 1 &&
         !(number.is_aligned && *length % e.lanes() == 0);
}

Values emit_in_rows(const Coordinate& number, ValueSpan extents,
                    llvm::function_ref<Values(IndexSpan)> at, Emission& e) {
  using mlir::arith::CmpIPredicate;
  if (!may_lie_in_two_rows(number, extents, e))
    return at(e.unravel(number, extents));
  // Lanes that do not count may lie in front of the first row.
  const Value length = extents.back();
  Value row = mlir::arith::FloorDivSIOp::create(e.b, number.base, length);
  auto place = Coordinate::progression(e.sub(number.base, e.mul(row, length)), 1);
  auto in_row = [&](Value own, const Coordinate& along) {
    Index places = e.unravel(own, extents.drop_back());
    places.push_back(along);
    return at(places);
  };
  auto in_first = [&] { return in_row(row, place); };
  Value end = e.add(place.base, e.i64(e.lanes()));
  return e.choose_way(e.compare(CmpIPredicate::sle, end, length), in_first, [&] {
    return e.choose(e.compare(CmpIPredicate::slt, place, length), in_first,
                    [&] { return in_row(e.add(row, e.i64(1)), e.sub(place, Coordinate(length))); });
  });
}

} // namespace kolam::lower
