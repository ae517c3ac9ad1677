// Scans in chunks that hand over what they carry.
#include "kolam/rewrite/choice.h"

#include "kolam/ir/monoid.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/control.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/identity.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/slice.h"
#include "kolam/rewrite/choice_parts.h"

namespace kolam::rewrite {
namespace {

using language::Builder;
using language::Values;
using mlir::Operation;
using mlir::Value;
using space::Box;

/// A running combination whose elements are numbers.
struct Running {
  Operation* at;
  ir::CumulativeOp op() const { return llvm::cast<ir::CumulativeOp>(at); }
  Fn fn = Fn::add;
  DType state = DType::f32;
  int64_t dim = 0, extent = 0;
};

std::optional<Running> running_of(Operation* op) {
  auto cumulative = llvm::dyn_cast<ir::CumulativeOp>(op);
  if (!cumulative || !is_plain(op) || cumulative.getExclusive())
    return std::nullopt;
  const Fn fn = *ir::parse_monoid(cumulative.getFunction());
  const auto dim = static_cast<int64_t>(cumulative.getDim());
  return Running{op, fn, ir::named_state(fn, ir::dtype_of(cumulative.getOperand())), dim,
                 extent_of(cumulative.getOperand(), dim)};
}

Value slice_of(Builder& b, Value x, int64_t dim, const Box& box) {
  return language::slice_dim(b, x, dim, box.start()[0], box.extent(0));
}

std::vector<Box> chunks_of(int64_t extent, const Parameters& parameters) {
  return boxes_between(Box({0}, {extent}), 0, numbers_in(parameters, "cuts"));
}

std::vector<Parameters> ways_to_cut(int64_t extent, int64_t workers) {
  Parameters way{{"cuts", even_borders(extent, workers)}};
  return extent > 1 ? std::vector<Parameters>{std::move(way)} : std::vector<Parameters>();
}

// --- cumulative_in_turn

std::vector<Parameters> ways_in_turn(Operation* op, int64_t workers) {
  const std::optional<Running> running = running_of(op);
  return running ? ways_to_cut(running->extent, workers) : std::vector<Parameters>();
}

/// Each chunk goes on from the last result before it, in the dtype of the state.
std::vector<Replacement> cumulative_in_turn(Operation* op, const Parameters& parameters,
                                            Builder& b) {
  const std::optional<Running> running = running_of(op);
  std::vector<Box> chunks = running ? chunks_of(running->extent, parameters) : std::vector<Box>();
  if (chunks.empty())
    return {};
  const bool is_reverse = running->op().getReverse();
  if (is_reverse)
    std::ranges::reverse(chunks);
  const int64_t dim = running->dim;
  const Value x = language::cast(b, running->op().getOperand(), running->state);
  Values results;
  Value carry;
  for (const Box& chunk : chunks) {
    const int64_t count = chunk.extent(0);
    Value own = slice_of(b, x, dim, chunk);
    if (carry)
      own = language::concat(b, is_reverse ? Values{own, carry} : Values{carry, own}, dim);
    Value result = language::cumulative(b, own, running->fn, dim, is_reverse);
    if (carry)
      result = language::slice_dim(b, result, dim, is_reverse ? 0 : 1, count);
    carry = language::slice_dim(b, result, dim, is_reverse ? 0 : count - 1, 1);
    results.push_back(result);
  }
  if (is_reverse)
    std::ranges::reverse(results);
  const Value whole = language::concat(b, results, dim);
  return {{op->getResult(0), language::cast(b, whole, ir::dtype_of(op->getResult(0)))}};
}

// --- cumulative_in_chunks

std::vector<Parameters> ways_in_chunks(Operation* op, int64_t workers) {
  const std::optional<Running> running = running_of(op);
  return running && running->extent >= 2 * workers ? std::vector<Parameters>{{{"parts", {workers}}}}
                                                   : std::vector<Parameters>();
}

/// Chunks side by side, then what comes before each.
std::vector<Replacement> cumulative_in_chunks(Operation* op, const Parameters& parameters,
                                              Builder& b) {
  const std::optional<Running> running = running_of(op);
  const int64_t parts = number_in(parameters, "parts", 0);
  if (!running || parts < 2 || parts > running->extent)
    return {};
  const int64_t dim = running->dim, length = (running->extent + parts - 1) / parts;
  const bool is_reverse = running->op().getReverse();
  Value x = language::cast(b, running->op().getOperand(), running->state);
  std::vector<PadWidth> widths(ir::shape_of(x).size());
  widths[static_cast<size_t>(dim)].after = parts * length - running->extent;
  const Value identity = language::identity(b, running->fn, running->state);
  x = in_parts(b, language::pad(b, x, widths, "constant", identity), dim, parts);
  const Value own = language::cumulative(b, x, running->fn, dim + 1, is_reverse);
  const Value totals = language::slice_dim(b, own, dim + 1, is_reverse ? 0 : length - 1, 1);
  const Value before = ir::CumulativeOp::create(
      b, totals.getType(), totals, running->op().getFunctionAttr(), b.getI64IntegerAttr(dim),
      b.getBoolAttr(is_reverse), b.getBoolAttr(true));
  const Value spread = language::broadcast_to(b, before, ir::shape_of(own));
  Value whole =
      language::elementwise(b, running->fn, is_reverse ? Values{own, spread} : Values{spread, own});
  whole = language::slice_dim(b, in_one(b, whole, dim), dim, 0, running->extent);
  return {{op->getResult(0), language::cast(b, whole, ir::dtype_of(op->getResult(0)))}};
}

bool has_exact_merge(Operation* op, const Parameters&) {
  const std::optional<Running> running = running_of(op);
  return running && ir::is_exact(running->fn, ir::dtype_of(op->getResult(0)));
}

// --- scan_in_turn

std::optional<int64_t> length_of(Operation* op) {
  auto scan = llvm::dyn_cast<ir::ScanOp>(op);
  if (!scan || !is_plain(op))
    return std::nullopt;
  return scan.getLength().shape()[0].constant();
}

std::vector<Parameters> ways_to_scan(Operation* op, int64_t workers) {
  const std::optional<int64_t> length = length_of(op);
  return length ? ways_to_cut(*length, workers) : std::vector<Parameters>();
}

/// Each chunk starts from the state that the one before it leaves.
std::vector<Replacement> scan_in_turn(Operation* op, const Parameters& parameters, Builder& b) {
  const std::optional<int64_t> length = length_of(op);
  std::vector<Box> chunks = length ? chunks_of(*length, parameters) : std::vector<Box>();
  if (chunks.empty())
    return {};
  auto scan = llvm::cast<ir::ScanOp>(op);
  if (scan.getReverse())
    std::ranges::reverse(chunks);
  const size_t states = scan.getInits().size(), stacked = scan.getNumResults() - states;
  Values carried(scan.getInits().begin(), scan.getInits().end());
  std::vector<Values> parts(stacked);
  for (const Box& chunk : chunks) {
    Values operands = carried;
    for (Value x : scan.getXs())
      operands.push_back(slice_of(b, x, 0, chunk));
    operands.insert(operands.end(), scan.getCaptures().begin(), scan.getCaptures().end());
    auto part = llvm::cast<ir::ScanOp>(op->clone());
    part->setOperands(operands);
    part.setLengthAttr(ir::ExtentsAttr::of(b.getContext(), {chunk.extent(0)}));
    for (mlir::Value result : part.getResults().drop_front(states)) {
      Shape shape = ir::shape_of(result);
      shape[0] = chunk.extent(0);
      result.setType(language::tensor_type(b, ir::dtype_of(result), shape));
    }
    b.insert(part.getOperation());
    carried.assign(part.result_begin(), part.result_begin() + static_cast<std::ptrdiff_t>(states));
    for (size_t y = 0; y < stacked; ++y)
      parts[y].push_back(part.getResults()[states + y]);
  }
  std::vector<Replacement> replacements;
  for (size_t state = 0; state < states; ++state)
    replacements.push_back({scan.getResults()[state], carried[state]});
  for (size_t y = 0; y < stacked; ++y) {
    if (scan.getReverse())
      std::ranges::reverse(parts[y]);
    replacements.push_back({scan.getResults()[states + y], language::concat(b, parts[y], 0)});
  }
  return replacements;
}

// --- programs

Value running_sample(Sample& s) {
  constexpr DType kDtypes[] = {DType::f32, DType::bf16, DType::i32, DType::f64};
  constexpr Fn kFunctions[] = {Fn::add, Fn::maximum, Fn::multiply};
  const Value x = s.argument(kDtypes[s.number(0, 3)], {s.number(6, 60), s.number(6, 9)});
  return language::cumulative(s.b, x, kFunctions[s.number(0, 2)], s.number(0, 1),
                              s.number(0, 1) == 1);
}

Value scan_sample(Sample& s) {
  const int64_t length = s.number(2, 9), width = s.number(1, 5);
  const Value start = s.argument(DType::f32, {width}), x = s.argument(DType::f32, {length, width});
  const mlir::Type type = start.getType();
  language::Body body;
  body.region = language::make_region(s.b, {type, type}, [&](const Values& given) {
    const Value next = language::elementwise(
        s.b, Fn::tanh, {language::elementwise(s.b, Fn::add, {given[0], given[1]})});
    return Values{next, language::elementwise(s.b, Fn::multiply, {next, given[1]})};
  });
  const Values results =
      language::scan(s.b, {start}, {x}, length,
                     s.number(0, 1) ? language::Direction::forward : language::Direction::reverse,
                     std::move(body));
  return language::elementwise(
      s.b, Fn::add, {results[1], language::broadcast_to(s.b, results[0], {length, width})});
}

constexpr Choice kChoices[] = {
    {.name = "cumulative_in_turn",
     .equation = "cumulative(x) = chunks, each from the last result of the one before it",
     .condition = "a running combination, inclusive, with `cuts` inside its dim",
     .parameters = "cuts: where chunks start, behind the first",
     .keeps = Keeps::exact,
     .is_searched = false,
     .ways = ways_in_turn,
     .apply = cumulative_in_turn,
     .sample = running_sample},
    {.name = "cumulative_in_chunks",
     .equation = "cumulative(x) = cumulative of each chunk, combined with the totals before it",
     .condition = "a running combination, inclusive, of at least `parts` elements",
     .parameters = "parts: chunks of equal extent, side by side along a new dim",
     .keeps = Keeps::reassociates,
     .is_searched = true,
     .ways = ways_in_chunks,
     .apply = cumulative_in_chunks,
     .sample = running_sample,
     .is_exact = has_exact_merge},
    {.name = "scan_in_turn",
     .equation = "scan(xs, state) = scan(xs[m:], state of scan(xs[:m], state))",
     .condition = "a scan whose length is a number, with `cuts` inside it",
     .parameters = "cuts: where chunks start, behind the first",
     .keeps = Keeps::exact,
     .is_searched = false,
     .ways = ways_to_scan,
     .apply = scan_in_turn,
     .sample = scan_sample},
};

} // namespace

std::span<const Choice> scan_choices() { return kChoices; }

} // namespace kolam::rewrite
