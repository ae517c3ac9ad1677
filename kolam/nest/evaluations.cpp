// Composes indices along the edges of a nest.
#include "kolam/nest/evaluations.h"

#include "kolam/analysis/access.h"
#include "kolam/analysis/views.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/products.h"
#include "kolam/support/accumulate.h"

#include <algorithm>

namespace kolam::nest {
namespace {

using analysis::copied_dim;
using ir::rough_count;

/// Tiles pack factors that are computed: columns once for all rows, rows once for the columns of a
/// panel. So only this part of the turns asks.
double share_packed(const Product& product, unsigned operand) {
  constexpr double kPanel = 48;
  Shape shape = ir::shape_of(product.op->getResult(0));
  if (operand == product.rows_of)
    return 1 / std::clamp(rough_count({shape.back()}), 1.0, kPanel);
  double rows = 1;
  for (int dim : product.dims.rows)
    rows *= rough_count({shape[dim]});
  return 1 / std::max(1.0, rows);
}

bool goes_by_lanes(mlir::Operation* op) {
  auto contract = llvm::dyn_cast<ir::ContractOp>(op);
  return contract && ir::accumulate_of(contract.getAccumulate()).order == Order::lanes;
}

} // namespace

int Evaluations::add_loop(const space::IndexDim& dim, double turns_around) {
  turns_.push_back(rough_count({dim.extent}) * turns_around);
  reduces_.push_back(dim.kind != space::DimKind::map);
  return static_cast<int>(turns_.size()) - 1;
}

double Evaluations::turns(const std::vector<Place>& places) const {
  double most = 1;
  for (const Place& place : places)
    for (int loop : place.loops)
      most = std::max(most, turns_[loop]);
  return most;
}

void Evaluations::add_root(mlir::Operation* op) {
  const space::Signature& signature = signatures_.of(op);
  std::vector<Place> index;
  double around = 1;
  for (const space::IndexDim& dim : signature.dims) {
    int loop = add_loop(dim, around);
    around = turns_[loop];
    index.push_back({"l" + std::to_string(loop), {loop}});
    root_index_[op].push_back(index.back().text);
  }
  ask_operands(op, {op, {}}, index);
}

void Evaluations::add_inside(mlir::Operation* op) {
  std::vector<Use> uses = uses_.lookup(op);
  for (const Use& use : uses)
    ask_operands(op, use, index_of(op, use));
}

std::vector<Evaluations::Place> Evaluations::index_of(mlir::Operation* op, const Use& use) {
  const space::Signature& signature = signatures_.of(op);
  std::vector<Place> index(signature.dims.size());
  const auto& rows = analysis::first_result(signature).projection.map.rows;
  for (size_t dim = 0; dim < rows.size() && dim < use.places.size(); ++dim)
    if (int copied = copied_dim(rows[dim]); copied >= 0)
      index[copied] = use.places[dim];
  double around = turns(use.places);
  for (size_t dim = 0; dim < index.size(); ++dim) {
    if (!index[dim].text.empty())
      continue;
    int loop = add_loop(signature.dims[dim], around);
    around = turns_[loop];
    // One op at one index runs one loop, whoever asks.
    std::string text =
        "(" + std::to_string(reinterpret_cast<uintptr_t>(op)) + "." + std::to_string(dim);
    for (const Place& place : use.places)
      text += " " + place.text;
    index[dim] = {text + ")", {loop}};
    for (const Place& place : use.places)
      index[dim].loops.insert(index[dim].loops.end(), place.loops.begin(), place.loops.end());
  }
  return index;
}

void Evaluations::ask_operands(mlir::Operation* op, const Use& own,
                               const std::vector<Place>& index) {
  std::optional<Product> product = as_product(op, signatures_);
  bool is_view = analysis::view_of_operand(op) || analysis::is_view_by_data(op);
  const space::Signature& signature = signatures_.of(op);
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    mlir::Operation* producer = value.getDefiningOp();
    if (!producer)
      continue;
    const space::Operand& operand = signature.operands[number];
    double share = own.share * analysis::share_inside(signature, number);
    bool shows = is_view && number == 0;
    Use use{own.root, {}, share, own.is_row_factor && shows, own.is_lane_factor && shows};
    use.is_lane_factor |= goes_by_lanes(op);
    if (product) {
      use.share *= share_packed(*product, static_cast<unsigned>(number));
      use.is_row_factor = number == product->rows_of;
    }
    for (size_t dim = 0; dim < operand.shape.size(); ++dim) {
      const space::AffineRow& row = operand.projection.map.rows[dim];
      if (int copied = copied_dim(row); copied >= 0 && !operand.indirect) {
        use.places.push_back(index[copied]);
        continue;
      }
      // Another expression of the index dims, or a place that data at this index decides.
      Place place;
      bool by_data = operand.indirect && space::is_constant(row);
      place.text = by_data ? "data" + std::to_string(reinterpret_cast<uintptr_t>(op)) : "";
      for (size_t i = 0; i < index.size(); ++i) {
        int64_t coefficient = by_data ? 1 : row.coefficients[i];
        if (coefficient == 0)
          continue;
        place.text += std::to_string(coefficient) + "*" + index[i].text + "+";
        place.loops.insert(place.loops.end(), index[i].loops.begin(), index[i].loops.end());
      }
      place.text += row.offset.to_string() + "/" + std::to_string(row.divisor) + "%" +
                    std::to_string(row.modulus);
      use.places.push_back(std::move(place));
    }
    auto& uses = uses_[producer];
    auto same = std::find_if(uses.begin(), uses.end(), [&](const Use& other) {
      return other.root == use.root &&
             std::equal(other.places.begin(), other.places.end(), use.places.begin(),
                        use.places.end(),
                        [](const Place& x, const Place& y) { return x.text == y.text; });
    });
    if (same == uses.end())
      uses.push_back(std::move(use));
    else
      same->share = std::min(1.0, same->share + use.share);
  }
}

