// NumPy as a peer, in a process of its own.
#include "bench/child.h"
#include "bench/peers.h"

#include <map>
#include <nlohmann/json.hpp>

namespace kolam::bench {
namespace {

/// The child for so many threads; null where Python has no NumPy.
std::shared_ptr<Child> child_of(int threads) {
  static std::map<int, std::shared_ptr<Child>> children;
  auto [place, is_new] = children.try_emplace(threads);
  if (is_new) {
    auto child = std::make_shared<Child>(
        std::vector<std::string>{KOLAM_BENCH_PYTHON, KOLAM_BENCH_FOLDER "/numpy_peer.py"},
        Environment{{"OPENBLAS_NUM_THREADS", std::to_string(threads)}});
    if (!child->read().empty()) // its first line says that it is there
      place->second = child;
  }
  return place->second;
}

} // namespace

Peer numpy(const std::string& call, const std::vector<int64_t>& shape, int threads) {
  std::shared_ptr<Child> child = child_of(threads);
  if (!child)
    return not_available("NumPy");
  auto seconds = [=](int64_t calls) {
    const nlohmann::json order = {{"call", call}, {"shape", shape}, {"calls", calls}};
    return child->seconds(order.dump());
  };
  return {.name = "NumPy", .seconds = seconds};
}

} // namespace kolam::bench
