// Goes through the tree of a product's schedule: units, panels, tiles, parts.
#include "kolam/nest/product_check.h"

#include "kolam/ir/ops.h"
#include "kolam/nest/panels.h"
#include "kolam/nest/product_schedule.h"

#include <set>

namespace kolam::nest {
namespace {

using Nodes = llvm::ArrayRef<ScheduleNode>;

std::string text(int64_t number) { return std::to_string(number); }

class ProductCheck {
public:
  ProductCheck(const Schedule& schedule, const Nest& nest, const Machine& machine)
      : schedule_(schedule), rules_(product_schedule(nest, machine)), nest_(nest),
        machine_(machine), grouped_(nest.products[0].dims.is_grouped),
        unit_(unit_of(nest.products)), lanes_(machine.lanes()),
        shape_(ir::shape_of(nest.root->getResult(0))), known_columns_(shape_.back().constant()) {
    const MatrixDims& dims = nest.products[0].dims;
    int next = 0;
    batch_ = dims.batch.empty() ? -1 : next++;
    rows_ = dims.rows.empty() ? -1 : next++;
    columns_ = next++;
    JoinedDims joined(nest);
    for (const Product& product : nest.products)
      readings_.push_back(product_reading(product, nest, joined, machine));
    most_rows_ = row_count(nest.products[0]).constant();
  }

  std::vector<ScheduleIssue> check() {
    check_dims();
    if (issues_.empty())
      check_whole(schedule_.nodes);
    return std::move(issues_);
  }

private:
  void add(std::string where, std::string reason) {
    issues_.push_back({std::move(where), std::move(reason)});
  }
  void add(const ScheduleLoop& loop, std::string reason) {
    add("loop " + loop.name, std::move(reason));
  }
  std::string name(int op) const { return schedule_.ops[op]; }

  void check_dims() {
    auto summed = static_cast<size_t>(columns_) + 1;
    for (size_t dim = 0; dim < summed; ++dim)
      if (dim >= schedule_.dims.size() || !(schedule_.dims[dim].extent == rules_.dims[dim].extent))
        return add("dims", "expected '" + rules_.dims[dim].name + " " +
                               rules_.dims[dim].extent.to_string() + "' as dim " +
                               text(static_cast<int64_t>(dim)));
    if (schedule_.dims.size() <= summed)
      return;
    bool is_sum = schedule_.dims.size() == summed + 1 && !nest_.packs &&
                  llvm::all_of(nest_.products, [&](const Product& product) {
                    return summed_count(product) == schedule_.dims[summed].extent;
                  });
    if (!is_sum)
      add("dims", "'" + schedule_.dims[summed].name + " " +
                      schedule_.dims[summed].extent.to_string() +
                      "' is no dim of the result, nor what all its products sum");
  }

  template <class What> static const What* as(Nodes nodes, size_t at) {
    return at < nodes.size() ? std::get_if<What>(&nodes[at].what) : nullptr;
  }

  /// All of the nest, or one of two conditions on its rows.
  void check_whole(Nodes nodes) {
    if (as<ScheduleWhen>(nodes, 0) && !grouped_)
      return check_conditions(nodes, [&](Nodes body) { check_units(body); });
    check_units(nodes);
  }

  template <class Check> void check_conditions(Nodes nodes, const Check& check) {
    auto *few = as<ScheduleWhen>(nodes, 0), *many = as<ScheduleWhen>(nodes, 1);
    if (nodes.size() != 2 || !few || !many || few->is_more || !many->is_more ||
        few->most != many->most || few->dim != rows_ || many->dim != rows_)
      return add("when", "rows 'up to' a number and 'over' the same number are two conditions, one "
                         "behind the other");
    auto most = std::exchange(most_rows_, few->most);
    check(nodes[0].body);
    most_rows_ = most;
    check(nodes[1].body);
  }