double Evaluations::per_cell(mlir::Operation* op) const {
  auto found = uses_.find(op);
  if (found == uses_.end() || op->getNumResults() == 0)
    return 0;
  double cells = rough_count(ir::shape_of(op->getResult(0))), times = 0;
  for (const Use& use : found->second)
    times += turns(use.places) * use.share;
  return cells == 0 ? 0 : times / cells;
}

size_t Evaluations::places(mlir::Operation* op) const {
  auto found = uses_.find(op);
  return found == uses_.end() ? 0 : found->second.size();
}

bool Evaluations::is_read_by_rows(mlir::Operation* op) const {
  auto found = uses_.find(op);
  return found != uses_.end() && analysis::is_view_by_data(op) &&
         llvm::all_of(found->second, [](const Use& use) { return use.is_row_factor; });
}

bool Evaluations::is_packed_by_tiles(mlir::Operation* op) const {
  auto found = uses_.find(op);
  return found != uses_.end() && !analysis::view_of_operand(op) && !is_read_by_rows(op) &&
         !llvm::isa<ir::ReshapeOp>(op) &&
         llvm::any_of(found->second, [](const Use& use) { return use.is_row_factor; });
}

bool Evaluations::is_summed_by_lanes(mlir::Operation* op) const {
  auto found = uses_.find(op);
  return found != uses_.end() &&
         llvm::any_of(found->second, [](const Use& use) { return use.is_lane_factor; });
}

bool Evaluations::is_inside_reduction(mlir::Operation* op) const {
  auto is_inside = [&](const Use& use) {
    return llvm::any_of(use.places, [&](const Place& place) {
      return llvm::any_of(place.loops, [&](int loop) { return reduces_[loop]; });
    });
  };
  auto found = uses_.find(op);
  return found != uses_.end() && llvm::any_of(found->second, is_inside);
}

std::optional<std::vector<mlir::Operation*>>
Evaluations::roots_at_own_index(mlir::Operation* op) const {
  std::vector<mlir::Operation*> roots;
  const Shape shape = ir::shape_of(op->getResult(0));
  for (const Use& use : uses_.lookup(op)) {
    std::vector<std::string> own = root_index_.lookup(use.root);
    bool is_own =
        use.root->getNumResults() == 1 && ir::shape_of(use.root->getResult(0)) == shape &&
        use.places.size() == static_cast<size_t>(ir::rank_of(use.root->getResult(0))) &&
        std::equal(use.places.begin(), use.places.end(), own.begin(),
                   own.begin() + static_cast<int64_t>(std::min(own.size(), use.places.size())),
                   [](const Place& place, const std::string& text) { return place.text == text; });
    if (!is_own)
      return std::nullopt;
    roots.push_back(use.root);
  }
  return roots;
}

} // namespace kolam::nest
