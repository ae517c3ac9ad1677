// kolam.random_bits: result[k, i] = generator(key[k], ravel(i)).
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/support/scalar/host_builder.h"
#include "kolam/support/scalar/random.h"

namespace kolam::interp {

void evaluate_op(ir::RandomBitsOp op, Evaluation& e) {
  const Array& key = e.get(op.getKey());
  Array result = e.make(op.getResult());
  std::span<const uint32_t> words = key.values<uint32_t>();
  Generator generator = *parse_generator(op.getGenerator());
  int64_t keys = key.size() / 2;
  int64_t numbers = keys == 0 ? 0 : result.size() / keys;
  scalar::HostBuilder b;
  auto fill = [&]<class T>(T* out) {
    for (int64_t k = 0; k < keys; ++k)
      for (int64_t i = 0; i < numbers; ++i) {
        poll_cancel(e.options());
        *out++ = scalar::generate_bits<8 * sizeof(T)>(
            b, generator, scalar::WordPair<uint32_t>{words[2 * k], words[2 * k + 1]},
            static_cast<uint64_t>(i));
      }
  };
  visit_dtype(result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_unsigned_integer(dtype_of<T>()))
      fill(result.mutable_values<T>().data());
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
