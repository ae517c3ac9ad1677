// Copies and reads as peers of whatever memory limits.
#include "bench/limits.h"
#include "bench/operands.h"
#include "bench/peers.h"

namespace kolam::bench {

std::vector<Peer> copies(double bytes) {
  const auto half = static_cast<int64_t>(bytes / 2);
  Array from = random_array(DType::u8, {half}, 1), to = random_array(DType::u8, {half}, 2);
  auto copy = [=](auto how) {
    return [=]() mutable { how(to.mutable_data(), from.data(), static_cast<size_t>(half)); };
  };
  return {peer("memcpy", copy(copy_plain)), peer("streaming copy", copy(copy_streaming))};
}

Peer reading(std::vector<Array> data) {
  return peer("read", [data = std::move(data), turn = size_t{0}]() mutable {
    const Array& block = data[turn++ % data.size()];
    read_all(block.data(), static_cast<size_t>(block.byte_count()));
  });
}

} // namespace kolam::bench
