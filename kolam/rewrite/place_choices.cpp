// Where and in which parts values are made: ops cut and joined, slices pushed through them.
#include "kolam/rewrite/choice.h"

#include "kolam/language/concat.h"
#include "kolam/language/contract.h"
#include "kolam/language/convolution.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/rewrite/choice_parts.h"
#include "kolam/rewrite/dependence.h"
#include "kolam/rewrite/rule.h"
#include "kolam/transform/cut.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Verifier.h"

namespace kolam::rewrite {
namespace {

using language::Builder;
using language::Values;
using mlir::Operation;
using mlir::Value;
using space::Box;
using transform::Cuts;
using transform::OpPart;

Value sliced(Builder& b, Value x, const Box& box) {
  std::vector<SliceBox> boxes;
  for (int dim = 0; dim < box.rank(); ++dim)
    boxes.push_back({false, box.start()[static_cast<size_t>(dim)], box.extent(dim), 1});
  return language::slice(b, x, boxes);
}

/// Ops that were made in front of `end`; `before` is null at the start of a block.
void erase_between(Operation* before, Operation* end) {
  while (end->getPrevNode() != before)
    end->getPrevNode()->erase();
}

// --- split_op

/// The parts for these index boxes; none where the op's rule makes one wider.
std::vector<OpPart> parts_of(Cuts& cuts, Operation* op, const std::vector<Box>& indices) {
  std::vector<OpPart> parts;
  for (const Box& index : indices) {
    parts.push_back(cuts.part(op, index));
    if (!(parts.back().index == index))
      return {};
  }
  return parts;
}

/// The dim along which the parts of a result lie one after the other; -1 where they don't.
int dim_of_parts(const std::vector<OpPart>& parts, size_t result) {
  const Box& first = parts.front().writes[result];
  int found = -1;
  for (int dim = 0; dim < first.rank(); ++dim) {
    if (parts.back().writes[result].start()[static_cast<size_t>(dim)] ==
        first.start()[static_cast<size_t>(dim)])
      continue;
    if (found >= 0)
      return -1;
    found = dim;
  }
  for (size_t part = 1; found >= 0 && part < parts.size(); ++part)
    if (parts[part].writes[result].start()[static_cast<size_t>(found)] !=
        parts[part - 1].writes[result].end()[static_cast<size_t>(found)])
      return -1;
  return found;
}

std::vector<OpPart> split_parts(Cuts& cuts, Operation* op, const Parameters& parameters) {
  const int64_t dim = number_in(parameters, "dim", -1);
  if (!is_plain(op) || !can_cut_along(cuts, op, dim, space::DimKind::map))
    return {};
  const std::vector<Box> boxes = boxes_between(
      space::index_box(cuts.signature(op)), static_cast<int>(dim), numbers_in(parameters, "cuts"));
  std::vector<OpPart> parts = parts_of(cuts, op, boxes);
  for (size_t result = 0; !parts.empty() && result < op->getNumResults(); ++result)
    if (dim_of_parts(parts, result) < 0)
      return {};
  return parts;
}

std::vector<Parameters> ways_to_split(Operation* op, int64_t workers) {
  std::vector<Parameters> ways;
  if (!is_plain(op))
    return ways;
  Cuts cuts;
  for (auto [dim, index] : llvm::enumerate(cuts.signature(op).dims)) {
    Parameters way{{"dim", {static_cast<int64_t>(dim)}},
                   {"cuts", even_borders(*index.extent.constant(), workers)}};
    if (!split_parts(cuts, op, way).empty())
      ways.push_back(std::move(way));
  }
  return ways;
}

std::vector<Replacement> split_op(Operation* op, const Parameters& parameters, Builder& b) {
  Cuts cuts;
  const std::vector<OpPart> parts = split_parts(cuts, op, parameters);
  if (parts.empty())
    return {};
  std::vector<Values> made(op->getNumResults());
  for (const OpPart& part : parts)
    for (auto [number, value] : llvm::enumerate(transform::values_of(b, cuts, op, part)))
      made[number].push_back(value);
  std::vector<Replacement> replacements;
  for (size_t result = 0; result < made.size(); ++result)
    replacements.push_back({op->getResult(static_cast<unsigned>(result)),
                            language::concat(b, made[result], dim_of_parts(parts, result))});
  return replacements;
}

// --- join_ops

/// What an operand is a part of: a box of a value that is no slice.
struct Region {
  Value base;
  Box box;
};

Region region_of(Value value) {
  Region region{value, whole_of(value)};
  while (auto slice = region.base.getDefiningOp<ir::SliceOp>()) {
    if (llvm::any_of(slice.getSteps(), [](int64_t step) { return step != 1; }))
      break;
    space::Point starts;
    for (const Extent& start : slice.getStarts().shape())
      starts.push_back(*start.constant());
    region = {slice.getOperand(), space::translate(region.box, starts)};
  }
  return region;
}

/// What two ops that are parts of one read: its operands.
struct Joint {
  std::vector<std::pair<Region, Region>> regions; ///< by operand: of the first op, of the second
  std::vector<Box> around;
};

bool are_alike(Operation* x, Operation* y) {
  return mlir::OperationEquivalence::isEquivalentTo(
      x, y, mlir::OperationEquivalence::ignoreValueEquivalence, nullptr,
      mlir::OperationEquivalence::IgnoreLocations);
}

/// Padding of joined windows: that in front of the first ones, that behind the last ones.
void set_padding(Operation* joint, Operation* second) {
  auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(joint);
  if (convolution)
    convolution.setHigh(llvm::cast<ir::ConvolutionOp>(second).getHigh());
}

/// None where they read different values.
std::optional<Joint> joint_of(Operation* first, Operation* second) {
  Joint joint;
  if (first == second || !is_plain(first) || !is_plain(second) || second->getNumResults() != 1 ||
      first->getName() != second->getName() ||
      second->getNumOperands() != first->getNumOperands() ||
      ir::rank_of(first->getResult(0)) != ir::rank_of(second->getResult(0)))
    return std::nullopt;
  for (auto [x, y] : llvm::zip(first->getOperands(), second->getOperands())) {
    Region one = region_of(x), other = region_of(y);
    if (one.base != other.base || depends_on(one.base, first) || depends_on(one.base, second))
      return std::nullopt;
    joint.around.push_back(space::bounding({one.box, other.box}));
    joint.regions.emplace_back(std::move(one), std::move(other));
  }
  return joint;
}

/// The first op, or the second, as the joined one's part for a box of the result.
bool is_part(Builder& b, Operation* whole, Operation* own, const Joint& joint, bool is_second,
             const Box& box) {
  Cuts cuts;
  const OpPart part = cuts.part_for(whole, 0, box);
  if (!(part.writes[0] == box))
    return false;
  for (size_t operand = 0; operand < part.reads.size(); ++operand) {
    const Region& region = is_second ? joint.regions[operand].second : joint.regions[operand].first;
    if (!(space::translate(part.reads[operand], joint.around[operand].start()) == region.box))
      return false;
  }
  Operation* made = transform::values_of(b, cuts, whole, part)[0].getDefiningOp();
  return made && made->getName() == own->getName() && are_alike(made, own);
}

/// The op that both are parts of; null, and nothing is made, where there is none.
Operation* joined(Operation* first, Operation* second, int dim, const Joint& joint, Builder& b) {
  Operation* before = b.getInsertionPoint()->getPrevNode();
  Values operands;
  for (size_t operand = 0; operand < joint.around.size(); ++operand)
    operands.push_back(sliced(b, joint.regions[operand].first.base, joint.around[operand]));
  Operation* whole = b.insert(first->clone());
  whole->setOperands(operands);
  Shape shape = ir::shape_of(first->getResult(0));
  const Extent length = shape[static_cast<size_t>(dim)];
  shape[static_cast<size_t>(dim)] =
      length + ir::shape_of(second->getResult(0))[static_cast<size_t>(dim)];
  whole->getResult(0).setType(language::tensor_type(b, ir::dtype_of(first->getResult(0)), shape));
  set_padding(whole, second);
  const Box all = whole_of(whole->getResult(0));
  // Only what the verifier accepts has a signature that holds.
  const bool fits = [&] {
    mlir::ScopedDiagnosticHandler silent(b.getContext(),
                                         [](mlir::Diagnostic&) { return mlir::success(); });
    return mlir::succeeded(mlir::verify(whole));
  }();
  Operation* last = b.getInsertionPoint()->getPrevNode();
  const bool are_parts =
      fits &&
      is_part(b, whole, first, joint, false, space::with_range(all, dim, 0, *length.constant())) &&
      is_part(b, whole, second, joint, true,
              space::with_range(all, dim, *length.constant(), all.end()[static_cast<size_t>(dim)]));
  erase_between(are_parts ? last : before, &*b.getInsertionPoint());
  return are_parts ? whole : nullptr;
}

/// The op that both are parts of along a dim of its result; null, and nothing is made, where there
/// is none.
Operation* joined_along(int dim, Operation* first, Operation* second, const Joint& joint,
                        Builder& b) {
  const Box own = whole_of(second->getResult(0)), other = whole_of(first->getResult(0));
  for (int kept = 0; kept < own.rank(); ++kept)
    if (kept != dim && own.extent(kept) != other.extent(kept))
      return nullptr;
  return joined(first, second, dim, joint, b);
}

std::vector<Replacement> join_ops(Operation* op, const Parameters& parameters, Builder& b) {
  Operation* first = op_numbered(op, number_in(parameters, "with", -1));
  const std::optional<Joint> joint = first ? joint_of(first, op) : std::nullopt;
  const int64_t given = number_in(parameters, "dim", -1);
  if (!joint || given < 0 || given >= ir::rank_of(op->getResult(0)))
    return {};
  const auto dim = static_cast<int>(given);
  Operation* whole = joined_along(dim, first, op, *joint, b);
  if (!whole)
    return {};
  const Value result = whole->getResult(0);
  const Box all = whole_of(result);
  const int64_t length = extent_of(first->getResult(0), dim);
  return {
      {first->getResult(0), sliced(b, result, space::with_range(all, dim, 0, length))},
      {op->getResult(0), sliced(b, result, space::with_range(all, dim, length, all.extent(dim)))}};
}

std::vector<Parameters> ways_to_join(Operation* op, int64_t) {
  std::vector<Parameters> ways;
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 || !is_plain(op))
    return ways;
  int64_t number = -1;
  for (Operation& other : *op->getBlock()) {
    ++number;
    const std::optional<Joint> joint = joint_of(&other, op);
    for (int dim = 0; joint && dim < ir::rank_of(op->getResult(0)); ++dim) {
      Builder b(op->getLoc(), mlir::OpBuilder(op));
      Operation* before = op->getPrevNode();
      if (!joined_along(dim, &other, op, *joint, b))
        continue;
      erase_between(before, op);
      ways.push_back({{"with", {number}}, {"dim", {dim}}});
    }
  }
  return ways;
}

// --- push_slice

/// The part of what is sliced that computes the elements; none where that is all of it.
std::optional<OpPart> pushed_part(Cuts& cuts, ir::SliceOp slice) {
  Operation* maker = slice.getOperand().getDefiningOp();
  if (!maker || !is_plain(slice) || !is_plain(maker) ||
      space::is_empty(whole_of(slice.getResult())))
    return std::nullopt;
  space::Point starts, ends;
  const Box taken = whole_of(slice.getResult());
  for (int dim = 0; dim < taken.rank(); ++dim) {
    starts.push_back(*slice.getStarts().shape()[static_cast<size_t>(dim)].constant());
    ends.push_back(starts.back() +
                   (taken.extent(dim) - 1) * slice.getSteps()[static_cast<size_t>(dim)] + 1);
  }
  const auto number = llvm::cast<mlir::OpResult>(slice.getOperand()).getResultNumber();
  OpPart part = cuts.part_for(maker, number, Box(std::move(starts), std::move(ends)));
  const bool is_all = part.index == space::index_box(cuts.signature(maker));
  return is_all ? std::nullopt : std::optional(std::move(part));
}

std::vector<Parameters> ways_to_push(Operation* op, int64_t) {
  Cuts cuts;
  auto slice = llvm::dyn_cast<ir::SliceOp>(op);
  return once_if(slice && pushed_part(cuts, slice));
}

std::vector<Replacement> push_slice(Operation* op, const Parameters&, Builder& b) {
  Cuts cuts;
  auto slice = llvm::dyn_cast<ir::SliceOp>(op);
  std::optional<OpPart> part = slice ? pushed_part(cuts, slice) : std::nullopt;
  if (!part)
    return {};
  const auto result = llvm::cast<mlir::OpResult>(slice.getOperand());
  const Value made =
      transform::values_of(b, cuts, result.getOwner(), *part)[result.getResultNumber()];
  std::vector<SliceBox> boxes;
  const Box& written = part->writes[result.getResultNumber()];
  const Shape taken = ir::shape_of(slice.getResult());
  for (size_t dim = 0; dim < taken.size(); ++dim)
    boxes.push_back({false, *slice.getStarts().shape()[dim].constant() - written.start()[dim],
                     taken[dim], slice.getSteps()[dim]});
  return {{slice.getResult(), language::slice(b, made, boxes)}};
}

// --- make_where_read

std::vector<Operation*> readers_of(Operation* op) {
  std::vector<Operation*> readers;
  for (Operation* user : op->getUsers())
    if (!llvm::is_contained(readers, user))
      readers.push_back(user);
  return readers;
}

std::vector<Parameters> ways_to_repeat(Operation* op, int64_t) {
  return once_if(is_plain(op) && readers_of(op).size() > 1);
}

std::vector<Replacement> make_where_read(Operation* op, const Parameters&, Builder& b) {
  const std::vector<Operation*> readers = readers_of(op);
  if (!is_plain(op) || readers.size() < 2)
    return {};
  std::vector<Replacement> replacements;
  for (size_t reader = 0; reader < readers.size(); ++reader) {
    Operation* own = b.insert(op->clone());
    for (mlir::OpResult result : op->getResults())
      if (reader + 1 < readers.size())
        readers[reader]->replaceUsesOfWith(result, own->getResult(result.getResultNumber()));
      else
        replacements.push_back({result, own->getResult(result.getResultNumber())});
  }
  return replacements;
}

// --- cancel_views

/// What a rule of views gives for the op, made in front of it; null where none applies.
Value simpler_view(Operation* op, mlir::OpBuilder& b) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 || !is_plain(op))
    return {};
  for (std::span<const Rule> family : {shape_rules(), view_rules()})
    for (const Rule& rule : family)
      if (Value value = rule.apply(op, b); value && value != op->getResult(0))
        return value;
  return {};
}

