// Prices grids, and chooses them.
#include "kolam/planner/choose.h"

#include "kolam/analysis/data_dim/pairwise.h"
#include "kolam/ir/signed_op.h"
#include "kolam/ir/types.h"
#include "kolam/space/region.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

namespace kolam::planner {
namespace {

using mlir::Value;
using space::Box;

/// Bound of the choice: of grids beyond these the dearest go.
constexpr size_t kMostGrids = 48;
/// Assumed: of so many workers the busiest is as busy as the busiest of all.
constexpr int64_t kWorkersLookedAt = 8;
/// Text of a number: costs are counted in picoseconds.
constexpr double kPicoseconds = 1e12;

/// What workers that are looked at do under a grid.
struct Seen {
  Grid grid;
  std::vector<std::vector<Box>> indices; ///< by worker looked at: its pieces
  double cost = 0;
  size_t number = 0; ///< among the stage's, so that equal costs are decided alike each time
};

double bytes_in(Value value, const Box& box) {
  return static_cast<double>(space::size(box)) * byte_width(ir::dtype_of(value));
}

/// In how many parts each element's sum is made.
int64_t parts_of_sums(const Stage& stage, const Grid& grid) {
  if (stage.summed_dim < 0)
    return 1;
  return grid.counts.empty() ? grid.runs : grid.counts[static_cast<size_t>(stage.summed_dim)];
}

class Chooser {
public:
  Chooser(const std::vector<Stage>& stages, transform::Cuts& parts, const plans::Machine& machine,
          int64_t rounds, Allow allow, const Weights& weights)
      : stages_(stages), parts_(parts), machine_(machine), rounds_(rounds), allow_(allow),
        weights_(weights) {
    std::set<int64_t> looked;
    for (int64_t number = 0; number < kWorkersLookedAt; ++number)
      looked.insert(number * (machine.workers - 1) / (kWorkersLookedAt - 1));
    looked.insert(std::min<int64_t>(1, machine.workers - 1));
    workers_.assign(looked.begin(), looked.end());
  }

  Chosen choose() {
    for (const Stage& stage : stages_)
      seen_.push_back(grids_seen(stage));
    analysis::PairwiseProblem problem;
    for (const std::vector<Seen>& own : seen_) {
      problem.nodes.emplace_back();
      for (const Seen& seen : own)
        problem.nodes.back().push_back(as_integer(seen.cost));
    }
    for (size_t reader = 0; reader < stages_.size(); ++reader)
      for (size_t read = 0; read < stages_[reader].reads.size(); ++read)
        add_edge(problem, reader, read);
    const analysis::PairwiseSolution solution = analysis::solve(problem);
    KOLAM_CHECK(solution.is_possible);
    Chosen chosen;
    for (size_t stage = 0; stage < stages_.size(); ++stage)
      chosen.grids.push_back(seen_[stage][static_cast<size_t>(solution.labels[stage])].grid);
    chosen.total = static_cast<double>(solution.total) / kPicoseconds;
    return chosen;
  }

private:
  static int64_t as_integer(double seconds) {
    return static_cast<int64_t>(std::min(seconds * kPicoseconds, 1e15));
  }

  const plans::Level& slowest() const { return machine_.levels.back(); }
  /// Seconds, and whatever else counts, of bytes that come to a worker.
  double price_of_bytes(double bytes) const {
    if (bytes <= 0)
      return 0;
    double price = weights_.bytes * bytes;
    price += weights_.time * (slowest().latency + bytes / slowest().bandwidth);
    return price;
  }

  std::vector<Seen> grids_seen(const Stage& stage) {
    std::vector<Seen> all;
    for (Grid& grid :
         grids_of(stage, parts_.cut_dims(stage.root), machine_.workers, rounds_, allow_)) {
      const StageCut cut = cut_by(stage, grid, parts_);
      if (!cut.pieces.empty())
        all.push_back(look_at(stage, std::move(grid), cut, all.size()));
    }
    std::ranges::sort(all, [](const Seen& x, const Seen& y) {
      return std::pair(x.cost, x.number) < std::pair(y.cost, y.number);
    });
    if (all.size() > kMostGrids)
      all.resize(kMostGrids);
    return all;
  }