  /// Parallel loops over the units that the nest's range counts.
  void check_units(Nodes nodes) {
    std::vector<int> dims;
    for (auto* loop = as<ScheduleLoop>(nodes, 0); loop && loop->kind == LoopKind::parallel;
         loop = as<ScheduleLoop>(nodes, 0)) {
      if (nodes.size() != 1)
        return add(*loop, "a parallel loop has no neighbours");
      Extent unit = loop->dim == batch_ ? 1 : loop->dim == rows_ ? unit_.rows : unit_.columns;
      if (!(loop->step == unit))
        return add(*loop, "threads share units of " + unit.to_string() + " elements, not " +
                              loop->step.to_string());
      dims.push_back(loop->dim);
      nodes = nodes[0].body;
    }
    std::vector<int> expected;
    bool has_row_units =
        rows_ >= 0 && !nest_.packs && !(most_rows_ && *most_rows_ <= unit_.rows && !grouped_);
    for (int dim : grouped_ ? std::vector{rows_, columns_} : std::vector{batch_, columns_, rows_})
      if (dim >= 0 && (dim != rows_ || has_row_units || llvm::is_contained(dims, rows_)))
        expected.push_back(dim);
    if (nest_.packs)
      llvm::erase(expected, rows_);
    if (dims != expected) {
      std::string names;
      for (int dim : expected)
        names += (names.empty() ? "'" : ", '") + schedule_.dims[dim].name + "'";
      return add("loops", "threads share units of " + names + ", one inside the other");
    }
    has_row_units_ = llvm::is_contained(dims, rows_);
    if (auto* loop = as<ScheduleLoop>(nodes, 0); loop && loop->kind == LoopKind::runs)
      return check_runs(nodes, *loop);
    if (grouped_)
      return add("loop", "rows with the same columns are a step of a loop over 'runs'");
    check_block(nodes);
  }

  void check_runs(Nodes nodes, const ScheduleLoop& loop) {
    if (!grouped_ || loop.dim != rows_ || nodes.size() != 1)
      return add(loop, "data chooses no columns for these rows");
    auto most = std::exchange(most_rows_, unit_.rows);
    Nodes body = nodes[0].body;
    if (as<ScheduleWhen>(body, 0))
      check_conditions(body, [&](Nodes inside) { check_block(inside); });
    else
      check_block(body);
    most_rows_ = most;
  }

  /// Columns of a thread: by panels, or by groups whose sums go by parts.
  void check_block(Nodes nodes) {
    auto* loop = as<ScheduleLoop>(nodes, 0);
    bool has_stores = loop && llvm::any_of(nodes[0].body, [](const ScheduleNode& node) {
                        return std::holds_alternative<ScheduleStore>(node.what);
                      });
    if (has_stores)
      return check_parts(nodes, *loop);
    check_panels(nodes, [&](Nodes inside, int vectors) { check_panel(inside, vectors); });
  }

  /// Loops over columns, each on with what the one before leaves.
  template <class Check> void check_panels(Nodes nodes, const Check& check) {
    PanelColumns columns(known_columns_, unit_.columns);
    if (nodes.empty())
      return add("y", "is never computed");
    for (size_t at = 0; at < nodes.size(); ++at) {
      auto* loop = as<ScheduleLoop>(nodes, at);
      if (!loop || loop->dim != columns_ || loop->kind != LoopKind::serial)
        return add("y", "panels are loops over '" + schedule_.dims[columns_].name + "'");
      int64_t step = loop->step.constant().value_or(0);
      if (step < 1 || step % lanes_ != 0)
        return add(*loop, "panels have a multiple of " + text(lanes_) + " columns, not " +
                              loop->step.to_string());
      check(nodes[at].body, static_cast<int>(step / lanes_));
      const bool is_last = at + 1 == nodes.size(), is_masked = loop->rest == Rest::mask;
      if ((loop->rest == Rest::next) == is_last)
        return add(*loop, is_last ? "no loop goes on with the columns behind it: 'rest next' is "
                                    "for a loop that another follows"
                                  : "another loop over these columns follows: say 'rest next'");
      if (loop->rest == Rest::peeled || loop->rest == Rest::fewer)
        return add(*loop,
                   "the columns behind it are never computed: say 'rest next' or 'rest mask'");
      auto split = columns.split(step);
      columns = columns.behind(step);
      if (!is_last)
        continue;
      // The mask is that of one vector, the last of a panel.
      bool is_one =
          step == lanes_ && (is_masked || (known_columns_ && *known_columns_ % lanes_ == 0));
      bool holds = split && (split->left == 0 || (is_masked && split->left + lanes_ > step));
      if (!is_one && !holds)
        add(*loop, split ? text(split->whole + split->left) + " columns are left for it: it has " +
                               text(step)
                         : "how many columns are left only the run knows: the last loop goes by " +
                               text(lanes_) + ", 'rest mask'");
    }
  }