std::vector<Parameters> ways_to_cancel(Operation* op, int64_t) {
  Operation* before = op->getPrevNode();
  mlir::OpBuilder b(op);
  const bool is_found = static_cast<bool>(simpler_view(op, b));
  erase_between(before, op);
  return once_if(is_found);
}

std::vector<Replacement> cancel_views(Operation* op, const Parameters&, Builder& b) {
  if (Value value = simpler_view(op, b))
    return {{op->getResult(0), value}};
  return {};
}

// --- programs

Value product_sample(Sample& s) {
  const int64_t m = s.number(2, 7), k = s.number(1, 40), n = s.number(2, 20);
  return language::matmul(s.b, s.argument(DType::f32, {m, k}), s.argument(DType::f32, {k, n}));
}

Value window_sample(Sample& s) {
  const int64_t width = s.number(1, 3), padding = s.number(0, 2);
  ConvolutionWindow window{.strides = {s.number(1, 2)},
                           .padding = PaddingPairs{{padding, s.number(0, 2)}},
                           .dilation = {s.number(1, 2)}};
  const Value x = s.argument(DType::f32, {s.number(1, 3), 2, s.number(7, 12)});
  return language::convolution(s.b, x, s.argument(DType::f32, {s.number(1, 4), 2, width}), window);
}

