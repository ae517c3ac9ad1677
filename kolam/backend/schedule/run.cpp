// Follows the tree of a schedule and keeps a shadow of every element: computed, by whom, how often.
#include "kolam/backend/schedule/run.h"

#include "kolam/analysis/access.h"
#include "kolam/interp/interpreter.h"
#include "kolam/ir/ops.h"
#include "kolam/space/region.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace kolam::backend::schedule {
namespace {

using nest::Emitter;
using nest::LoopKind;
using nest::Rest;
using nest::ScheduleAhead;
using nest::ScheduleLoop;
using nest::ScheduleNode;
using nest::ScheduleStage;
using nest::ScheduleStore;
using space::Point;

struct Range {
  int64_t first, last;
  bool is_fixed = false; ///< its length is the same in all steps of the loop around
};

/// What a nest knows before its root: inputs, and the values of its fused ops by their definitions.
interp::Evaluation before_root(const nest::Nest& nest, const std::map<std::string, int64_t>& sizes,
                               std::span<const Array> inputs, const interp::Options& options) {
  interp::Evaluation evaluation(options, sizes);
  for (auto [value, array] : llvm::zip(nest.inputs, inputs))
    evaluation.set(value, array);
  for (mlir::Operation* op : llvm::reverse(nest.fused)) // producers first
    interp::evaluate(op, evaluation);
  return evaluation;
}

/// The results of a nest by the definitions of its ops.
std::vector<Array> define(const nest::Nest& nest, const std::map<std::string, int64_t>& sizes,
                          std::span<const Array> inputs, const interp::Options& options) {
  interp::Evaluation evaluation = before_root(nest, sizes, inputs, options);
  interp::evaluate(nest.root, evaluation);
  std::vector<Array> results;
  mlir::ValueRange all = nest.root->getResults();
  for (mlir::Value result : nest.packs ? all : mlir::ValueRange(nest.outputs))
    results.push_back(evaluation.get(result));
  return results;
}

void require_ops(const nest::Schedule& schedule, const nest::Nest& nest) {
  if (schedule.ops.size() != 1 + nest.fused.size())
    fail(ErrorKind::value, "bad-schedule",
         "expected " + std::to_string(1 + nest.fused.size()) + " ops, but got " +
             std::to_string(schedule.ops.size()));
}

class Runner {
public:
  Runner(const nest::Schedule& schedule, const nest::Nest& nest,
         const std::map<std::string, int64_t>& sizes, std::vector<Array> defined, int threads)
      : schedule_(schedule), nest_(nest), sizes_(sizes), threads_(std::max(threads, 1)),
        defined_(std::move(defined)) {
    ops_.push_back(nest_.root);
    llvm::append_range(ops_, nest_.fused);
    for (mlir::Operation* op : ops_)
      signatures_.push_back(space::instantiate(llvm::cast<ir::SignedOp>(op).signature(), sizes_));
    for (mlir::Operation* op : ops_) {
      Point& shape = shapes_.emplace_back();
      if (op->getNumResults() > 0)
        for (const Extent& extent : ir::shape_of(op->getResult(0)))
          shape.push_back(extent.evaluate(sizes_));
    }
    for (const Array& result : defined_)
      run_.results.push_back(Array::zeros(result.dtype(), result.shape()));
    shape_ = shapes_[0];
    int64_t count = 1;
    for (int64_t extent : shape_)
      count *= extent;
    writers_.assign(count, -1);
  }

  ScheduleRun run() {
    if (nest::root_stage(schedule_)) {
      for (const nest::ScheduleDim& dim : schedule_.dims)
        blocks_.push_back({0, dim.extent.evaluate(sizes_), dim.extent.is_constant()});
      run(schedule_.nodes);
    }
    auto missing = std::count(writers_.begin(), writers_.end(), -1);
    if (missing > 0)
      fault("y: " + std::to_string(missing) + " of " + std::to_string(writers_.size()) +
            " elements are never computed");
    return std::move(run_);
  }

private:
  struct Store {
    int op;
    int64_t count;
    bool is_tile;
    std::set<Point> elements;
    std::map<int64_t, int64_t> sums; ///< of a tile: how many products each element has
  };

  void fault(const std::string& text) {
    constexpr size_t kMost = 8;
    if (run_.faults.size() < kMost && !llvm::is_contained(run_.faults, text))
      run_.faults.push_back(text);
  }

