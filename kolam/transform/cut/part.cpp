// Parts of ops, as their signatures and rules say.
#include "kolam/analysis/cost.h"
#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/late.h"
#include "kolam/ir/reduction.h"
#include "kolam/ir/visit.h"
#include "kolam/space/region.h"
#include "kolam/support/checked.h"
#include "kolam/transform/custom_partitioning.h"
#include "kolam/transform/cut/passing.h"
#include "kolam/transform/cut/rules.h"

#include <bit>

namespace kolam::transform {

using cut::tensor_of;
using space::Box;

struct Cuts::Known {
  space::Signature signature;
  std::vector<bool> cut_dims;
  std::unique_ptr<cut::Passing> passing; ///< of a loop or branch
  std::vector<mlir::Operation*> binders; ///< of symbols that it names
  std::optional<double> price;           ///< see `flops`
};

Cuts::Cuts() = default;
Cuts::~Cuts() = default;

namespace {

/// A chunk of an op's order of accumulation: so many elements, of the last `run` summed dims.
struct Chunks {
  std::vector<int> dims; ///< the summed index dims, in the order in which their elements come
  size_t run = 0;
  Accumulate accumulate;
};

Chunks chunks_of_products(const space::Signature& signature, const Accumulate& accumulate) {
  Chunks chunks{.dims = {}, .run = 0, .accumulate = accumulate};
  for (size_t dim = 0; dim < signature.dims.size(); ++dim)
    if (signature.dims[dim].kind == space::DimKind::reduce)
      chunks.dims.push_back(static_cast<int>(dim));
  chunks.run = chunks.dims.size();
  return chunks;
}

/// None for an op whose sums can't be given in parts.
std::optional<Chunks> chunks_of(mlir::Operation* op, const space::Signature& signature) {
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op))
    return chunks_of_products(signature, ir::accumulate_of(contract.getAccumulate()));
  if (auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op))
    return chunks_of_products(signature, ir::accumulate_of(convolution.getAccumulate()));
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  if (!reduce || !ir::reduction_of(reduce).function)
    return std::nullopt;
  const ir::Reduction reduction = ir::reduction_of(reduce);
  Chunks chunks = chunks_of_products(signature, reduction.accumulate);
  chunks.run = reduction.run_length();
  return chunks;
}

bool is_power_of_two(int64_t count) { return std::has_single_bit(static_cast<uint64_t>(count)); }

/// Points along the first of the summed dims that are one chunk, or 2^j; 0 where there are none.
int64_t points_of_chunk(const Chunks& chunks, const space::Signature& signature, int dim) {
  auto extent = [&](int of) { return *signature.dims[static_cast<size_t>(of)].extent.constant(); };
  size_t at = 0;
  while (chunks.dims[at] != dim)
    if (extent(chunks.dims[at++]) != 1)
      return 0;
  const bool in_order = chunks.accumulate.in_order || chunks.accumulate.chunk >= kEndless;
  if (in_order)
    return 0;
  int64_t chunk = chunks.accumulate.chunk, rest = 1, others = 1;
  const size_t outer = chunks.dims.size() - chunks.run;
  for (size_t later = at + 1; later < chunks.dims.size(); ++later)
    (later < outer ? others : rest) *= extent(chunks.dims[later]);
  if (at < outer) // every point starts chunks of its own
    return is_power_of_two(others * ((rest + chunk - 1) / chunk)) ? 1 : 0;
  if (rest != 0 && chunk % rest == 0)
    return chunk / rest;
  return rest != 0 && rest % chunk == 0 && is_power_of_two(rest / chunk) ? 1 : 0;
}

/// As a rule says, or the op.
space::Signature signature_of(mlir::Operation* op) {
  auto own = [](mlir::Operation* of) { return llvm::cast<ir::SignedOp>(of).signature(); };
  return ir::visit<space::Signature>(
      op,
      [&](auto typed) {
        if constexpr (requires { cut::signature_of(typed); })
          return cut::signature_of(typed);
        else
          return own(op);
      },
      own);
}

std::vector<int> rule_whole_dims(mlir::Operation* op) {
  return ir::visit<std::vector<int>>(
      op,
      [](auto typed) -> std::vector<int> {
        if constexpr (requires { cut::whole_dims(typed); })
          return cut::whole_dims(typed);
        else
          return {};
      },
      [](mlir::Operation*) { return std::vector<int>(); });
}