Value split_sample(Sample& s) { return s.number(0, 1) ? product_sample(s) : window_sample(s); }

/// One op on two neighbouring slices, and both results.
Value join_sample(Sample& s) {
  const int64_t m = s.number(2, 7), k = s.number(1, 9), n = s.number(1, 20),
                cut = s.number(1, m - 1);
  const Value x = s.argument(DType::f32, {m, k}), w = s.argument(DType::f32, {k, n});
  return language::concat(s.b,
                          {language::matmul(s.b, language::slice_dim(s.b, x, 0, 0, cut), w),
                           language::matmul(s.b, language::slice_dim(s.b, x, 0, cut, m - cut), w)},
                          0);
}

Value push_sample(Sample& s) {
  const Value whole = split_sample(s);
  const Shape shape = ir::shape_of(whole);
  std::vector<SliceBox> boxes;
  for (const Extent& extent : shape) {
    const int64_t all = *extent.constant(), start = s.number(0, all - 1);
    const int64_t step = s.number(1, 2);
    boxes.push_back({false, start, s.number(1, (all - start + step - 1) / step), step});
  }
  boxes[0] = {false, 0, std::max<int64_t>(*shape[0].constant() - 1, 1), 1};
  if (boxes[0].size == shape[0]) // one of the other dims is cut
    boxes.back() = {false, 0, std::max<int64_t>(*shape.back().constant() - 1, 1), 1};
  return language::slice(s.b, whole, boxes);
}