  Seen look_at(const Stage& stage, Grid grid, const StageCut& cut, size_t number) {
    Seen seen{.grid = std::move(grid), .indices = {}, .number = number};
    for (int64_t worker : workers_) {
      seen.indices.emplace_back();
      for (const Placed& piece : cut.pieces)
        if (piece.worker == worker)
          seen.indices.back().push_back(piece.index);
    }
    double slowest = 0, most_bytes = 0, most_memory = 0;
    for (const std::vector<Box>& pieces : seen.indices) {
      double time = 0, bytes = 0;
      for (const Box& index : pieces) {
        time += time_of(stage, index);
        bytes += bytes_of_arguments(stage, index);
      }
      const double memory = bytes_held(stage, pieces);
      slowest = std::max(slowest, time);
      most_bytes = std::max(most_bytes, bytes);
      most_memory = std::max(most_memory, memory);
    }
    seen.cost = weights_.time * slowest + price_of_bytes(most_bytes) +
                price_of_bytes(bytes_of_merges(stage, seen)) + weights_.memory * most_memory;
    return seen;
  }

  double time_of(const Stage& stage, const Box& index) {
    const double flops = parts_.flops(stage.root, index);
    const double memory_time =
        machine_.memory_bandwidth > 0 ? bytes_touched(stage, index) / machine_.memory_bandwidth : 0;
    return machine_.task_overhead + std::max(flops / machine_.flops, memory_time);
  }

  /// What a worker holds for its pieces, one after the other: a box that comes again later stays.
  double bytes_held(const Stage& stage, const std::vector<Box>& pieces) const {
    double bytes = 0;
    for (size_t read = 0; read < stage.reads.size(); ++read) {
      std::set<std::pair<space::Point, space::Point>> seen;
      double all = 0, most = 0;
      bool comes_again = false;
      std::optional<Box> before;
      for (const Box& index : pieces) {
        const Box box = read_box(stage, read, index);
        if (before == box)
          continue;
        before = box;
        const double own = bytes_in(stage.reads[read], box);
        most = std::max(most, own);
        if (seen.emplace(box.start(), box.end()).second)
          all += own;
        else
          comes_again = true;
      }
      bytes += comes_again ? all : most;
    }
    double written = 0;
    for (const Box& index : pieces)
      written = std::max(written, bytes_written(stage, index));
    return bytes + written;
  }

  double bytes_written(const Stage& stage, const Box& index) const {
    double bytes = 0;
    for (size_t number = stage.reads.size(); number < stage.signature.operands.size(); ++number)
      bytes += bytes_in(stage.writes[number - stage.reads.size()],
                        space::region(stage.signature.operands[number].projection, index));
    return bytes;
  }

  /// What a piece reads and writes.
  double bytes_touched(const Stage& stage, const Box& index) const {
    double bytes = 0;
    for (size_t read = 0; read < stage.reads.size(); ++read) {
      const Box box = read_box(stage, read, index);
      bytes += bytes_in(stage.reads[read], box);
      if (!stage.reads[read].getDefiningOp())
        bytes += put_together(stage.reads[read], stage.signature.operands[read], box);
    }
    const auto given = stage.root->getBlock()->getTerminator()->getOperands();
    for (size_t number = stage.reads.size(); number < stage.signature.operands.size(); ++number) {
      const space::Operand& operand = stage.signature.operands[number];
      const Value result = stage.writes[number - stage.reads.size()];
      const Box box = space::region(operand.projection, index);
      bytes += bytes_in(result, box);
      if (llvm::is_contained(given, result))
        bytes += put_together(result, operand, box);
    }
    return bytes;
  }

  /// Arguments lie in one array, and so do results.
  static double put_together(Value value, const space::Operand& operand, const Box& box) {
    return bytes_put_together(space::shape(space::tensor_box(operand)), ir::dtype_of(value), box);
  }

  Box read_box(const Stage& stage, size_t read, const Box& index) const {
    const space::Operand& operand = stage.signature.operands[read];
    return space::intersect(space::region(operand.projection, index), space::tensor_box(operand));
  }