  void run(const std::vector<ScheduleNode>& nodes) {
    size_t stores = stores_.size(), known = known_.size();
    auto left = std::exchange(left_, {});
    for (const ScheduleNode& node : nodes)
      std::visit([&](const auto& what) { run(what, node); }, node.what);
    stores_.resize(stores);
    known_.resize(known);
    left_ = std::move(left);
  }

  void run(const nest::ScheduleWhen& when, const ScheduleNode& node) {
    const Range& block = blocks_[when.dim];
    if ((block.last - block.first > when.most) == when.is_more)
      run(node.body);
  }

  void run(const ScheduleAhead&, const ScheduleNode&) {}

  void run(const nest::ScheduleParts& parts, const ScheduleNode& node) {
    const Range around = blocks_[parts.dim];
    int64_t first = around.first;
    for (size_t part = 0; part <= parts.at.size(); ++part) {
      int64_t last = around.last;
      if (part < parts.at.size())
        last = std::clamp(parts.at[part].evaluate(sizes_), first, around.last);
      blocks_[parts.dim] = {first, last};
      if (first < last)
        run(node.body);
      first = last;
    }
    blocks_[parts.dim] = around;
  }

  /// Where data cut the block changes nothing of what is computed.
  void run(const nest::ScheduleSegments&, const ScheduleNode& node) { run(node.body); }

  void run(const ScheduleStore& store, const ScheduleNode&) {
    stores_.push_back({store.op, store.count, store.space == nest::StoreSpace::tile, {}, {}});
  }

  void run(const ScheduleLoop& loop, const ScheduleNode& node) {
    Range around = blocks_[loop.dim];
    int64_t step = loop.step.evaluate(sizes_);
    if (step == 0 && around.first == around.last)
      return; // units of no elements
    if (step < 1)
      return fault("loop " + loop.name + ": a step of " + std::to_string(step));
    auto with = [&](Range block) {
      blocks_[loop.dim] = block;
      run(node.body);
    };
    if (loop.kind == LoopKind::parallel) {
      // Threads have consecutive units, in any order.
      int64_t units = (around.last - around.first + step - 1) / step;
      int outer = thread_;
      for (int part = threads_ - 1; part >= 0; --part) {
        thread_ = outer * threads_ + part;
        Range block{around.first + units * part / threads_ * step,
                    around.first + units * (part + 1) / threads_ * step};
        if (loop.rest == Rest::mask)
          block.last = std::min(block.last, around.last);
        if (block.first < block.last)
          with(block);
      }
      thread_ = outer;
    } else {
      auto resumed = left_.extract(loop.dim);
      int64_t i = resumed ? resumed.mapped() : around.first;
      bool has_whole_steps =
          loop.rest == Rest::peeled || loop.rest == Rest::next || loop.rest == Rest::fewer;
      int64_t whole = has_whole_steps ? around.last - (around.last - i) % step : around.last;
      // Where a block has no fixed length, what is unrolled goes step by step, the last masked.
      bool is_masked =
          loop.rest == Rest::mask || (loop.kind == LoopKind::unrolled && !around.is_fixed);
      for (int64_t end = i; i < whole; i = end) {
        // Where data chooses what is one step, it may be any number of elements.
        end = loop.kind == LoopKind::runs ? std::min(i + 1 + i % 2, whole) : i + step;
        with({i, is_masked ? std::min(end, around.last) : end, !is_masked});
      }
      if (loop.rest == Rest::peeled && whole < around.last)
        with({whole, around.last});
      if (loop.rest == Rest::next)
        left_[loop.dim] = whole;
      for (int64_t fewer : nest::kFewer)
        for (; loop.rest == Rest::fewer && fewer < step && i + fewer <= around.last; i += fewer)
          with({i, i + fewer});
    }
    blocks_[loop.dim] = around;
  }

  /// The element of the result at coordinates of the schedule's dims; the last counts through the
  /// dims that it joins.
  Point result_index(const Point& at) const {
    Point index(at.begin(), at.end());
    if (index.size() >= shape_.size())
      return index;
    int64_t number = index.empty() ? 0 : index.back();
    size_t first = index.empty() ? 0 : index.size() - 1;
    index.resize(shape_.size());
    for (size_t dim = shape_.size(); dim-- > first;) {
      int64_t extent = dim == first ? INT64_MAX : shape_[dim];
      index[dim] = extent == 0 ? 0 : number % extent;
      number = extent == 0 ? 0 : number / extent;
    }
    return index;
  }