/// Whether the op on parts of its operands is a part of the op.
bool can_cut(mlir::Operation* op) {
  return ir::visit<bool>(
      op,
      [&](auto typed) {
        if constexpr (requires(const cut::Making& making) { cut::make(typed, making); })
          return true;
        else if constexpr (requires { cut::keeps_itself(typed); })
          return true;
        else {
          const ir::Facts facts = ir::facts_of(op);
          return facts.runs == ir::Runs::elements && !facts.reads_index &&
                 !analysis::has_programs(op) && facts.effect == ir::Effect::none;
        }
      },
      [](mlir::Operation*) { return false; });
}

/// Whether every result that is read has a row that walks the dim.
bool all_results_walk(mlir::Operation* op, const space::Signature& signature, int dim) {
  for (unsigned number : written_results(op))
    if (llvm::none_of(signature.operands[op->getNumOperands() + number].projection.map.rows,
                      [&](const space::AffineRow& row) {
                        return row.coefficients[static_cast<size_t>(dim)] != 0;
                      }))
      return false;
  return true;
}

std::vector<bool> cut_dims_of(mlir::Operation* op, const space::Signature& signature) {
  std::vector<bool> dims(signature.dims.size(), false);
  if (signature.opaque)
    return dims;
  const std::optional<Chunks> chunks = chunks_of(op, signature);
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    const space::DimKind kind = signature.dims[dim].kind;
    dims[dim] = kind == space::DimKind::map
                    ? all_results_walk(op, signature, static_cast<int>(dim))
                    : kind == space::DimKind::reduce && (chunks || partitioning_of(op));
  }
  for (int dim : rule_whole_dims(op))
    dims[static_cast<size_t>(dim)] = false;
  return dims;
}

Box widened(mlir::Operation* op, const Box& index) {
  return ir::visit<Box>(
      op,
      [&](auto typed) {
        if constexpr (requires { cut::widened(typed, index); })
          return cut::widened(typed, index);
        else
          return index;
      },
      [&](mlir::Operation*) { return index; });
}

void set_reads(mlir::Operation* op, OpPart& part) {
  ir::visit<int>(
      op,
      [&](auto typed) {
        if constexpr (requires { cut::set_reads(typed, part); })
          cut::set_reads(typed, part);
        return 0;
      },
      [](mlir::Operation*) { return 0; });
}

/// The least index box whose region covers [start, end) of a tensor's dim, put into `first`,
/// `last`.
///
/// A row over several dims is one of digits, as `8 group + channel`: of the dims behind the first
/// with more than one point all points are taken.
void cover(const space::AffineRow& row, int64_t size, int64_t start, int64_t end,
           const space::Signature& signature, space::Point& first, space::Point& last) {
  std::vector<size_t> dims;
  for (size_t dim = 0; dim < row.coefficients.size(); ++dim)
    if (row.coefficients[dim] != 0)
      dims.push_back(dim);
  if (row.divisor != 1 || row.modulus != 0)
    return; // whole
  llvm::sort(dims, [&](size_t x, size_t y) {
    return std::abs(row.coefficients[x]) > std::abs(row.coefficients[y]);
  });
  if (dims.size() > 1 && llvm::any_of(dims, [&](size_t dim) { return row.coefficients[dim] < 0; }))
    return;
  const int64_t offset = *row.offset.constant();
  int64_t low = start - offset - size + 1, high = end - 1 - offset; // of the sum
  for (size_t dim : dims) {
    const int64_t step = row.coefficients[dim], extent = *signature.dims[dim].extent.constant();
    const bool is_last = dim == dims.back();
    const auto [from, to] =
        step < 0 ? std::pair(-floor_divide(high, -step), floor_divide(-low, -step))
                 : std::pair(is_last ? -floor_divide(-low, step) : floor_divide(low, step),
                             floor_divide(high, step));
    first[dim] = std::clamp<int64_t>(from, 0, std::max<int64_t>(extent - 1, 0));
    last[dim] = std::clamp<int64_t>(to + 1, first[dim], extent);
    if (last[dim] - first[dim] != 1)
      return;
    low -= step * first[dim];
    high -= step * first[dim];
  }
}

/// The symbols that an op names where its operands don't.
std::set<std::string> named_symbols(mlir::Operation* op) {
  std::set<std::string> symbols;
  auto add = [&](const Shape& shape) {
    for (const Extent& extent : shape)
      symbols.merge(extent.symbols());
  };
  for (mlir::Value result : op->getResults())
    if (llvm::isa<mlir::RankedTensorType>(result.getType()))
      add(ir::shape_of(result));
  for (mlir::NamedAttribute attribute : op->getAttrDictionary())
    if (auto extents = llvm::dyn_cast<ir::ExtentsAttr>(attribute.getValue()))
      add(extents.shape());
  if (auto extent = llvm::dyn_cast<ir::ExtentOp>(op))
    add({*Extent::parse(extent.getExpression())});
  return symbols;
}

