// Prices grids, and chooses them.
#include "kolam/planner/choose.h"

#include "kolam/analysis/data_dim/pairwise.h"
#include "kolam/ir/types.h"
#include "kolam/space/region.h"

#include <algorithm>
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

/// What workers that are looked at do under a grid, whatever counts.
struct Seen {
  Grid grid;
  std::vector<std::vector<Box>> indices; ///< by worker looked at: its pieces
  /// Of the worker that has most: seconds, bytes of arguments and of merges that come in, bytes
  /// held.
  double time = 0, bytes = 0, merged = 0, memory = 0;
};

/// The boxes of a tensor that workers write or read, by grid, worker and piece.
using BoxesByGrid = std::vector<std::vector<std::vector<Box>>>;

/// A value that a stage makes and another one reads.
struct Edge {
  size_t writer, reader;
  Value value;
  BoxesByGrid made, wanted;
  std::vector<double> bytes; ///< of the worker that receives most, by both grids; -1: not known yet
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
          int64_t rounds, Allow allow)
      : stages_(stages), parts_(parts), machine_(machine), rounds_(rounds), allow_(allow) {
    std::set<int64_t> looked;
    for (int64_t number = 0; number < kWorkersLookedAt; ++number)
      looked.insert(number * (machine.workers - 1) / (kWorkersLookedAt - 1));
    looked.insert(std::min<int64_t>(1, machine.workers - 1));
    workers_.assign(looked.begin(), looked.end());
  }

  std::vector<Chosen> choose(std::span<const Weights> all) {
    std::vector<Kept> kept(all.size());
    for (const Stage& stage : stages_) {
      seen_.push_back(grids_seen(stage));
      for (size_t number = 0; number < all.size(); ++number)
        kept[number].push_back(least_of(seen_.back(), all[number]));
      keep_only(kept);
    }
    for (size_t reader = 0; reader < stages_.size(); ++reader)
      for (size_t read = 0; read < stages_[reader].reads.size(); ++read)
        add_edge(reader, read);
    std::vector<Chosen> chosen;
    for (size_t number = 0; number < all.size(); ++number)
      chosen.push_back(choose(kept[number], all[number]));
    return chosen;
  }