  void run(const ScheduleStage& stage, const ScheduleNode&) {
    if (stage.by == Emitter::whole || !nest_.products.empty())
      return run_blocks(stage);
    Point at;
    for (Range block : blocks_)
      at.push_back(block.first);
    std::vector<int> ops{stage.op};
    llvm::append_range(ops, stage.beside);
    if (stage.by == Emitter::reduction) {
      if (llvm::isa<ir::SegmentReduceOp>(ops_[stage.op]))
        return; // data says of which elements
      Point index = result_index(at);
      index.resize(shapes_[stage.op].size());
      for (int op : ops)
        compute(stage, op, index);
      for (int op : ops)
        known_.push_back({op, index});
      return;
    }
    if (at.empty())
      return compute(stage, stage.op, {});
    // Along the last dim; tiles also along that of the loop around.
    for_rows(stage, at, [&] {
      for (at.back() = blocks_.back().first; at.back() < blocks_.back().last; ++at.back())
        for (int op : ops)
          compute(stage, op, result_index(at));
    });
  }

  template <class F> void for_rows(const ScheduleStage& stage, Point& at, const F& body) {
    if (stage.by != Emitter::tiles && stage.by != Emitter::interleaved)
      return body();
    for (size_t dim = 0; dim + 1 < at.size(); ++dim)
      if (blocks_[dim].last - blocks_[dim].first > 1) {
        for (at[dim] = blocks_[dim].first; at[dim] < blocks_[dim].last; ++at[dim])
          body();
        return;
      }
    body();
  }

  /// Every element of the product of all blocks. Ops with loops of their own count tasks, each of
  /// which has its share of the elements.
  void run_blocks(const ScheduleStage& stage) {
    if (stage.by == Emitter::whole) {
      // Tasks, and blocks of what one of them does, have their share of the elements each.
      auto count = static_cast<int64_t>(writers_.size());
      int64_t inner = blocks_.size() > 1 ? schedule_.dims[1].extent.evaluate(sizes_) : 1;
      int64_t all = schedule_.dims[0].extent.evaluate(sizes_) * inner;
      Range block = blocks_.size() > 1 ? blocks_[1] : Range{0, 1};
      for (int64_t task = blocks_[0].first; task < blocks_[0].last; ++task)
        for (int64_t i = all ? count * (task * inner + block.first) / all : 0;
             i < (all ? count * (task * inner + block.last) / all : count); ++i)
          write(i);
      return;
    }
    const nest::MatrixDims& product = nest_.products[0].dims;
    size_t dims = 1u + !product.batch.empty() + !product.rows.empty();
    if (blocks_.size() != dims && blocks_.size() != dims + 1)
      return fault("y: the nest has no product of matrices over these dims");
    std::vector<int64_t> numbers(dims);
    if (stage.by != Emitter::packing || nest_.packs) // packed columns of a panel are no elements
      run_blocks_from(0, numbers, stage);
  }

  /// Of products: dims of the schedule are dims of the result, in whatever order it joins them.
  void run_blocks_from(size_t dim, std::vector<int64_t>& numbers, const ScheduleStage& stage) {
    if (dim == numbers.size()) {
      const nest::MatrixDims& dims = nest_.products[0].dims;
      Point index(shape_.size());
      size_t next = 0;
      for (const std::vector<int>* joined : {&dims.batch, &dims.rows}) {
        if (joined->empty())
          continue;
        int64_t number = numbers[next++];
        for (size_t i = joined->size(); i-- > 0;) {
          int64_t extent = i == 0 ? INT64_MAX : shape_[(*joined)[i]];
          index[(*joined)[i]] = extent == 0 ? 0 : number % extent;
          number = extent == 0 ? 0 : number / extent;
        }
      }
      index.back() = numbers.back();
      if (std::optional<int64_t> number = number_of(index, shape_))
        run_product(stage, *number);
      else
        fault("y: an element is computed outside its array, at " + space::to_string(index));
      return;
    }
    for (numbers[dim] = blocks_[dim].first; numbers[dim] < blocks_[dim].last; ++numbers[dim])
      run_blocks_from(dim + 1, numbers, stage);
  }

  /// An element of products: all of its sum, a part of it, or what follows from sums in a tile.
  void run_product(const ScheduleStage& stage, int64_t number) {
    bool is_part = false;
    for (Store& store : stores_) {
      if (!store.is_tile)
        continue;
      if (stage.by == Emitter::products && store.op == stage.op) {
        is_part = true;
        add_part(store, number);
      } else if (stage.by == Emitter::elements && store.sums[number] != count_of(store.op)) {
        fault("y: element " + std::to_string(number) + " is stored when " +
              std::to_string(store.sums[number]) + " of " + std::to_string(count_of(store.op)) +
              " products of " + schedule_.ops[store.op] + " are summed");
      }
    }
    if (!is_part && stage.op == 0)
      write(number);
  }

