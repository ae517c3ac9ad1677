// Sums: in parts, and of terms that are the same for all that is summed.
#include "kolam/rewrite/choice.h"

#include "kolam/ir/reduction.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/contract.h"
#include "kolam/language/convolution.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/rewrite/choice_parts.h"

namespace kolam::rewrite {
namespace {

using language::Builder;
using language::Values;
using mlir::Operation;
using mlir::Value;
using space::Box;
using transform::Cuts;

// --- sum_in_parts

bool is_summed_along(Cuts& cuts, Operation* op, int64_t dim) {
  return op->getNumResults() == 1 && can_cut_along(cuts, op, dim, space::DimKind::reduce);
}

std::vector<Box> summed_boxes(Cuts& cuts, Operation* op, const Parameters& parameters) {
  const int64_t dim = number_in(parameters, "dim", -1);
  if (!is_plain(op) || !is_summed_along(cuts, op, dim) || number_in(parameters, "arity", 2) < 2)
    return {};
  std::vector<Box> boxes = boxes_between(space::index_box(cuts.signature(op)),
                                         static_cast<int>(dim), numbers_in(parameters, "cuts"));
  for (const Box& box : boxes)
    if (!(cuts.cut_out(op, box) == box))
      return {};
  return boxes;
}

/// Neighbours by groups of `arity`, level by level; those of a group from the left to the right.
Value merged(Builder& b, Fn fn, Values parts, int64_t arity) {
  while (parts.size() > 1) {
    Values next;
    for (size_t number = 0; number < parts.size(); ++number)
      if (number % static_cast<size_t>(arity) == 0)
        next.push_back(parts[number]);
      else
        next.back() = language::elementwise(b, fn, {next.back(), parts[number]});
    parts = std::move(next);
  }
  return parts[0];
}

std::vector<Replacement> sum_in_parts(Operation* op, const Parameters& parameters, Builder& b) {
  Cuts cuts;
  Values parts;
  for (const Box& box : summed_boxes(cuts, op, parameters))
    parts.push_back(transform::values_of(b, cuts, op, cuts.part(op, box))[0]);
  if (parts.empty())
    return {};
  Value sum = merged(b, transform::merging_function(op), std::move(parts),
                     number_in(parameters, "arity", 2));
  sum = language::squeeze(b, sum, language::Axes{0});
  return {{op->getResult(0), language::cast(b, sum, ir::dtype_of(op->getResult(0)))}};
}

/// Runs of 2^j chunks, merged pairwise, are whole parts of the op's own tree.
bool are_runs(Operation* op, const Parameters& parameters) {
  Cuts cuts;
  const std::vector<Box> boxes = summed_boxes(cuts, op, parameters);
  if (boxes.empty())
    return false;
  const auto dim = static_cast<int>(number_in(parameters, "dim", -1));
  const space::IndexDim& index = cuts.signature(op).dims[static_cast<size_t>(dim)];
  if (index.monoid->exact)
    return true;
  const int64_t chunk = cuts.points_of_chunk(op, dim);
  if (chunk <= 0 || number_in(parameters, "arity", 2) != 2)
    return false;
  int64_t run = chunk;
  while (run < boxes[0].extent(dim))
    run *= 2;
  for (const Box& box : boxes)
    if (box.extent(dim) != run && !(box == boxes.back() && box.extent(dim) < run))
      return false;
  return true;
}

std::vector<Parameters> ways_to_part(Operation* op, int64_t workers) {
  std::vector<Parameters> ways;
  if (!is_plain(op))
    return ways;
  Cuts cuts;
  for (auto [dim, index] : llvm::enumerate(cuts.signature(op).dims)) {
    const auto number = static_cast<int64_t>(dim);
    if (!is_summed_along(cuts, op, number))
      continue;
    const int64_t extent = *index.extent.constant();
    std::vector<int64_t> runs;
    int64_t run = cuts.points_of_chunk(op, static_cast<int>(dim));
    while (run > 0 && (extent + run - 1) / run > workers)
      run *= 2;
    for (int64_t start = run; run > 0 && start < extent; start += run)
      runs.push_back(start);
    std::vector<int64_t> even = even_borders(extent, workers);
    for (std::vector<int64_t>& borders : {std::ref(runs), std::ref(even)}) {
      Parameters way{{"dim", {number}}, {"cuts", borders}};
      if (!summed_boxes(cuts, op, way).empty() && !llvm::is_contained(ways, way))
        ways.push_back(std::move(way));
    }
  }
  return ways;
}

// --- sum_of_shifted, sum_of_scaled

/// A sum of x fn c, or of c fn x, where c is the same for all that is summed. There are terms: the
/// first of none is not there.
struct ConstantTerm {
  Operation* sum;
  Fn fn;
  Value x, c;
  std::vector<int64_t> dims;
};

/// Whether elements differ along none of `dims`.
bool is_constant_along(Value value, llvm::ArrayRef<int64_t> dims) {
  if (auto constant = value.getDefiningOp<ir::ConstantOp>()) {
    auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    return elements && elements.isSplat();
  }
  auto broadcast = value.getDefiningOp<ir::BroadcastOp>();
  if (!broadcast)
    return false;
  const Shape from = ir::shape_of(broadcast.getOperand());
  for (auto [place, dim] : llvm::enumerate(broadcast.getDims()))
    if (llvm::is_contained(dims, dim) && !(from[place] == Extent(1)))
      return false;
  return true;
}

std::optional<ConstantTerm> constant_term(Operation* op, std::initializer_list<Fn> functions) {
  auto sum = llvm::dyn_cast<ir::ReduceOp>(op);
  if (!sum || !is_plain(op) || sum.getNumResults() != 1 || sum.getDims().empty() ||
      ir::reduction_of(sum).function != Fn::add || ir::dtype_of(sum.getResult(0)) == DType::boolean)
    return std::nullopt;
  for (int64_t dim : sum.getDims())
    if (extent_of(sum.getInputs()[0], dim) == 0)
      return std::nullopt;
  auto terms = sum.getInputs()[0].getDefiningOp<ir::ElementwiseOp>();
  std::optional<Fn> fn = terms ? parse_fn(terms.getFunction().str()) : std::nullopt;
  if (!fn || !llvm::is_contained(functions, *fn))
    return std::nullopt;
  const bool is_any_way = *fn != Fn::subtract;
  for (unsigned constant : {1u, 0u})
    if ((constant == 1 || is_any_way) &&
        is_constant_along(terms.getOperands()[constant], sum.getDims()))
      return ConstantTerm{sum,
                          *fn,
                          terms.getOperands()[1 - constant],
                          terms.getOperands()[constant],
                          {sum.getDims().begin(), sum.getDims().end()}};
  return std::nullopt;
}

/// The reduction of `x` in the dtype in which it is accumulated.
Value sum_of(Builder& b, const ConstantTerm& term, DType state) {
  const Value x = language::cast(b, term.x, state);
  Operation* sum = b.insert(term.sum->clone());
  sum->setOperand(0, x);
  sum->getResult(0).setType(language::tensor_type(b, state, ir::shape_of(term.sum->getResult(0))));
  return sum->getResult(0);
}

/// c, once for each element that the sum gives.
Value kept_constant(Builder& b, const ConstantTerm& term, DType state) {
  std::vector<SliceBox> boxes;
  for (const Extent& extent : ir::shape_of(term.c))
    boxes.push_back({false, 0, extent, 1});
  for (int64_t dim : term.dims)
    boxes[static_cast<size_t>(dim)].size = 1;
  const Value first = language::slice(b, term.c, boxes);
  return language::cast(b, language::squeeze(b, first, term.dims), state);
}

std::vector<Replacement> sum_of_shifted(Operation* op, const Parameters&, Builder& b) {
  const std::optional<ConstantTerm> term = constant_term(op, {Fn::add, Fn::subtract});
  if (!term)
    return {};
  const DType state = ir::reduction_of(term->sum)->states[0];
  int64_t count = 1;
  for (int64_t dim : term->dims)
    count *= extent_of(term->x, dim);
  const Value sum = sum_of(b, *term, state);
  Value many = language::cast(b, language::integer_constant(b, count, DType::i64), state);
  many = language::broadcast_to(b, many, ir::shape_of(sum));
  const Value constants =
      language::elementwise(b, Fn::multiply, {many, kept_constant(b, *term, state)});
  const Value result = language::elementwise(b, term->fn, {sum, constants});
  return {{op->getResult(0), language::cast(b, result, ir::dtype_of(op->getResult(0)))}};
}

std::vector<Replacement> sum_of_scaled(Operation* op, const Parameters&, Builder& b) {
  const std::optional<ConstantTerm> term = constant_term(op, {Fn::multiply});
  if (!term)
    return {};
  const DType state = ir::reduction_of(term->sum)->states[0];
  const Value sum = sum_of(b, *term, state);
  const Value result =
      language::elementwise(b, Fn::multiply, {sum, kept_constant(b, *term, state)});
  return {{op->getResult(0), language::cast(b, result, ir::dtype_of(op->getResult(0)))}};
}

std::vector<Parameters> ways_to_shift(Operation* op, int64_t) {
  return once_if(constant_term(op, {Fn::add, Fn::subtract}).has_value());
}

std::vector<Parameters> ways_to_scale(Operation* op, int64_t) {
  return once_if(constant_term(op, {Fn::multiply}).has_value());
}

// --- programs

Value part_sample(Sample& s) {
  const DType dtype = any_dtype(s);
  const int64_t kind = s.number(0, 2);
  if (kind == 0) {
    const int64_t k = s.number(2, 2600);
    return language::matmul(s.b, s.argument(dtype, {s.number(1, 3), k}),
                            s.argument(dtype, {k, s.number(1, 20)}));
  }
  if (kind == 1) {
    const Value x = s.argument(dtype, {1, s.number(2, 40), s.number(4, 9)});
    const Value w = s.argument(dtype, {s.number(1, 20), ir::shape_of(x)[1], s.number(1, 3)});
    return language::convolution(s.b, x, w, {.padding = PaddingPairs{{s.number(0, 1), 1}}});
  }
  constexpr Fn kFunctions[] = {Fn::add, Fn::multiply, Fn::maximum};
  const Value x = s.argument(dtype, {s.number(2, 300), s.number(1, 4)});
  return language::combine(s.b, x, kFunctions[s.number(0, 2)], {0});
}

Value constant_sample(Sample& s, Fn fn) {
  const Shape shape{s.number(1, 5), s.number(2, 30), s.number(1, 4)};
  const DType dtype = any_dtype(s);
  const Value x = s.argument(dtype, shape);
  const Value c = s.argument(dtype, {shape[0], Extent(1), shape[2]});
  const Value terms = language::elementwise(s.b, fn, {x, language::broadcast_to(s.b, c, shape)});
  return language::combine(s.b, terms, Fn::add, {1});
}

Value shift_sample(Sample& s) {
  return constant_sample(s, s.number(0, 1) ? Fn::add : Fn::subtract);
}
Value scale_sample(Sample& s) { return constant_sample(s, Fn::multiply); }

constexpr Choice kChoices[] = {
    {.name = "sum_in_parts",
     .equation = "sum over k = merge of sums over parts of k, of any op that sums",
     .condition = "an op with one result that sums along index dim `dim`, with `cuts` inside it",
     .parameters = "dim: of the op's index space; cuts: where parts start, behind the first; "
                   "arity: parts that are merged at a time, 2 if not said",
     .keeps = Keeps::reassociates,
     .is_searched = false,
     .ways = ways_to_part,
     .apply = sum_in_parts,
     .sample = part_sample,
     .is_exact = are_runs},
    {.name = "sum_of_shifted",
     .equation = "sum(x + c) = sum(x) + n c, with n terms",
     .condition = "a sum of x + c or x - c, where c is the same for all terms",
     .parameters = "none",
     .keeps = Keeps::reassociates,
     .is_searched = true,
     .ways = ways_to_shift,
     .apply = sum_of_shifted,
     .sample = shift_sample,
     .is_exact = is_of_integers},
    {.name = "sum_of_scaled",
     .equation = "sum(x c) = sum(x) c",
     .condition = "a sum of x c, where c is the same for all terms",
     .parameters = "none",
     .keeps = Keeps::reassociates,
     .is_searched = true,
     .ways = ways_to_scale,
     .apply = sum_of_scaled,
     .sample = scale_sample,
     .is_exact = is_of_integers},
};

} // namespace

std::span<const Choice> sum_choices() { return kChoices; }

} // namespace kolam::rewrite