private:
  /// By stage: numbers of the grids that are chosen from.
  using Kept = std::vector<std::vector<size_t>>;

  Chosen choose(const Kept& kept, const Weights& weights) {
    analysis::PairwiseProblem problem;
    for (size_t stage = 0; stage < stages_.size(); ++stage) {
      problem.nodes.emplace_back();
      for (size_t number : kept[stage])
        problem.nodes.back().push_back(as_integer(cost_of(seen_[stage][number], weights)));
    }
    for (Edge& edge : edges_) {
      problem.edges.push_back({.first = static_cast<int>(edge.writer),
                               .second = static_cast<int>(edge.reader),
                               .costs = {}});
      for (size_t from : kept[edge.writer])
        for (size_t to : kept[edge.reader])
          problem.edges.back().costs.push_back(
              as_integer(price_of_bytes(bytes_along(edge, from, to), weights)));
    }
    const analysis::PairwiseSolution solution = analysis::solve(problem);
    KOLAM_CHECK(solution.is_possible);
    Chosen chosen;
    for (size_t stage = 0; stage < stages_.size(); ++stage)
      chosen.grids.push_back(
          seen_[stage][kept[stage][static_cast<size_t>(solution.labels[stage])]].grid);
    chosen.total = static_cast<double>(solution.total) / kPicoseconds;
    return chosen;
  }

  static int64_t as_integer(double seconds) {
    return static_cast<int64_t>(std::min(seconds * kPicoseconds, 1e15));
  }

  const plans::Level& slowest() const { return machine_.levels.back(); }
  /// Seconds, and whatever else counts, of bytes that come to a worker.
  double price_of_bytes(double bytes, const Weights& weights) const {
    if (bytes <= 0)
      return 0;
    double price = weights.bytes * bytes;
    price += weights.time * (slowest().latency + bytes / slowest().bandwidth);
    return price;
  }
  double cost_of(const Seen& seen, const Weights& weights) const {
    return weights.time * seen.time + price_of_bytes(seen.bytes, weights) +
           price_of_bytes(seen.merged, weights) + weights.memory * seen.memory;
  }

  /// The cheapest grids, of equal ones the first.
  std::vector<size_t> least_of(const std::vector<Seen>& all, const Weights& weights) const {
    std::vector<std::pair<double, size_t>> costs;
    for (size_t number = 0; number < all.size(); ++number)
      costs.emplace_back(cost_of(all[number], weights), number);
    std::ranges::sort(costs);
    costs.resize(std::min(costs.size(), kMostGrids));
    std::vector<size_t> numbers;
    for (const auto& [cost, number] : costs)
      numbers.push_back(number);
    return numbers;
  }

  /// Of the last stage's grids leaves those that are chosen from for some weights.
  void keep_only(std::vector<Kept>& kept) {
    std::vector<Seen> left;
    std::vector<size_t> numbers(seen_.back().size()); // of those that are left
    for (size_t number = 0; number < numbers.size(); ++number)
      if (llvm::any_of(kept,
                       [&](const Kept& own) { return llvm::is_contained(own.back(), number); })) {
        numbers[number] = left.size();
        left.push_back(std::move(seen_.back()[number]));
      }
    seen_.back() = std::move(left);
    for (Kept& own : kept)
      for (size_t& number : own.back())
        number = numbers[number];
  }

  std::vector<Seen> grids_seen(const Stage& stage) {
    std::vector<Seen> all;
    for (Grid& grid :
         grids_of(stage, parts_.cut_dims(stage.root), machine_.workers, rounds_, allow_)) {
      const StageCut cut = cut_by(stage, grid, parts_);
      if (!cut.pieces.empty())
        all.push_back(look_at(stage, std::move(grid), cut));
    }
    return all;
  }

  Seen look_at(const Stage& stage, Grid grid, const StageCut& cut) {
    Seen seen{.grid = std::move(grid), .indices = {}};
    for (int64_t worker : workers_) {
      seen.indices.emplace_back();
      for (const Placed& piece : cut.pieces)
        if (piece.worker == worker)
          seen.indices.back().push_back(piece.index);
    }
    for (const std::vector<Box>& pieces : seen.indices) {
      std::vector<std::vector<Box>> reads; // by piece
      double time = 0, bytes = 0;
      for (const Box& index : pieces) {
        reads.push_back(boxes_read(stage, index));
        time += time_of(stage, index, reads.back());
        bytes += bytes_of_arguments(stage, reads.back());
      }
      seen.time = std::max(seen.time, time);
      seen.bytes = std::max(seen.bytes, bytes);
      seen.memory = std::max(seen.memory, bytes_held(stage, pieces, reads));
    }
    seen.merged = bytes_of_merges(stage, seen);
    return seen;
  }

  std::vector<Box> boxes_read(const Stage& stage, const Box& index) const {
    std::vector<Box> boxes;
    for (size_t read = 0; read < stage.reads.size(); ++read)
      boxes.push_back(read_box(stage, read, index));
    return boxes;
  }

  double time_of(const Stage& stage, const Box& index, const std::vector<Box>& reads) {
    const double flops = parts_.flops(stage.root, index);
    const double memory_time = machine_.memory_bandwidth > 0
                                   ? bytes_touched(stage, index, reads) / machine_.memory_bandwidth
                                   : 0;
    return machine_.task_overhead + std::max(flops / machine_.flops, memory_time);
  }

  /// What a worker holds for its pieces, one after the other: a box that comes again later stays.
  double bytes_held(const Stage& stage, const std::vector<Box>& pieces,
                    const std::vector<std::vector<Box>>& reads) const {
    double bytes = 0;
    for (size_t read = 0; read < stage.reads.size(); ++read) {
      std::set<std::pair<space::Point, space::Point>> seen;
      double all = 0, most = 0;
      bool comes_again = false;
      for (size_t piece = 0; piece < pieces.size(); ++piece) {
        const Box& box = reads[piece][read];
        if (piece > 0 && reads[piece - 1][read] == box)
          continue;
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
  double bytes_touched(const Stage& stage, const Box& index, const std::vector<Box>& reads) const {
    double bytes = 0;
    for (size_t read = 0; read < stage.reads.size(); ++read) {
      bytes += bytes_in(stage.reads[read], reads[read]);
      if (!stage.reads[read].getDefiningOp())
        bytes += put_together(stage.reads[read], stage.signature.operands[read], reads[read]);
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
  double bytes_of_arguments(const Stage& stage, const std::vector<Box>& reads) const {
    double bytes = 0;
    for (size_t read = 0; read < stage.reads.size(); ++read) {
      if (stage.reads[read].getDefiningOp())
        continue;
      const double whole =
          bytes_in(stage.reads[read], space::tensor_box(stage.signature.operands[read]));
      bytes += std::max(0.0, bytes_in(stage.reads[read], reads[read]) -
                                 whole / static_cast<double>(machine_.workers));
    }
    return bytes;
  }

  /// Each of n workers that hold parts of the same sums gets n - 1 slices of an n-th.
  double bytes_of_merges(const Stage& stage, const Seen& seen) const {
    const int64_t parts = parts_of_sums(stage, seen.grid);
    if (parts <= 1 || seen.indices[0].empty())
      return 0;
    const double width = byte_width(transform::partial_dtype(stage.root));
    const Box block =
        space::region(stage.signature.operands[stage.reads.size()].projection, seen.indices[0][0]);
    return static_cast<double>(space::size(block)) * width * static_cast<double>(parts - 1) /
           static_cast<double>(parts);
  }

  template <class Of> static BoxesByGrid boxes_of(const std::vector<Seen>& all, const Of& box_of) {
    BoxesByGrid boxes;
    for (const Seen& seen : all) {
      boxes.emplace_back();
      for (const std::vector<Box>& pieces : seen.indices) {
        boxes.back().emplace_back();
        for (const Box& index : pieces)
          boxes.back().back().push_back(box_of(index));
      }
    }
    return boxes;
  }

  void add_edge(size_t reader, size_t read) {
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
    edges_.push_back(
        {.writer = writer,
         .reader = reader,
         .value = value,
         .made = boxes_of(seen_[writer],
                          [&](const Box& index) { return space::region(written, index); }),
         .wanted =
             boxes_of(seen_[reader],
                      [&](const Box& index) { return read_box(stages_[reader], read, index); }),
         .bytes = std::vector<double>(seen_[writer].size() * seen_[reader].size(), -1)});
  }

  /// What comes to the worker that receives most. Merged slices lie with all who hold parts of the
  /// sums.
  double bytes_along(Edge& edge, size_t from, size_t to) {
    double& bytes = edge.bytes[from * edge.wanted.size() + to];
    if (bytes < 0) {
      const int64_t parts = parts_of_sums(stages_[edge.writer], seen_[edge.writer][from].grid);
      bytes = most_bytes(edge.value, edge.made[from], edge.wanted[to], static_cast<double>(parts));
    }
    return bytes;
  }

  static double most_bytes(Value value, const std::vector<std::vector<Box>>& made,
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
  std::vector<int64_t> workers_;        ///< that are looked at
  std::vector<std::vector<Seen>> seen_; ///< by stage
  std::vector<Edge> edges_;
};

} // namespace

std::vector<Chosen> choose_grids(const std::vector<Stage>& stages, transform::Cuts& parts,
                                 const plans::Machine& machine, int64_t rounds, Allow allow,
                                 std::span<const Weights> weights) {
  return Chooser(stages, parts, machine, rounds, allow).choose(weights);
}

} // namespace kolam::planner
