// kolam.random_block: result[.., 0:2] = threefry2x32(key[.., 0:2], counter[.., 0:2]).
#include "kolam/interp/ops.h"
#include "kolam/support/scalar/host_builder.h"
#include "kolam/support/scalar/random.h"

namespace kolam::interp {

void evaluate_op(ir::RandomBlockOp op, Evaluation& e) {
  std::span<const uint32_t> key = e.get(op.getKey()).values<uint32_t>();
  std::span<const uint32_t> counter = e.get(op.getCounter()).values<uint32_t>();
  Array result = e.make(op.getResult());
  std::span<uint32_t> out = result.mutable_values<uint32_t>();
  using Words = scalar::WordPair<uint32_t>;
  scalar::HostBuilder b;
  for (size_t i = 0; i < out.size(); i += 2) {
    Words words =
        scalar::threefry2x32(b, Words{key[i], key[i + 1]}, Words{counter[i], counter[i + 1]});
    out[i] = words[0];
    out[i + 1] = words[1];
  }
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