  int64_t count_of(int op) const { return nest::summed_count(product_of(op)).evaluate(sizes_); }
  const nest::Product& product_of(int op) const {
    auto found = llvm::find_if(
        nest_.products, [&](const nest::Product& product) { return product.op == ops_[op]; });
    return found == nest_.products.end() ? nest_.products[0] : *found;
  }

  /// Products are summed one after the other, by chunks from their first to their last.
  void add_part(Store& store, int64_t number) {
    const Range& part = blocks_.back();
    const nest::Product& product = product_of(store.op);
    int64_t& summed = store.sums[number];
    if (summed != part.first)
      fault(schedule_.ops[store.op] + ": the products from " + std::to_string(part.first) +
            " on are summed after " + std::to_string(summed) + " of them");
    const int64_t chunk = nest::accumulate_of(product).chunk;
    if (!nest::is_one_chain(product) && part.first / chunk != (part.last - 1) / chunk)
      fault(schedule_.ops[store.op] + ": products " + std::to_string(part.first) + " to " +
            std::to_string(part.last) + " cross the end of a chunk of " + std::to_string(chunk));
    summed = part.last;
    if (static_cast<int64_t>(store.sums.size()) > store.count)
      fault("store " + schedule_.ops[store.op] + ": more than " + std::to_string(store.count) +
            " elements are kept");
  }

  static std::optional<int64_t> number_of(const Point& index, const Point& shape) {
    if (index.size() != shape.size())
      return std::nullopt;
    int64_t number = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (index[dim] < 0 || index[dim] >= shape[dim])
        return std::nullopt;
      number = number * shape[dim] + index[dim];
    }
    return number;
  }

  /// A stage computes an element of its op, with those that it reads.
  void compute(const ScheduleStage& stage, int op, const Point& index) {
    reached_.clear();
    std::optional<int64_t> number = number_of(index, shapes_[op]);
    if (!number)
      return fault(schedule_.ops[op] + ": an element is computed outside its array, at " +
                   space::to_string(index));
    bool is_ready = op == 0 && is_known(op, index); // a root that is a reduction of its own
    if (!is_ready)
      evaluate(stage, op, index);
    if (stage.by == Emitter::columns || stage.by == Emitter::squares || stage.by == Emitter::rows)
      keep(stage, op, index);
    else if (op == 0)
      write(*number);
  }

  /// Keeps an element of a stage's op, and on the way those of ops whose rows are stored.
  void keep(const ScheduleStage& stage, int op, const Point& index) {
    for (Store& store : stores_)
      if (store.op == op) {
        store.elements.insert(index);
        if (static_cast<int64_t>(store.elements.size()) > store.count)
          fault("store " + schedule_.ops[op] + ": more than " + std::to_string(store.count) +
                " elements are kept");
      }
  }

  bool is_known(int op, const Point& index) const {
    for (const Store& store : stores_)
      if (store.op == op && store.elements.contains(index))
        return true;
    return llvm::is_contained(known_, std::pair(op, index));
  }

  /// The element and all that it reads; each once for an element of the stage.
  void evaluate(const ScheduleStage& stage, int op, const Point& index) {
    if (!reached_.insert({op, index}).second)
      return;
    ++run_.evaluations[schedule_.ops[op]];
    const space::Signature& signature = signatures_[op];
    mlir::Operation* reader = ops_[op];
    for (unsigned number = 0; number < reader->getNumOperands(); ++number) {
      auto producer = llvm::find(ops_, reader->getOperand(number).getDefiningOp());
      if (producer == ops_.end())
        continue; // in memory
      auto read = static_cast<int>(producer - ops_.begin());
      const space::Operand& operand = signature.operands[number];
      for_read(signature, operand, index, [&](const Point& at) {
        if (!number_of(at, shapes_[read]) || is_known(read, at))
          return; // outside, by the operand's policy, or there
        bool is_kept = llvm::any_of(stores_, [&](const Store& s) { return s.op == read; });
        if (is_kept && stage.by == Emitter::reduction) {
          evaluate(stage, read, at);
          keep(stage, read, at);
        } else if (llvm::is_contained(stage.with, read)) {
          evaluate(stage, read, at);
        } else {
          fault(schedule_.ops[op] + ": reads " + schedule_.ops[read] + " at " +
                space::to_string(at) + ", which is not computed");
        }
      });
    }
  }

