// Loads, stores and merges sums in working memory.
#include "kolam/lower/cpu/held_sums.h"

namespace kolam::lower::cpu {

Value HeldSums::load_cells(const Coordinate& number) {
  return e_.load(memory_, arithmetic_.sum_dtype(), number);
}

void HeldSums::store_cells(const Coordinate& number, Value cells) {
  e_.store(memory_, arithmetic_.sum_dtype(), number, cells);
}

Coordinate HeldSums::of_tile(const Rows& rows, int row, const Panel& panel, int vector) {
  Value number = e_.add(e_.sub(rows.first, range_.first_row), e_.i64(row));
  number = e_.mul(number, e_.i64(shape_.width));
  number = e_.add(number, e_.sub(panel.first, range_.first));
  return Coordinate::progression(e_.add(number, e_.i64(int64_t{vector} * lanes_)), 1);
}

Values HeldSums::load(const Rows& rows, const Panel& panel) {
  Values sums;
  for (int row = 0; row < rows.count; ++row)
    for (int vector = 0; vector < panel.vectors; ++vector)
      sums.push_back(load_cells(of_tile(rows, row, panel, vector)));
  return sums;
}

void HeldSums::store(const Rows& rows, const Panel& panel, ValueSpan sums) {
  for (int row = 0; row < rows.count; ++row)
    for (int vector = 0; vector < panel.vectors; ++vector)
      store_cells(of_tile(rows, row, panel, vector), sums[row * panel.vectors + vector]);
}

void HeldSums::each(llvm::function_ref<void(const Coordinate&)> body) {
  Value rows = e_.sub(range_.last_row, range_.first_row);
  Value columns = e_.sub(range_.last, range_.first);
  e_.loop(e_.i64(0), rows, [&](Value row) {
    Value first = e_.mul(row, e_.i64(shape_.width));
    e_.loop(
        e_.i64(0), columns,
        [&](Value column) {
          e_.with_lanes(lanes_, {},
                        [&] { body(Coordinate::progression(e_.add(first, column), 1)); });
        },
        lanes_);
  });
}

void HeldSums::clear() {
  each([&](const Coordinate& number) { store_cells(number, arithmetic_.zeros(1)[0]); });
}

void HeldSums::merge(const ChunkPlace& chunk) {
  auto in_slot = [&](Value slot, const Coordinate& number) {
    Value before = e_.mul(e_.add(slot, e_.i64(1)), e_.i64(shape_.cells()));
    return e_.add(Coordinate(before), number);
  };
  chunk.merge(
      {},
      [&](Value slot, ValueSpan) {
        each([&](const Coordinate& number) {
          Value earlier = load_cells(in_slot(slot, number));
          store_cells(number, arithmetic_.add(earlier, load_cells(number)));
        });
        return Values();
      },
      e_);
  e_.when(chunk.waits, [&] {
    each([&](const Coordinate& number) {
      store_cells(in_slot(chunk.slot, number), load_cells(number));
    });
  });
}

} // namespace kolam::lower::cpu
