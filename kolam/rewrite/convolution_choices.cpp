// Convolutions whose windows have gaps, or move by steps, as dense ones on phases.
#include "kolam/rewrite/choice.h"

#include "kolam/language/convolution.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/rewrite/choice_parts.h"

namespace kolam::rewrite {
namespace {

using language::Axes;
using language::Builder;
using language::Values;
using mlir::Operation;
using mlir::Value;

/// A windowed dim of a convolution, by numbers.
struct Window {
  Operation* at;
  ir::ConvolutionOp op() const { return llvm::cast<ir::ConvolutionOp>(at); }
  int64_t place = 0; ///< among windowed dims
  int64_t dim = 0;   ///< of input and result
  int64_t input = 0, width = 0, result = 0, stride = 1, dilation = 1, low = 0, high = 0;
};

std::optional<Window> window_of(Operation* op, int64_t place) {
  auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op);
  if (!convolution || !is_plain(op) || place < 0 ||
      place >= static_cast<int64_t>(convolution.getStrides().size()))
    return std::nullopt;
  const auto at = static_cast<size_t>(place);
  Window window{.at = op,
                .place = place,
                .dim = place + 1,
                .input = extent_of(convolution.getInput(), place + 1),
                .width = extent_of(convolution.getFilter(), place),
                .result = extent_of(convolution.getResult(), place + 1),
                .stride = convolution.getStrides()[at],
                .dilation = convolution.getDilation()[at],
                .low = convolution.getLow()[at],
                .high = convolution.getHigh()[at]};
  const bool has_elements = window.width > 0 && window.result > 0 && window.input > 0;
  return has_elements && window.low >= 0 && window.high >= 0 ? std::optional(window) : std::nullopt;
}

/// The input with zeros around it along the dim, `length` elements or more in all.
Value padded(Builder& b, const Window& window, int64_t length) {
  Value input = window.op().getInput();
  std::vector<PadWidth> widths(ir::shape_of(input).size());
  widths[static_cast<size_t>(window.dim)] = {
      window.low, std::max<int64_t>(length - window.low - window.input, window.high)};
  const Value zero =
      language::cast(b, language::integer_constant(b, 0, DType::i32), ir::dtype_of(input));
  return language::pad(b, input, widths, "constant", zero);
}

llvm::SmallVector<int64_t> with(llvm::ArrayRef<int64_t> numbers, int64_t place, int64_t number) {
  llvm::SmallVector<int64_t> changed(numbers);
  changed[static_cast<size_t>(place)] = number;
  return changed;
}

/// The op on elements that need no padding along the dim, with dense windows that move by one.
Value dense(Builder& b, const Window& window, Value input, Value filter, DType dtype) {
  ir::ConvolutionOp op = window.op();
  Shape shape = ir::shape_of(op.getResult());
  shape[0] = ir::shape_of(input)[0];
  shape[static_cast<size_t>(window.dim)] =
      extent_of(input, window.dim) - extent_of(filter, window.place) + 1;
  return ir::ConvolutionOp::create(
      b, language::tensor_type(b, dtype, shape), input, filter,
      with(op.getStrides(), window.place, 1), with(op.getDilation(), window.place, 1),
      with(op.getLow(), window.place, 0), with(op.getHigh(), window.place, 0), op.getGroups(),
      op.getAccumulateAttr());
}

std::vector<Parameters> ways_along(Operation* op, bool (*fits)(const Window&)) {
  std::vector<Parameters> ways;
  auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op);
  for (int64_t place = 0;
       convolution && place < static_cast<int64_t>(convolution.getStrides().size()); ++place)
    if (const std::optional<Window> window = window_of(op, place); window && fits(*window))
      ways.push_back({{"dim", {place}}});
  return ways;
}

// --- dilation_by_phases

bool has_gaps(const Window& window) {
  return window.dilation > 1 && window.stride == 1 && window.width > 1;
}

std::vector<Parameters> ways_to_fill(Operation* op, int64_t) { return ways_along(op, has_gaps); }

/// Output dilation m + phase reads elements of that phase alone: phases are batches.
std::vector<Replacement> dilation_by_phases(Operation* op, const Parameters& parameters,
                                            Builder& b) {
  const std::optional<Window> window = window_of(op, number_in(parameters, "dim", -1));
  if (!window || !has_gaps(*window))
    return {};
  const int64_t phases = window->dilation, outputs = (window->result + phases - 1) / phases;
  const int64_t length = outputs + window->width - 1, dim = window->dim;
  Value x = padded(b, *window, phases * length);
  x = language::slice_dim(b, x, dim, 0, phases * length);
  x = language::moveaxis(b, in_parts(b, x, dim, length), {dim + 1}, {1}); // [n, phase, ...]
  const int64_t batch = extent_of(window->op().getInput(), 0);
  Value y =
      dense(b, *window, in_one(b, x, 0), window->op().getFilter(), ir::dtype_of(op->getResult(0)));
  Shape shape = ir::shape_of(y);
  shape[0] = phases;
  shape.insert(shape.begin(), Extent(batch));
  y = language::moveaxis(b, language::reshape(b, y, shape), {1}, {dim + 1});
  y = language::slice_dim(b, in_one(b, y, dim), dim, 0, window->result);
  return {{op->getResult(0), y}};
}