  /// Every element of an operand that the points reach which own an element of the result. What
  /// data decides is not followed.
  template <class F>
  void for_read(const space::Signature& signature, const space::Operand& operand,
                const Point& index, const F& body) {
    if (operand.indirect)
      return;
    std::vector<Range> points;
    for (const space::IndexDim& dim : signature.dims)
      points.push_back({0, *dim.extent.constant(), true});
    const auto& rows = analysis::first_result(signature).projection.map.rows;
    for (size_t dim = 0; dim < rows.size() && dim < index.size(); ++dim)
      for (size_t i = 0; i < rows[dim].coefficients.size(); ++i)
        if (rows[dim].coefficients[i] == 1 && space::is_affine(rows[dim]))
          points[i] = {index[dim] - *rows[dim].offset.constant(),
                       index[dim] - *rows[dim].offset.constant() + 1, true};
    Point point(points.size());
    for_points(points, point, 0,
               [&] { space::for_each_point(space::region(operand.projection, point), body); });
  }
  template <class F>
  static void for_points(const std::vector<Range>& points, Point& point, size_t dim,
                         const F& body) {
    if (dim == points.size())
      return body();
    for (point[dim] = points[dim].first; point[dim] < points[dim].last; ++point[dim])
      for_points(points, point, dim + 1, body);
  }

  void write(int64_t number) {
    if (writers_[number] == thread_)
      fault("y: element " + std::to_string(number) + " is computed twice");
    else if (writers_[number] >= 0)
      fault("y: element " + std::to_string(number) + " is computed by two threads");
    writers_[number] = thread_;
    const auto elements = static_cast<int64_t>(writers_.size());
    for (auto [to, from] : llvm::zip(run_.results, defined_)) {
      int64_t width = byte_width(to.dtype());
      for (int64_t i = number; i < to.size(); i += elements) // of a scan what each step stacks
        std::memcpy(static_cast<std::byte*>(to.mutable_data()) + i * width,
                    static_cast<const std::byte*>(from.data()) + i * width, width);
    }
  }

  const nest::Schedule& schedule_;
  const nest::Nest& nest_;
  const std::map<std::string, int64_t>& sizes_;
  const int threads_;
  std::vector<Array> defined_;        ///< the results, where they are known
  std::vector<mlir::Operation*> ops_; ///< as in Schedule::ops
  std::vector<space::Signature> signatures_;
  ScheduleRun run_;
  std::vector<Point> shapes_; ///< of the results of each op
  Point shape_;               ///< of the results
  std::vector<int> writers_;  ///< by element: the thread; -1: nobody
  std::vector<Range> blocks_; ///< by dim of the schedule
  std::vector<Store> stores_;
  std::map<int, int64_t> left_; ///< by dim: where a loop has left elements for the next
  std::vector<std::pair<int, Point>> known_; ///< single elements of stages around
  std::set<std::pair<int, Point>> reached_;  ///< for the element at hand
  int thread_ = 0;
};

} // namespace

ScheduleRun run_schedule(const nest::Schedule& schedule, const nest::Nest& nest,
                         const std::map<std::string, int64_t>& sizes, std::span<const Array> inputs,
                         int threads, const interp::Options& options) {
  require_ops(schedule, nest);
  return Runner(schedule, nest, sizes, define(nest, sizes, inputs, options), threads).run();
}

std::optional<int64_t> first_failure(const nest::Nest& nest,
                                     const std::map<std::string, int64_t>& sizes,
                                     std::span<const Array> inputs,
                                     const interp::Options& options) {
  interp::Evaluation evaluation = before_root(nest, sizes, inputs, options);
  Array condition = evaluation.get(llvm::cast<ir::CheckOp>(nest.root).getCondition());
  auto holds = condition.values<bool>();
  auto failed = std::find(holds.begin(), holds.end(), false);
  return failed == holds.end() ? std::nullopt : std::optional<int64_t>(failed - holds.begin());
}

ScheduleRun run_schedule(const nest::Schedule& schedule, const nest::Nest& nest,
                         const std::map<std::string, int64_t>& sizes, int threads) {
  require_ops(schedule, nest);
  return Runner(schedule, nest, sizes, {}, threads).run();
}

} // namespace kolam::backend::schedule