Value repeat_sample(Sample& s) {
  const Shape shape{s.number(1, 5), s.number(1, 5)};
  const Value places = language::iota(s.b, shape, s.number(0, 1), DType::f32);
  const Value x = s.argument(DType::f32, shape);
  return language::elementwise(s.b, Fn::multiply,
                               {language::elementwise(s.b, Fn::add, {x, places}),
                                language::elementwise(s.b, Fn::sin, {places})});
}

Value view_sample(Sample& s) {
  const Value x = s.argument(DType::f32, {s.number(1, 4), s.number(1, 4), s.number(1, 4)});
  return language::permute_dims(s.b, language::permute_dims(s.b, x, {1, 2, 0}), {2, 0, 1});
}

constexpr Choice kChoices[] = {
    {.name = "split_op",
     .equation = "op(x, y...) = concat(op on parts of the index space), along one index dim",
     .condition = "an op that can be cut along index dim `dim` at `cuts`",
     .parameters = "dim: of the op's index space; cuts: where parts start, behind the first",
     .keeps = Keeps::exact,
     .is_searched = false,
     .ways = ways_to_split,
     .apply = split_op,
     .sample = split_sample},
    {.name = "join_ops",
     .equation = "op(x[:m]), op(x[m:]) = op(x)[:m], op(x)[m:]",
     .condition = "two ops that are parts of one, neighbours along `dim` of its result",
     .parameters = "with: the op of the part in front; dim: of the results",
     .keeps = Keeps::exact,
     .is_searched = false,
     .ways = ways_to_join,
     .apply = join_ops,
     .sample = join_sample},
    {.name = "push_slice",
     .equation = "op(x, y...)[box] = op on the part of its index space that computes the box",
     .condition = "a slice of what an op makes, of which a part computes it",
     .parameters = "none",
     .keeps = Keeps::exact,
     .is_searched = false,
     .ways = ways_to_push,
     .apply = push_slice,
     .sample = push_sample},
    {.name = "make_where_read",
     .equation = "y = op(x); f(y); g(y) = f(op(x)); g(op(x))",
     .condition = "an op whose results several ops read",
     .parameters = "none",
     .keeps = Keeps::exact,
     .is_searched = false,
     .ways = ways_to_repeat,
     .apply = make_where_read,
     .sample = repeat_sample},
    {.name = "cancel_views",
     .equation = "view(view(x)) = view(x), or x: what the rules of views say (rewrite/rule.h)",
     .condition = "a view of a view, or one that moves nothing",
     .parameters = "none",
     .keeps = Keeps::exact,
     .is_searched = false,
     .ways = ways_to_cancel,
     .apply = cancel_views,
     .sample = view_sample},
};

} // namespace

std::span<const Choice> place_choices() { return kChoices; }

} // namespace kolam::rewrite