bool binds(mlir::Operation* op, const std::string& symbol) {
  if (auto bind = llvm::dyn_cast<ir::BindExtentOp>(op))
    return bind.getSymbol() == symbol;
  if (auto unpack = llvm::dyn_cast<ir::UnpackOp>(op))
    return llvm::any_of(unpack.getSymbols().getAsValueRange<mlir::StringAttr>(),
                        [&](llvm::StringRef own) { return own == symbol; });
  return llvm::is_contained(ir::late_symbols(op), symbol);
}

/// The ops before it that bind the symbols that an op names.
std::vector<mlir::Operation*> binders_of(mlir::Operation* op) {
  std::vector<mlir::Operation*> binders;
  for (const std::string& symbol : named_symbols(op))
    for (mlir::Operation* before = op->getPrevNode(); before; before = before->getPrevNode())
      if (binds(before, symbol))
        binders.push_back(before);
  return binders;
}

/// Whether the op is a loop or branch.
bool has_bodies(mlir::Operation* op) {
  return ir::visit<bool>(
      op, [](auto typed) { return requires { cut::takes_bodies(typed); }; },
      [](mlir::Operation*) { return false; });
}

/// Whether all that it takes and gives are arrays whose extents are numbers.
bool has_extents(mlir::Operation* op) {
  return llvm::all_of(op->getOperands(), has_numbers) &&
         llvm::all_of(op->getResults(), has_numbers);
}

/// That of a function that is cut as its user says.
space::Signature custom_signature(mlir::Operation* op) {
  if (!has_extents(op))
    return cut::whole_signature(op);
  std::vector<Shape> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(ir::shape_of(operand));
  std::vector<std::pair<DType, Shape>> results;
  for (mlir::Value result : op->getResults())
    results.emplace_back(ir::dtype_of(result), ir::shape_of(result));
  return bound_signature(*partitioning_of(op), operands, results);
}

/// Whether points write elements of their own, as stages of plans do. Those of a scatter to a place
/// without dims don't.
bool writes_apart(mlir::Operation* op, space::Signature signature) {
  const std::vector<space::Operand> all = std::move(signature.operands);
  signature.operands.assign(all.begin(), all.begin() + op->getNumOperands());
  for (unsigned number : written_results(op)) {
    signature.operands.push_back(all[op->getNumOperands() + number]);
    signature.operands.back().role = space::Role::out;
  }
  return space::validate(signature).empty();
}

/// The part of a tensor without elements, dim by dim.
Box clipped(const space::Projection& projection, Box index, const Box& tensor) {
  for (int dim = 0; dim < index.rank(); ++dim) // along which a region has an extent
    if (index.extent(dim) == 0)
      index = space::with_range(index, dim, index.start()[static_cast<size_t>(dim)],
                                index.start()[static_cast<size_t>(dim)] + 1);
  const Box region = space::region(projection, index);
  space::Point first, last;
  for (size_t dim = 0; dim < tensor.start().size(); ++dim) {
    first.push_back(std::clamp(region.start()[dim], tensor.start()[dim], tensor.end()[dim]));
    last.push_back(std::clamp(region.end()[dim], first.back(), tensor.end()[dim]));
  }
  return {std::move(first), std::move(last)};
}

/// Whether there are elements that no point writes: sums of no terms, what nothing is scattered to.
bool has_no_points(mlir::Operation* op, const space::Signature& signature) {
  return !signature.opaque && space::is_empty(space::index_box(signature)) &&
         llvm::any_of(op->getResults(),
                      [](mlir::Value result) { return !space::is_empty(tensor_of(result)); });
}

} // namespace

Cuts::Known& Cuts::known(mlir::Operation* op) {
  if (Known* found = found_.lookup(op))
    return *found;
  auto made = std::make_unique<Known>();
  KOLAM_CHECK(llvm::isa<ir::SignedOp>(op));
  if (partitioning_of(op)) {
    made->signature = custom_signature(op);
  } else if (has_bodies(op)) {
    made->passing = std::make_unique<cut::Passing>(cut::passing_of(op, *this));
    made->signature = made->passing->signature;
  } else if (has_extents(op) && can_cut(op)) {
    made->signature = space::instantiate(signature_of(op), {});
  } else {
    made->signature = cut::whole_signature(op);
  }
  if (has_no_points(op, made->signature) || !writes_apart(op, made->signature))
    made->signature = cut::whole_signature(op);
  made->cut_dims = cut_dims_of(op, made->signature);
  made->binders = binders_of(op);
  all_.push_back(std::move(made));
  return *(found_[op] = all_.back().get()); // its bodies' ops are known by now, too
}

