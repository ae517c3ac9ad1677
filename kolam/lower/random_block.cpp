// Elements of kolam.random_block.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/scalar/random.h"

namespace kolam::lower {

Values emit_cells(ir::RandomBlockOp op, IndexSpan index, Emission& e) {
  scalar::WordPair<Value> key, counter;
  Index word_index(index);
  for (int word = 0; word < 2; ++word) {
    word_index.back() = e.i64(word);
    key[word] = e.cell(op.getKey(), word_index);
    counter[word] = e.cell(op.getCounter(), word_index);
  }
  ScalarBuilder b(e.b);
  scalar::WordPair<Value> words = scalar::threefry2x32(b, key, counter);
  Value is_first = e.compare(mlir::arith::CmpIPredicate::eq, index.back(), e.i64(0));
  return {b.select(is_first, words[0], words[1])};
}

} // namespace kolam::lower
