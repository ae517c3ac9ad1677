// Elements of kolam.random_bits: the generator's code on the key and the element's number.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/scalar/random.h"

namespace kolam::lower {

Values emit_cells(ir::RandomBitsOp op, IndexSpan index, Emission& e) {
  // The key's leading dims are those of the result; its last holds the two words.
  size_t keys = ir::rank_of(op.getKey()) - 1;
  scalar::WordPair<Value> key;
  for (int word = 0; word < 2; ++word) {
    Index word_index(index.take_front(keys));
    word_index.push_back(e.i64(word));
    key[word] = e.cell(op.getKey(), word_index);
  }
  Values shape = e.shape(op.getResult());
  Value number = e.value(e.ravel(index.drop_front(keys), ValueSpan(shape).drop_front(keys)));
  Generator generator = *parse_generator(op.getGenerator());
  ScalarBuilder b(e.b);
  return {visit_dtype(ir::dtype_of(op.getResult()), [&](auto tag) -> Value {
    constexpr int width = 8 * sizeof(typename decltype(tag)::type);
    return scalar::generate_bits<width>(b, generator, key, number);
  })};
}

} // namespace kolam::lower
