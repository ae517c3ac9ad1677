// Composes indices along the edges of a nest.
#include "kolam/nest/evaluations.h"

#include "kolam/analysis/access.h"
#include "kolam/analysis/views.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/products.h"
#include "kolam/support/accumulate.h"
#include "kolam/support/machine.h"

#include <algorithm>

namespace kolam::nest {
namespace {

using analysis::copied_dim;
using ir::rough_count;

/// Tiles pack factors that are computed: columns once for all rows, rows once for the columns of a
/// panel. So only this part of the turns asks.
double share_packed(const Product& product, unsigned operand) {
  constexpr double kPanel = kTiles.small_unit;
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

/// The index dim that a row copies, moved by its offset; -1 where it is another expression.
static int moved_dim(space::AffineRow row) {
  row.offset = 0;
  return copied_dim(row);
}

std::string Evaluations::Place::text() const {
  return shift == Extent(0) ? base : base + "+" + shift.to_string();
}

/// Code for an element at so many indices. The first is emitted somewhere in any case; views and
/// constants are numbers of the code around.
static double code_of(mlir::Operation* op, int indices) {
  constexpr double kFirst = 0.125; // size of code
  bool is_code = !analysis::view_of_operand(op) && ir::facts_of(op).again != ir::Again::free;
  double ops = 1 + static_cast<double>(ir::ops_inside(op));
  return is_code ? (indices - 1 + kFirst) * ops : 0;
}

/// Neighbours for which a choice is made at once.
static constexpr double kVector = kUsualLanes;

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

double Evaluations::turns(const Use& use) const { return std::max(use.chosen, turns(use.places)); }

void Evaluations::add_root(mlir::Operation* op, int64_t step) {
  const space::Signature& signature = signatures_.of(op);
  std::vector<Place> index;
  double around = 1;
  for (const space::IndexDim& dim : signature.dims) {
    int loop = add_loop(dim, around);
    around = turns_[loop];
    index.push_back({"l" + std::to_string(loop), {loop}});
    root_index_[op].push_back(index.back());
  }
  if (!index.empty())
    index.back().step = step;
  ask_operands(op, {op, {}, 1, 1, false, false}, index);
}

void Evaluations::add_inside(mlir::Operation* op) {
  std::vector<Use> uses = uses_.lookup(op);
  for (const auto& [root, count] : uses_by_root(op))
    code_[root] += code_of(op, count);
  for (const Use& use : uses)
    ask_operands(op, use, index_of(op, use));
}

std::vector<std::pair<mlir::Operation*, int>> Evaluations::uses_by_root(mlir::Operation* op) const {
  llvm::MapVector<mlir::Operation*, int> counts;
  for (const Use& use : uses_.lookup(op))
    ++counts[use.root];
  return {counts.begin(), counts.end()};
}

double Evaluations::largest_code(mlir::Operation* op) const {
  double most = 0;
  for (const auto& [root, count] : uses_by_root(op))
    most = std::max(most, code_.lookup(root) + code_of(op, count));
  return most;
}

std::vector<Evaluations::Place> Evaluations::index_of(mlir::Operation* op, const Use& use) {
  const space::Signature& signature = signatures_.of(op);
  std::vector<Place> index(signature.dims.size());
  const auto& rows = analysis::first_result(signature).projection.map.rows;
  for (size_t dim = 0; dim < rows.size() && dim < use.places.size(); ++dim)
    if (int copied = copied_dim(rows[dim]); copied >= 0)
      index[copied] = use.places[dim];
  double around = turns(use);
  for (size_t dim = 0; dim < index.size(); ++dim) {
    if (!index[dim].base.empty())
      continue;
    int loop = add_loop(signature.dims[dim], around);
    around = turns_[loop];
    // One op at one index runs one loop, whoever asks.
    std::string text =
        "(" + std::to_string(reinterpret_cast<uintptr_t>(op)) + "." + std::to_string(dim);
    for (const Place& place : use.places)
      text += " " + place.text();
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
    const space::Operand& operand = signature.operands[number];
    const double inside = analysis::share_inside(signature, number);
    double chosen = inside < 1 ? std::max(own.chosen, turns(index) / kVector) : own.chosen;
    bool shows = is_view && number == 0;
    Use use{own.root,
            {},
            own.share * inside,
            chosen,
            own.is_row_factor && shows,
            own.is_lane_factor && shows};
    use.is_lane_factor |= goes_by_lanes(op);
    if (product) {
      use.share *= share_packed(*product, static_cast<unsigned>(number));
      use.is_row_factor = number == product->rows_of;
    }
    for (size_t dim = 0; dim < operand.shape.size(); ++dim) {
      const space::AffineRow& row = operand.projection.map.rows[dim];
      if (int moved = moved_dim(row); moved >= 0 && !operand.indirect) {
        use.places.push_back(index[moved]);
        use.places.back().shift = index[moved].shift + row.offset;
        continue;
      }
      // Another expression of the index dims, or a place that data at this index decides.
      Place place;
      bool by_data = operand.indirect && space::is_constant(row);
      place.is_by_data = by_data;
      place.base = by_data ? "data" + std::to_string(reinterpret_cast<uintptr_t>(op)) : "";
      for (size_t i = 0; i < index.size(); ++i) {
        int64_t coefficient = by_data ? 1 : row.coefficients[i];
        if (coefficient == 0)
          continue;
        place.base += std::to_string(coefficient) + "*" + index[i].text() + "+";
        place.loops.insert(place.loops.end(), index[i].loops.begin(), index[i].loops.end());
        place.is_by_data |= index[i].is_by_data;
        if (!by_data && row.divisor == 1)
          place.step = std::max(place.step, std::abs(coefficient) * index[i].step);
      }
      place.base += row.offset.to_string() + "/" + std::to_string(row.divisor) + "%" +
                    std::to_string(row.modulus);
      use.places.push_back(std::move(place));
    }
    mlir::Operation* producer = value.getDefiningOp();
    auto& uses = producer ? uses_[producer] : argument_uses_[value];
    auto same = std::find_if(uses.begin(), uses.end(), [&](const Use& other) {
      return other.root == use.root && other.places == use.places;
    });
    if (same == uses.end())
      uses.push_back(std::move(use));
    else
      same->share = std::min(1.0, same->share + use.share),
      same->chosen = std::max(same->chosen, use.chosen);
  }
}

double Evaluations::per_cell(mlir::Operation* op) const {
  auto found = uses_.find(op);
  if (found == uses_.end() || op->getNumResults() == 0)
    return 0;
  double cells = rough_count(ir::shape_of(op->getResult(0))), times = 0;
  for (const Use& use : found->second)
    times += turns(use) * use.share;
  return cells == 0 ? 0 : times / cells;
}

std::vector<Evaluations::Request> Evaluations::requests(mlir::Value value) const {
  mlir::Operation* op = value.getDefiningOp();
  std::vector<Request> requests;
  for (const Use& use : op ? uses_.lookup(op) : argument_uses_.lookup(value)) {
    bool is_run =
        use.places.empty() || (!use.places.back().is_by_data && !use.places.back().loops.empty());
    bool is_spread =
        !is_run && llvm::any_of(use.places, [](const Place& place) { return place.is_by_data; });
    const int64_t step = use.places.empty() ? 1 : use.places.back().step;
    is_spread |= step > kSmallStep;
    requests.push_back({use.root, turns(use) * use.share, step, is_spread});
  }
  return requests;
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

bool Evaluations::is_asked_by_rows(mlir::Operation* op, int64_t most) const {
  std::vector<Use> uses = uses_.lookup(op);
  if (uses.size() < 2 || uses[0].root->getNumResults() != 1)
    return false;
  mlir::Operation* root = uses[0].root;
  Shape shape = ir::shape_of(root->getResult(0));
  if (shape.size() < 2 || shape != ir::shape_of(op->getResult(0)) ||
      shape.back().constant().value_or(most + 1) > most)
    return false;
  std::vector<Place> own = root_index_.lookup(root);
  own.resize(std::min(own.size(), shape.size() - 1));
  return llvm::all_of(uses, [&](const Use& use) {
    return use.root == root &&
           std::equal(own.begin(), own.end(), use.places.begin(), use.places.end() - 1);
  });
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
    std::vector<Place> own = root_index_.lookup(use.root);
    bool is_own =
        use.root->getNumResults() == 1 && ir::shape_of(use.root->getResult(0)) == shape &&
        use.places.size() == static_cast<size_t>(ir::rank_of(use.root->getResult(0))) &&
        std::equal(use.places.begin(), use.places.end(), own.begin(),
                   own.begin() + static_cast<int64_t>(std::min(own.size(), use.places.size())));
    if (!is_own)
      return std::nullopt;
    roots.push_back(use.root);
  }
  return roots;
}

} // namespace kolam::nest