// --- stride_by_phases

bool has_steps(const Window& window) {
  const bool has_few_phases = std::min(window.stride, window.width) < kMostParts;
  return window.stride > 1 && window.dilation == 1 && has_few_phases;
}

std::vector<Parameters> ways_to_step(Operation* op, int64_t) { return ways_along(op, has_steps); }

/// Filter elements of one phase read elements of one phase.
std::vector<Replacement> stride_by_phases(Operation* op, const Parameters& parameters, Builder& b) {
  const std::optional<Window> window = window_of(op, number_in(parameters, "dim", -1));
  if (!window || !has_steps(*window))
    return {};
  const int64_t dim = window->dim, stride = window->stride;
  const Value x = padded(b, *window, 0);
  const DType state = transform::partial_dtype(op);
  auto phase_of = [&](Value value, int64_t along, int64_t phase, int64_t count) {
    std::vector<SliceBox> boxes;
    for (const Extent& extent : ir::shape_of(value))
      boxes.push_back({false, 0, extent, 1});
    boxes[static_cast<size_t>(along)] = {false, phase, count, stride};
    return language::slice(b, value, boxes);
  };
  Value sum;
  for (int64_t phase = 0; phase < std::min(stride, window->width); ++phase) {
    const int64_t width = (window->width - phase + stride - 1) / stride;
    const Value part =
        dense(b, *window, phase_of(x, dim, phase, window->result + width - 1),
              phase_of(window->op().getFilter(), window->place, phase, width), state);
    sum = sum ? language::elementwise(b, Fn::add, {sum, part}) : part;
  }
  return {{op->getResult(0), language::cast(b, sum, ir::dtype_of(op->getResult(0)))}};
}

// --- programs

Value convolution_sample(Sample& s, bool is_dilated) {
  constexpr DType kDtypes[] = {DType::f32, DType::bf16, DType::i32, DType::f64};
  const DType dtype = kDtypes[s.number(0, 3)];
  const int64_t groups = s.number(1, 2), channels = s.number(1, 3);
  const Value x =
      s.argument(dtype, {s.number(1, 2), groups * channels, s.number(7, 12), s.number(5, 8)});
  const Value w =
      s.argument(dtype, {groups * s.number(1, 4), channels, s.number(2, 4), s.number(1, 2)});
  const int64_t gap = s.number(2, is_dilated ? 2 : 3);
  ConvolutionWindow window{.strides = {is_dilated ? 1 : gap, s.number(1, 2)},
                           .padding =
                               PaddingPairs{{s.number(0, 2), s.number(0, 2)}, {s.number(0, 1), 0}},
                           .dilation = {is_dilated ? gap : 1, 1},
                           .groups = groups};
  return language::convolution(s.b, x, w, window);
}

Value dilation_sample(Sample& s) { return convolution_sample(s, true); }
Value stride_sample(Sample& s) { return convolution_sample(s, false); }

constexpr Choice kChoices[] = {
    {.name = "dilation_by_phases",
     .equation = "convolution with gaps = dense convolutions of x[r::dilation], interleaved",
     .condition =
         "a convolution with dilation above 1, stride 1 and a filter of several along `dim`, "
         "nothing taken away at its borders",
     .parameters = "dim: among windowed dims",
     .keeps = Keeps::exact,
     .is_searched = true,
     .ways = ways_to_fill,
     .apply = dilation_by_phases,
     .sample = dilation_sample},
    {.name = "stride_by_phases",
     .equation = "convolution by steps = sum of dense ones of x[r::stride] with f[r::stride]",
     .condition = "a convolution with stride above 1 and dilation 1 along windowed dim `dim`, "
                  "nothing taken away at its borders",
     .parameters = "dim: among windowed dims",
     .keeps = Keeps::reassociates,
     .is_searched = true,
     .ways = ways_to_step,
     .apply = stride_by_phases,
     .sample = stride_sample,
     .is_exact = is_of_integers},
};

} // namespace

std::span<const Choice> convolution_choices() { return kChoices; }

} // namespace kolam::rewrite