  /// Arguments are spread evenly among the workers.
  double bytes_of_arguments(const Stage& stage, const Box& index) {
    double bytes = 0;
    for (size_t read = 0; read < stage.reads.size(); ++read) {
      if (stage.reads[read].getDefiningOp())
        continue;
      const double whole =
          bytes_in(stage.reads[read], space::tensor_box(stage.signature.operands[read]));
      bytes += std::max(0.0, bytes_in(stage.reads[read], read_box(stage, read, index)) -
                                 whole / static_cast<double>(machine_.workers));
    }
    return bytes;
  }

  /// Each of n workers that hold parts of the same sums gets n - 1 slices of an n-th.
  double bytes_of_merges(const Stage& stage, const Seen& seen) {
    const int64_t parts = parts_of_sums(stage, seen.grid);
    if (parts <= 1 || seen.indices[0].empty())
      return 0;
    const double width = byte_width(transform::partial_dtype(stage.root));
    const Box block =
        space::region(stage.signature.operands[stage.reads.size()].projection, seen.indices[0][0]);
    return static_cast<double>(space::size(block)) * width * static_cast<double>(parts - 1) /
           static_cast<double>(parts);
  }

  void add_edge(analysis::PairwiseProblem& problem, size_t reader, size_t read) {
    const Value value = stages_[reader].reads[read];
    if (!value.getDefiningOp())
      return;
    size_t writer = 0;
    while (stages_[writer].root != value.getDefiningOp())
      ++writer;
    const auto result = static_cast<size_t>(llvm::find(stages_[writer].writes, value) -
                                            stages_[writer].writes.begin());
    const space::Projection& written =
        stages_[writer].signature.operands[stages_[writer].reads.size() + result].projection;
    std::vector<std::vector<std::vector<Box>>> made; // by grid, worker, piece
    for (const Seen& seen : seen_[writer]) {
      made.emplace_back();
      for (const std::vector<Box>& pieces : seen.indices) {
        made.back().emplace_back();
        for (const Box& index : pieces)
          made.back().back().push_back(space::region(written, index));
      }
    }
    analysis::PairwiseProblem::Edge edge{
        .first = static_cast<int>(writer), .second = static_cast<int>(reader), .costs = {}};
    std::vector<std::vector<std::vector<Box>>> wanted;
    for (const Seen& seen : seen_[reader]) {
      wanted.emplace_back();
      for (const std::vector<Box>& pieces : seen.indices) {
        wanted.back().emplace_back();
        for (const Box& index : pieces)
          wanted.back().back().push_back(read_box(stages_[reader], read, index));
      }
    }
    for (size_t from = 0; from < made.size(); ++from) {
      // Merged slices lie with all who hold parts of the sums.
      const int64_t parts = parts_of_sums(stages_[writer], seen_[writer][from].grid);
      for (const auto& by_worker : wanted)
        edge.costs.push_back(as_integer(
            price_of_bytes(most_bytes(value, made[from], by_worker, static_cast<double>(parts)))));
    }
    problem.edges.push_back(std::move(edge));
  }

  double most_bytes(Value value, const std::vector<std::vector<Box>>& made,
                    const std::vector<std::vector<Box>>& wanted, double parts) {
    double most = 0;
    for (size_t worker = 0; worker < wanted.size(); ++worker) {
      double bytes = 0;
      for (const Box& box : wanted[worker]) {
        double own = 0;
        for (const Box& block : made[worker])
          own += bytes_in(value, space::intersect(block, box));
        bytes += std::max(0.0, bytes_in(value, box) - own / parts);
      }
      most = std::max(most, bytes);
    }
    return most;
  }

  const std::vector<Stage>& stages_;
  transform::Cuts& parts_;
  const plans::Machine& machine_;
  int64_t rounds_;
  Allow allow_;
  Weights weights_;
  std::vector<int64_t> workers_; ///< that are looked at
  std::vector<std::vector<Seen>> seen_;
};

} // namespace

Chosen choose_grids(const std::vector<Stage>& stages, transform::Cuts& parts,
                    const plans::Machine& machine, int64_t rounds, Allow allow,
                    const Weights& weights) {
  return Chooser(stages, parts, machine, rounds, allow, weights).choose();
}

} // namespace kolam::planner