  /// Columns that have to be packed, then tiles of rows.
  void check_panel(Nodes nodes, int vectors) {
    std::set<int> packed;
    size_t at = 0;
    for (auto* stage = as<ScheduleStage>(nodes, at); stage && stage->by == Emitter::packing;
         stage = as<ScheduleStage>(nodes, ++at)) {
      packed.insert(stage->op);
      if (!nest_.packs && !stage->with.empty())
        add("stage " + name(stage->op), "packs the columns of its product");
    }
    if (nest_.packs) {
      if (packed != std::set{0} || at != nodes.size())
        add("y", "its columns are packed once");
      return;
    }
    for (auto [product, reading] : llvm::zip(nest_.products, readings_)) {
      bool has = packed.contains(number_of(product.op));
      const bool is_turned = reading.is_turned && vectors == 1;
      if (has == (product.is_packed_before || (!has && (reading.is_direct || is_turned))))
        add("stage " + name(number_of(product.op)),
            has ? "packs columns that are packed before" : "reads columns that are not packed");
    }
    check_tiles(nodes.drop_front(at), vectors, [&](const ScheduleStage& stage) {
      if (stage.op != 0 || stage.by != Emitter::products)
        return add("stage " + name(stage.op), "tiles compute y by products");
      llvm::append_range(issues_, check_with(stage, schedule_, nest_, {}));
    });
  }

  template <class Check> void check_tiles(Nodes nodes, int vectors, const Check& check) {
    auto* loop = as<ScheduleLoop>(nodes, 0);
    int64_t rows = 1;
    if (nodes.size() != 1 || (rows_ >= 0 && (!loop || loop->dim != rows_)))
      return add("y", rows_ >= 0 ? "a panel has one loop over '" + schedule_.dims[rows_].name + "'"
                                 : "a panel has one stage");
    if (rows_ >= 0) {
      rows = loop->step.constant().value_or(0);
      check_rows(*loop, rows);
      nodes = nodes[0].body;
    }
    // All sums, and at a time one vector of the columns and an element of the rows.
    const int registers = sum_registers(nest_);
    if ((rows * vectors + 1) * registers + 1 > machine_.registers())
      add(loop ? "loop " + loop->name : "y", "tiles of " + text(rows) + " rows and " +
                                                 text(vectors) +
                                                 " vectors do not fit the registers");
    auto* stage = as<ScheduleStage>(nodes, 0);
    if (!stage || nodes.size() != 1)
      return add("y", "a tile has one stage");
    if (stage->lanes != lanes_)
      add("stage " + name(stage->op), "tiles have " + text(lanes_) + " lanes");
    check(*stage);
  }

  void check_rows(const ScheduleLoop& loop, int64_t rows) {
    auto known = row_count(nest_.products[0]).constant();
    bool is_known = known && !grouped_;
    if (rows < 1 || loop.kind != LoopKind::serial)
      return add(loop, "tiles have at least one row, one behind the other");
    if (has_row_units_ && unit_.rows % rows != 0 && !(is_known && *known < unit_.rows))
      add(loop, "tiles of " + text(rows) + " rows do not divide a unit of " + text(unit_.rows));
    bool divides = rows == 1 || (is_known && *known % rows == 0);
    if (!divides && loop.rest != Rest::fewer && !(is_known && loop.rest == Rest::peeled))
      add(loop, "rows behind its last whole step of " + text(rows) + " are never computed: say '" +
                    (is_known ? "rest peeled'" : "rest fewer'"));
  }

  /// Sums of a group of columns wait in a tile while what is summed goes by parts.
  void check_parts(Nodes nodes, const ScheduleLoop& loop) {
    int64_t width = loop.step.constant().value_or(0);
    if (nodes.size() != 1 || loop.dim != columns_ || loop.kind != LoopKind::serial || width < 1 ||
        width % unit_.columns != 0)
      return add(loop, "groups of columns are units of " + text(unit_.columns));
    if (!llvm::all_of(readings_, [](const ProductReading& reading) { return reading.is_cut; }))
      return add(loop, "sums go by parts where both factors are read where they lie");
    std::vector<int> stored, available;
    int64_t bytes = 0;
    bool has_root = false;
    for (size_t at = 0; at < nodes[0].body.size(); ++at) {
      const ScheduleNode& node = nodes[0].body[at];
      if (auto* store = std::get_if<ScheduleStore>(&node.what)) {
        bytes += check_store(*store, width);
        stored.push_back(store->op);
        continue;
      }
      auto* inner = std::get_if<ScheduleLoop>(&node.what);
      if (inner && inner->dim > columns_) {
        check_sum(node, stored, available);
        continue;
      }
      has_root = true;
      check_panels(Nodes(nodes[0].body).drop_front(at), [&](Nodes inside, int vectors) {
        check_tiles(inside, vectors,
                    [&](const ScheduleStage& stage) { check_finish(stage, available); });
      });
      break;
    }
    if (!has_root)
      add("y", "is never computed");
    if (bytes > kMostStored)
      add(loop,
          "needs " + text(bytes) + " bytes of working memory, more than " + text(kMostStored));
  }

