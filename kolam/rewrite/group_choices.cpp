// Sums whose parts are a dim of their own, which is then summed: one op makes all parts side by
// side.
#include "kolam/rewrite/choice.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/language/contract.h"
#include "kolam/language/convolution.h"
#include "kolam/language/promotion.h"
#include "kolam/language/transpose.h"
#include "kolam/rewrite/choice_parts.h"

#include <bit>

namespace kolam::rewrite {
namespace {

using language::Builder;
using mlir::Operation;
using mlir::Value;

/// The parts along `dim` merged in pairs, in the dtype of the op's result.
Value merged(Builder& b, Operation* op, Value parts, int64_t dim) {
  Shape shape = ir::shape_of(parts);
  shape.erase(shape.begin() + dim);
  const DType state = ir::dtype_of(parts);
  const Value sum = ir::ReduceOp::create(b, mlir::TypeRange{language::tensor_type(b, state, shape)},
                                         mlir::ValueRange{parts}, b.getStringAttr("add"),
                                         b.getBoolAttr(true), b.getDenseI64ArrayAttr({dim}),
                                         ir::accumulate_attr(b.getContext(), {Order::chunk, 1, 1}))
                        .getResult(0);
  return language::cast(b, sum, ir::dtype_of(op->getResult(0)));
}

/// The largest number of parts up to `workers` of which `extent` is a multiple; 1 where there is
/// none.
int64_t parts_for(int64_t extent, int64_t workers) {
  for (int64_t parts = std::min({extent, workers, kMostParts}); parts > 1; --parts)
    if (extent % parts == 0)
      return parts;
  return 1;
}

std::vector<Parameters> parts_way(int64_t extent, int64_t workers) {
  const int64_t parts = parts_for(extent, workers);
  return parts > 1 ? std::vector<Parameters>{{{"parts", {parts}}}} : std::vector<Parameters>();
}

// --- contract_over_parts

/// A contraction and the first letter that it sums over several points.
struct Summed {
  ir::ContractLetters letters;
  size_t places[2] = {}; ///< of the letter
  int64_t extent = 0;
};

std::optional<Summed> summed_of(Operation* op) {
  auto contract = llvm::dyn_cast<ir::ContractOp>(op);
  if (!contract || contract.getWhere() || !is_plain(op))
    return std::nullopt;
  Summed summed{.letters = ir::contract_letters(contract.getSpec())};
  const ir::ContractLetters& letters = summed.letters;
  for (auto [place, letter] : llvm::enumerate(letters.lhs)) {
    const size_t other = letters.rhs.find(letter);
    const int64_t extent = extent_of(contract.getLhs(), static_cast<int64_t>(place));
    if (letters.result.find(letter) != std::string::npos || extent == 1)
      continue;
    summed.places[0] = place;
    summed.places[1] = other;
    summed.extent = extent;
    return other == std::string::npos ? std::nullopt : std::optional(std::move(summed));
  }
  return std::nullopt;
}

/// None unless `parts` parts of the letter are equal.
std::optional<Summed> summed_in(Operation* op, int64_t parts) {
  std::optional<Summed> summed = summed_of(op);
  return summed && parts >= 2 && summed->extent % parts == 0 ? summed : std::nullopt;
}

std::vector<Parameters> ways_to_contract(Operation* op, int64_t workers) {
  const std::optional<Summed> summed = summed_of(op);
  return summed ? parts_way(summed->extent, workers) : std::vector<Parameters>();
}

std::vector<Replacement> contract_over_parts(Operation* op, const Parameters& parameters,
                                             Builder& b) {
  const int64_t parts = number_in(parameters, "parts", 0);
  std::optional<Summed> summed = summed_in(op, parts);
  if (!summed)
    return {};
  ir::ContractLetters& letters = summed->letters;
  const std::optional<char> letter = free_letter(letters.lhs + letters.rhs + letters.result);
  if (!letter)
    return {};
  Value factors[2];
  for (unsigned factor : {0u, 1u}) {
    const auto place = static_cast<int64_t>(summed->places[factor]);
    factors[factor] = in_parts(b, op->getOperand(factor), place, parts);
    (factor == 0 ? letters.lhs : letters.rhs).insert(summed->places[factor], 1, *letter);
  }
  Shape shape = ir::shape_of(op->getResult(0));
  shape.insert(shape.begin(), Extent(parts));
  const Value all = ir::ContractOp::create(
      b, language::tensor_type(b, transform::partial_dtype(op), shape), factors[0], factors[1],
      b.getStringAttr(letters.lhs + "," + letters.rhs + "->" + *letter + letters.result),
      llvm::cast<ir::ContractOp>(op).getAccumulateAttr(), Value());
  return {{op->getResult(0), merged(b, op, all, 0)}};
}

/// Parts of 2^j chunks are whole parts of the op's own tree.
bool are_runs(Operation* op, const Parameters& parameters) {
  const int64_t parts = number_in(parameters, "parts", 0);
  const std::optional<Summed> summed = summed_in(op, parts);
  if (!summed)
    return false;
  if (is_integer(ir::dtype_of(op->getResult(0))))
    return true;
  transform::Cuts cuts;
  const space::Signature& signature = cuts.signature(op);
  for (size_t dim = 0; dim < signature.dims.size(); ++dim) {
    const bool is_summed = signature.dims[dim].kind == space::DimKind::reduce &&
                           !(signature.dims[dim].extent == Extent(1));
    const int64_t chunk = is_summed ? cuts.points_of_chunk(op, static_cast<int>(dim)) : 0;
    const int64_t run = summed->extent / parts;
    if (is_summed) // the first one
      return chunk > 0 && run % chunk == 0 &&
             std::has_single_bit(static_cast<uint64_t>(run / chunk));
  }
  return false;
}

// --- channels_over_parts

/// The convolution without groups that the op is, or null.
ir::ConvolutionOp without_groups(Operation* op) {
  auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op);
  return convolution && is_plain(op) && convolution.getGroups() == 1 ? convolution
                                                                     : ir::ConvolutionOp();
}

std::vector<Parameters> ways_to_group(Operation* op, int64_t workers) {
  ir::ConvolutionOp convolution = without_groups(op);
  if (!convolution)
    return {};
  return parts_way(extent_of(convolution.getInput(), ir::rank_of(convolution.getInput()) - 1),
                   workers);
}

/// Groups of channels have outputs of their own.
std::vector<Replacement> channels_over_parts(Operation* op, const Parameters& parameters,
                                             Builder& b) {
  ir::ConvolutionOp convolution = without_groups(op);
  const int64_t parts = number_in(parameters, "parts", 0);
  if (!convolution || parts < 2)
    return {};
  const int64_t last = ir::rank_of(convolution.getInput()) - 1;
  const int64_t channels = extent_of(convolution.getInput(), last);
  if (channels == 0 || channels % parts != 0)
    return {};
  Value filter = in_parts(b, convolution.getFilter(), last - 1, parts); // [k..., part, c, o]
  filter = in_one(b, language::moveaxis(b, filter, {last - 1}, {last}), last);
  Shape shape = ir::shape_of(op->getResult(0));
  shape.back() = shape.back() * Extent(parts);
  auto all = llvm::cast<ir::ConvolutionOp>(b.insert(op->clone()));
  all.getFilterMutable().assign(filter);
  all.setGroups(static_cast<uint64_t>(parts));
  all.getResult().setType(language::tensor_type(b, transform::partial_dtype(op), shape));
  return {{op->getResult(0), merged(b, op, in_parts(b, all.getResult(), last, parts), last)}};
}

// --- programs

Value contract_sample(Sample& s) {
  const DType dtype = any_dtype(s);
  const int64_t k = s.number(0, 1) ? 3 * 1024 * s.number(1, 3) : 12 * s.number(1, 9);
  return language::matmul(s.b, s.argument(dtype, {s.number(1, 3), k}),
                          s.argument(dtype, {k, s.number(1, 20)}));
}

Value channels_sample(Sample& s) {
  const DType dtype = any_dtype(s);
  const int64_t channels = 6 * s.number(1, 4);
  const Value x = s.argument(dtype, {s.number(1, 2), channels, s.number(5, 9)});
  const Value w = s.argument(dtype, {s.number(1, 20), channels, s.number(1, 3)});
  return language::convolution(s.b, x, w,
                               {.strides = {s.number(1, 2)}, .padding = PaddingPairs{{1, 0}}});
}

constexpr Choice kChoices[] = {
    {.name = "contract_over_parts",
     .equation = "contract over k = contract over the rest of k, with a new dim of parts, then the "
                 "sum over parts",
     .condition = "a contraction whose first summed dim is a multiple of `parts`",
     .parameters = "parts: of equal extent",
     .keeps = Keeps::reassociates,
     .is_searched = false,
     .ways = ways_to_contract,
     .apply = contract_over_parts,
     .sample = contract_sample,
     .is_exact = are_runs},
    {.name = "channels_over_parts",
     .equation = "convolution = sum over groups of input channels of a convolution by groups",
     .condition = "a convolution without groups, whose input channels are a multiple of `parts`",
     .parameters = "parts: groups of equal extent",
     .keeps = Keeps::reassociates,
     .is_searched = true,
     .ways = ways_to_group,
     .apply = channels_over_parts,
     .sample = channels_sample,
     .is_exact = is_of_integers},
};

} // namespace

std::span<const Choice> group_choices() { return kChoices; }

} // namespace kolam::rewrite
