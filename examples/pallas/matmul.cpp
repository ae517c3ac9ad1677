// A product of matrices with an epilogue, as a kernel over blocks: sums wait in a scratch array
// from block to block.
#include <kolam/kolam.h>

#include <iostream>

namespace pl = kolam::pallas;
using kolam::Array;
using kolam::Extent;
using kolam::Tensor;

using Refs = std::vector<pl::Ref>;
using Point = std::vector<Tensor>;

void matmul(const Refs& refs) {
  const pl::Ref &x = refs[0], &y = refs[1], &o = refs[2], &acc = refs[3];
  pl::when(pl::program_id(2) == 0, [&] { acc.set(0); });
  acc.set(acc.get() + kolam::matmul(x.get(), y.get()));
  const int64_t last = *pl::num_programs(2).constant() - 1;
  pl::when(pl::program_id(2) == last, [&] { o.set(kolam::relu(acc.get())); });
}

Tensor blocked_matmul(const Tensor& x, const Tensor& y, int64_t block) {
  auto blocks = [&](const Extent& extent) { return ceildiv(extent, block); };
  pl::Call call{
      .out_shape = {{x.dtype(), {x.extent(0), y.extent(1)}}},
      .grid = {blocks(x.extent(0)), blocks(y.extent(1)), blocks(x.extent(1))},
      .in_specs = {{{{block, block}},
                    [](const Point& at, const Refs&) { return Point{at[0], at[2]}; }},
                   {{{block, block}},
                    [](const Point& at, const Refs&) { return Point{at[2], at[1]}; }}},
      .out_specs = {{{{block, block}},
                     [](const Point& at, const Refs&) { return Point{at[0], at[1]}; }}},
      .scratch_shapes = {{x.dtype(), {Extent(block), Extent(block)}}},
  };
  return pl::pallas_call(matmul, call, {x, y})[0];
}

int main() {
  Tensor x = kolam::reshape(kolam::arange(100 * 90), {100, 90}) % 7 - 3;
  Tensor y = kolam::reshape(kolam::arange(90 * 70), {90, 70}) % 5 - 2;
  x = kolam::astype(x, kolam::DType::f32);
  y = kolam::astype(y, kolam::DType::f32);
  Tensor differ =
      kolam::any(kolam::not_equal(blocked_matmul(x, y, 32), kolam::relu(kolam::matmul(x, y))));
  std::cout << (differ.item<bool>() ? "differs from" : "as") << " matmul's\n";
}