  int64_t check_store(const ScheduleStore& store, int64_t width) {
    std::string where = "store " + name(store.op);
    const Product* product = product_of(store.op);
    if (!product || store.space != StoreSpace::tile) {
      add(where, "only sums of products are kept, in tiles");
      return 0;
    }
    if (store.count % width != 0 || !most_rows_ || store.count / width < *most_rows_)
      add(where, "has room for " + text(store.count / width) + " rows of " + text(width) +
                     " columns" +
                     (most_rows_ ? ", not for " + text(*most_rows_) : " where more may come"));
    return store.count * byte_width(sum_dtype(*product));
  }

  /// Loops over what is summed: chunks, and parts of them.
  void check_sum(const ScheduleNode& node, const std::vector<int>& stored,
                 std::vector<int>& available) {
    const auto& outer = std::get<ScheduleLoop>(node.what);
    const ScheduleNode* part = &node;
    int op = -1;
    for_each_node(node.body, [&](const ScheduleNode& inner, const auto&) {
      if (auto* stage = std::get_if<ScheduleStage>(&inner.what))
        op = op < 0 || op == stage->op ? stage->op : 0;
    });
    const Product* product = op < 0 ? nullptr : product_of(op);
    if (!product)
      return add(outer, "what is inside is not the sum of one product");
    if (!llvm::is_contained(stored, op))
      add("stage " + name(op), "its sums are stored nowhere around the loops that add to them");
    if (llvm::is_contained(available, op))
      add("stage " + name(op), "is computed twice");
    std::optional<int64_t> length = summed_count(*product).constant();
    if (!is_one_chain(*product)) {
      const int64_t chunk = accumulate_of(*product).chunk;
      if (!(outer.step == Extent(chunk)))
        return add(outer, "splits sums at " + outer.step.to_string() +
                              " products; they are added in chunks of " + text(chunk));
      check_summed(outer, length);
      part = node.body.size() == 1 ? &node.body[0] : nullptr;
      auto* inner = part ? std::get_if<ScheduleLoop>(&part->what) : nullptr;
      if (!inner || inner->dim != outer.dim)
        return add(outer, "a chunk goes by parts: a loop over '" + outer.name + "'");
      length = length && *length % chunk == 0 ? std::optional(chunk) : std::nullopt;
    }
    check_summed(std::get<ScheduleLoop>(part->what), length);
    check_panels(part->body, [&](Nodes inside, int vectors) {
      check_tiles(inside, vectors, [&](const ScheduleStage& stage) {
        if (stage.by != Emitter::products)
          add("stage " + name(op), "parts of sums are added by products");
        llvm::append_range(issues_, check_with(stage, schedule_, nest_, available));
      });
    });
    available.push_back(op);
  }

  void check_summed(const ScheduleLoop& loop, std::optional<int64_t> length) {
    int64_t step = loop.step.constant().value_or(0);
    if (step < 1 || loop.kind != LoopKind::serial)
      return add(loop, "products are added one after the other, at least one at a time");
    if (!(length && *length % step == 0) && loop.rest != Rest::peeled)
      add(loop, "products behind its last whole step of " + text(step) +
                    " are never added: say 'rest peeled'");
  }

  /// What follows from complete sums.
  void check_finish(const ScheduleStage& stage, const std::vector<int>& available) {
    std::string where = "stage " + name(stage.op);
    if (stage.op != 0 || stage.by != Emitter::elements)
      return add(where, "what is computed from sums in a tile is y, by elements");
    for (const Product& product : nest_.products)
      if (!llvm::is_contained(available, number_of(product.op)))
        add(where, "reads " + name(number_of(product.op)) + ", which is not summed before");
    llvm::append_range(issues_, check_with(stage, schedule_, nest_, available));
  }

  int number_of(mlir::Operation* op) const {
    return op == nest_.root
               ? 0
               : static_cast<int>(llvm::find(nest_.fused, op) - nest_.fused.begin()) + 1;
  }
  const Product* product_of(int number) const {
    auto found = llvm::find_if(
        nest_.products, [&](const Product& product) { return number_of(product.op) == number; });
    return found == nest_.products.end() ? nullptr : &*found;
  }

  const Schedule& schedule_;
  const Schedule rules_;
  const Nest& nest_;
  const Machine& machine_;
  const bool grouped_;
  const UnitShape unit_;
  const int lanes_;
  const Shape shape_;
  const std::optional<int64_t> known_columns_;
  int batch_, rows_, columns_; ///< dims of the schedule; the one behind is summed
  std::vector<ProductReading> readings_;
  std::optional<int64_t> most_rows_; ///< of a matrix, as far as conditions say
  bool has_row_units_ = false;
  std::vector<ScheduleIssue> issues_;
};

} // namespace

std::vector<ScheduleIssue> check_product(const Schedule& schedule, const Nest& nest,
                                         const Machine& machine) {
  return ProductCheck(schedule, nest, machine).check();
}

} // namespace kolam::nest
