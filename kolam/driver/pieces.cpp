// The code of a plan's tasks, and the boxes that they read.
#include "kolam/driver/parse.h"
#include "kolam/driver/run_plan.h"
#include "kolam/runtime/strided_copy.h"

namespace kolam::driver {

using space::Box;

struct Pieces::Made {
  std::once_flag once;
  std::shared_ptr<const Executable> executable;
};

Pieces::Pieces(const plans::Plan& plan, PlanRun options)
    : plan_(plan), options_(std::move(options)) {
  for (size_t piece = 0; piece < plan.pieces.size(); ++piece)
    made_.push_back(std::make_unique<Made>());
}
Pieces::~Pieces() = default;

Pieces::Given Pieces::run(int64_t piece, std::vector<Array> reads, const space::Point& offsets,
                          std::span<const Array> outputs) {
  Given given;
  if (options_.kept) {
    const std::string& text = plan_.pieces[static_cast<size_t>(piece)].program;
    given.results = options_.kept->found_or(result_key(text, offsets, reads), given.is_found, [&] {
      return computed(piece, reads, offsets, outputs);
    });
  } else {
    given.results = computed(piece, std::move(reads), offsets, outputs);
  }
  return given;
}

std::vector<Array> Pieces::computed(int64_t piece, std::vector<Array> reads,
                                    const space::Point& offsets, std::span<const Array> outputs) {
  const auto number = static_cast<size_t>(piece);
  Made& made = *made_[number];
  std::call_once(made.once, [&] {
    const plans::Piece& own = plan_.pieces[number];
    const std::string name = plan_.stages[static_cast<size_t>(own.stage)].name;
    Options options;
    options.backend = options_.backend;
    options.is_interpreted = options_.is_interpreted;
    made.executable = compile(parse(own.program, name).program, options);
  });
  for (int64_t offset : offsets)
    reads.push_back(Array::scalar(offset));
  return made.executable->run(reads, options_.cancel, nullptr, outputs);
}

namespace {

std::vector<int64_t> row_major_strides(const Box& box) {
  std::vector<int64_t> strides(static_cast<size_t>(box.rank()));
  int64_t stride = 1;
  for (int dim = box.rank(); dim-- > 0;) {
    strides[static_cast<size_t>(dim)] = stride;
    stride *= box.extent(dim);
  }
  return strides;
}

int64_t number_in(const Box& box, const std::vector<int64_t>& strides, const space::Point& point) {
  int64_t number = 0;
  for (size_t dim = 0; dim < point.size(); ++dim)
    number += (point[dim] - box.start()[dim]) * strides[dim];
  return number;
}

/// Whether the elements of `part` lie one after the other in `box`.
bool is_dense_in(const Box& box, const Box& part) {
  int dim = 0;
  while (dim < part.rank() && part.extent(dim) == 1)
    ++dim;
  for (++dim; dim < part.rank(); ++dim)
    if (part.extent(dim) != box.extent(dim))
      return false;
  return true;
}

} // namespace

/// Views may start anywhere: code expects the alignment of its dtype alone.
Array dense_box(const Array& array, const Box& whole, const Box& box) {
  if (!space::contains(whole, box) || !is_dense_in(whole, box))
    return {};
  const int64_t first = number_in(whole, row_major_strides(whole), box.start());
  return Array::view(array.buffer(), array.byte_offset() + first * byte_width(array.dtype()),
                     array.dtype(), space::shape(box));
}

Array assembled(DType dtype, const Box& box, std::span<const PlacedArray> blocks) {
  if (space::is_empty(box))
    return Array::uninitialized(dtype, space::shape(box));
  for (const PlacedArray& block : blocks)
    if (Array view = dense_box(block.array, block.box, box))
      return view;
  Array whole = Array::uninitialized(dtype, space::shape(box));
  for (const PlacedArray& block : blocks)
    copy_into(whole, box, block);
  return whole;
}

void copy_into(Array& whole, const Box& box, const PlacedArray& block) {
  const Box part = space::intersect(block.box, box);
  if (space::is_empty(part))
    return;
  const int width = byte_width(whole.dtype());
  const std::vector<int64_t> strides = row_major_strides(box), own = row_major_strides(block.box);
  std::vector<int64_t> to, from;
  for (size_t dim = 0; dim < strides.size(); ++dim) {
    to.push_back(strides[dim] * width);
    from.push_back(own[dim] * width);
  }
  runtime::copy_strided(width, space::shape(part),
                        static_cast<std::byte*>(whole.mutable_data()) +
                            number_in(box, strides, part.start()) * width,
                        to,
                        static_cast<const std::byte*>(block.array.data()) +
                            number_in(block.box, own, part.start()) * width,
                        from);
}

} // namespace kolam::driver
