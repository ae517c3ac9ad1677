// Rows at places given by data: gathered, summed in bags, added together.
#include "bench/families.h"
#include "bench/operands.h"
#include "bench/peers.h"
#include "bench/plain_loops.h"

#include <algorithm>

namespace kolam::bench {
namespace {

using Cells = std::vector<double>;
constexpr int64_t kWidth = 64;

/// Adds row `from` of `rows` to row `to` of `sums`.
void add_row(Cells& sums, int64_t to, std::span<const float> rows, int64_t from) {
  for (int64_t c = 0; c < kWidth; ++c)
    sums[static_cast<size_t>(to * kWidth + c)] +=
        static_cast<double>(rows[static_cast<size_t>(from * kWidth + c)]);
}

double bytes_of(int64_t rows) { return 4.0 * static_cast<double>(rows * kWidth); }

Case gather_case(int64_t rows, int threads) {
  Array x = random_array(DType::f32, {rows, kWidth}, 1), places = random_places({rows}, rows, 2);
  auto f = jit([](Tensor x, Tensor places) { return take(x, places, 0); });
  auto reference = [=] {
    Cells result(static_cast<size_t>(x.size()));
    for (int64_t i = 0; i < rows; ++i)
      add_row(result, i, x.values<float>(), places.values<int32_t>()[static_cast<size_t>(i)]);
    return result;
  };
  std::vector<Peer> peers = copies(2 * bytes_of(rows));
  peers.push_back(numpy("gather_rows", {rows, kWidth}, threads));
  return {.work = {.reads = bytes_of(rows) + static_cast<double>(places.byte_count()),
                   .writes = bytes_of(rows)},
          .goal = 0.9,
          .ours = [=] { return f(x, places).array(); },
          .reference = reference,
          .tolerance = 0,
          .peers = std::move(peers)};
}

Case embedding_bag(int64_t rows, int64_t bags, int64_t bag_size) {
  Array table = random_array(DType::f32, {rows, kWidth}, 1);
  Array places = random_places({bags, bag_size}, rows, 2);
  Array sums = Array::uninitialized(DType::f32, {bags, kWidth});
  auto f = jit([](Tensor table, Tensor places) { return sum(take(table, places, 0), 1); });
  auto reference = [=] {
    Cells result(static_cast<size_t>(bags * kWidth));
    for (int64_t i = 0; i < places.size(); ++i)
      add_row(result, i / bag_size, table.values<float>(),
              places.values<int32_t>()[static_cast<size_t>(i)]);
    return result;
  };
  auto loop = [=]() mutable {
    sum_bags(static_cast<float*>(sums.mutable_data()), table.values<float>().data(),
             places.values<int32_t>().data(), bags, bag_size, kWidth);
  };
  return {.work = {.reads = bytes_of(bags * bag_size) + static_cast<double>(places.byte_count()),
                   .writes = bytes_of(bags),
                   .footprint = bytes_of(rows)},
          .goal = 0.95,
          .ours = [=] { return f(table, places).array(); },
          .reference = reference,
          .tolerance = 1e-5,
          .peers = {peer("plain loop", sums, loop)}};
}

Case scatter_add(int64_t rows, int64_t targets) {
  Array update = random_array(DType::f32, {rows, 1, kWidth}, 1);
  Array places = random_places({rows, 1}, targets, 2);
  Array sums = Array::uninitialized(DType::f32, {targets, kWidth});
  auto f = jit([=](Tensor update, Tensor places) {
    return scatter(zeros({targets, kWidth}), update, places, {0}, "kAdd");
  });
  auto reference = [=] {
    Cells result(static_cast<size_t>(sums.size()));
    for (int64_t i = 0; i < rows; ++i)
      add_row(result, places.values<int32_t>()[static_cast<size_t>(i)], update.values<float>(), i);
    return result;
  };
  auto loop = [=]() mutable {
    auto* to = static_cast<float*>(sums.mutable_data());
    std::fill(to, to + sums.size(), 0.0f);
    add_rows(to, update.values<float>().data(), places.values<int32_t>().data(), rows, kWidth);
  };
  return {.work = {.reads = bytes_of(rows) + static_cast<double>(places.byte_count()),
                   .writes = bytes_of(targets)},
          .goal = 1.0,
          .ours = [=] { return f(update, places).array(); },
          .reference = reference,
          .tolerance = 1e-5,
          .peers = {peer("plain loop", sums, loop)}};
}

} // namespace

void add_indexing(Suite& suite) {
  suite.push_back(
      {"row gather 131072x64", [](int threads) { return gather_case(131072, threads); }});
  suite.push_back({"embedding bag 1000000x64, 4096 of 32",
                   [](int) { return embedding_bag(1'000'000, 4096, 32); }});
  suite.push_back(
      {"scatter-add 131072x64 to 10000 rows", [](int) { return scatter_add(131072, 10000); }});
}

} // namespace kolam::bench