const space::Signature& Cuts::signature(mlir::Operation* op) { return known(op).signature; }
const std::vector<bool>& Cuts::cut_dims(mlir::Operation* op) { return known(op).cut_dims; }
const std::vector<mlir::Operation*>& Cuts::binders(mlir::Operation* op) {
  return known(op).binders;
}
const cut::Passing* Cuts::passing(mlir::Operation* op) { return known(op).passing.get(); }

std::string Cuts::why_whole(mlir::Operation* op) {
  if (!known(op).signature.opaque)
    return {};
  if (calls_host(op))
    return "it calls functions of the host";
  if (!has_extents(op))
    return "it takes or gives lists, or extents that only the run knows";
  if (has_bodies(op))
    return "no index passes through its bodies to all that it gives";
  return "it gives no parts";
}

bool Cuts::moves_freely(mlir::Operation* op) {
  return ir::visit<bool>(
      op,
      [](auto typed) {
        return !requires(Box index) { cut::widened(typed, index); } &&
               !requires(OpPart& part) { cut::set_reads(typed, part); };
      },
      [](mlir::Operation*) { return false; });
}

namespace {

/// Meaning: machines do two flops at once in products that are added up, one in anything else.
constexpr double kFlopsOfAnOperation = 2;

bool adds_products(mlir::Operation* op) {
  return llvm::isa<ir::AttentionOp>(op) || (op->hasAttr("accumulate") && !op->hasAttr("monoid"));
}

} // namespace

double Cuts::flops(mlir::Operation* op, const Box& index) {
  if (op->getNumResults() == 0 || !has_numbers(op->getResult(0)))
    return 0;
  Known& own = known(op);
  const bool is_by_point = !own.signature.opaque && !analysis::has_programs(op);
  if (!own.price) { // of a point, or of all of them
    const double by_kind = adds_products(op) ? 1 : kFlopsOfAnOperation;
    own.price = by_kind * (is_by_point ? llvm::cast<ir::SignedOp>(op).flops_per_point()
                                       : analysis::flops_of(op));
  }
  const double price = *own.price * static_cast<double>(space::size(index));
  if (is_by_point)
    return price;
  return price /
         static_cast<double>(std::max<int64_t>(space::size(space::index_box(own.signature)), 1));
}

int64_t Cuts::points_of_chunk(mlir::Operation* op, int dim) {
  const space::Signature& signature = known(op).signature;
  const space::IndexDim& summed = signature.dims[static_cast<size_t>(dim)];
  if (partitioning_of(op))
    return summed.kind == space::DimKind::reduce ? int64_t{summed.monoid->exact} : -1;
  std::optional<Chunks> chunks = chunks_of(op, signature);
  if (!chunks || summed.kind != space::DimKind::reduce)
    return -1;
  return summed.monoid->exact ? 1 : transform::points_of_chunk(*chunks, signature, dim);
}

Box Cuts::cut_out(mlir::Operation* op, Box index) {
  const Known& own = known(op);
  for (int dim = 0; dim < index.rank(); ++dim)
    if (!own.cut_dims[static_cast<size_t>(dim)])
      index = space::with_range(index, dim, 0,
                                *own.signature.dims[static_cast<size_t>(dim)].extent.constant());
  return own.signature.opaque ? index : widened(op, index);
}

OpPart Cuts::part(mlir::Operation* op, Box index) {
  const Known& own = known(op);
  OpPart part{.index = cut_out(op, std::move(index)), .reads = {}, .writes = {}};
  for (auto [number, operand] : llvm::enumerate(own.signature.operands)) {
    const bool is_whole = own.signature.opaque || operand.shape.empty();
    Box box = space::tensor_box(operand);
    if (!is_whole)
      box = space::is_empty(box)
                ? clipped(operand.projection, part.index, box)
                : space::intersect(space::region(operand.projection, part.index), box);
    (number < op->getNumOperands() ? part.reads : part.writes).push_back(std::move(box));
  }
  if (!own.signature.opaque)
    set_reads(op, part);
  return part;
}

OpPart Cuts::part_for(mlir::Operation* op, unsigned number, const Box& box) {
  const Known& own = known(op);
  const Box whole = space::index_box(own.signature);
  space::Point first = whole.start(), last = whole.end();
  if (!own.signature.opaque) {
    const space::Operand& result = own.signature.operands[op->getNumOperands() + number];
    for (auto [dim, row] : llvm::enumerate(result.projection.map.rows))
      if (std::optional<int64_t> size = result.projection.size[dim].constant())
        cover(row, *size, box.start()[dim], box.end()[dim], own.signature, first, last);
  }
  return part(op, Box(std::move(first), std::move(last)));
}

} // namespace kolam::transform
