// Collects values and tables of a program, and what is constant.
#include "kolam/analysis/data_dim/program.h"

#include "kolam/analysis/data_dim/dim_names.h"
#include "kolam/analysis/data_dim/prices.h"
#include "kolam/analysis/data_dim/same_dims.h"
#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/argument_names.h"
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/location.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>

namespace kolam::analysis {
namespace {

using space::DataDimPlace;
using space::DataDimRow;
using space::DataDimTable;
using space::kAnyDim;
using Kind = DataDimPlace::Kind;

/// Also of the ops in its regions.
bool is_without_effects(mlir::Operation* op) {
  return !op->walk([](ir::SignedOp inner) {
              return ir::facts_of(inner).effect == ir::Effect::none ? mlir::WalkResult::advance()
                                                                    : mlir::WalkResult::interrupt();
            }).wasInterrupted();
}

/// An elementwise op goes by its function, a cumulative one by both.
std::string name_of(mlir::Operation* op) {
  if (auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op))
    return elementwise.getFunction().str();
  if (auto cumulative = llvm::dyn_cast<ir::CumulativeOp>(op))
    return "cumulative " + cumulative.getFunction().str();
  return ir::name_of(op);
}

/// Of an op without names none.
std::vector<std::string> names_of(ir::PinOp pin) {
  std::vector<std::string> names;
  if (pin.getNames())
    for (auto name : pin.getNames()->getAsRange<mlir::StringAttr>())
      names.push_back(name.str());
  return names;
}

std::string type_text(mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    return "list of " + type_text(list.getElement());
  if (auto ref = llvm::dyn_cast<ir::RefType>(type))
    return "ref of " + type_text(ref.getValue());
  return std::string(name(ir::dtype_of(type))) + to_string(ir::shape_of(type));
}

class Collector {
public:
  Collector(mlir::func::FuncOp function, const DataDimAsked& asked)
      : function_(function), asked_(asked), pricer_(asked.prices) {
    problem_.mode = asked.mode;
    problem_.profile = asked.profile.name;
    problem_.costs = asked.prices == DataDimPrices::blocks ? "blocks" : "cpu";
    for (const auto* pins : {&asked.inputs, &asked.outputs})
      for (const std::optional<DataDimPin>& pin : *pins)
        has_names_ |= pin && !pin->names.empty();
  }

  DataDimProblem run() {
    for (mlir::BlockArgument argument : function_.getArguments())
      if (is_constant_argument(argument.getArgNumber()))
        constants_.insert(argument);
    mlir::Region& body = function_.getBody();
    function_.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
      places_.try_emplace(op, static_cast<int>(places_.size()));
      auto pin = llvm::dyn_cast<ir::PinOp>(op);
      has_names_ |= pin && pin.getNames();
    });
    find_constants(body);
    kept_ = find_kept_dims(body, asked_.keeping);
    add_arguments();
    add_region(body, 1);
    add_results();
    if (has_names_)
      name_dims(problem_);
    return std::move(problem_);
  }

private:
  bool is_constant_argument(unsigned number) const {
    return number < asked_.constants.size() && asked_.constants[number];
  }
  bool is_constant(mlir::Value value) const { return constants_.contains(value); }

  // Constants.

  bool has_constant_operands(mlir::Operation* op) const {
    return llvm::all_of(op->getOperands(), [&](mlir::Value value) { return is_constant(value); });
  }

  void find_constants(mlir::Region& region) {
    for (mlir::Operation& op : region.getOps()) {
      if (!llvm::isa<ir::SignedOp>(op))
        continue;
      if (has_constant_operands(&op) && is_without_effects(&op)) {
        constants_.insert(op.result_begin(), op.result_end());
        constant_ops_.insert(&op);
        op.walk([&](ir::PinOp pin) {
          problem_.pinned_constant = ir::to_source_location(pin.getLoc());
        });
        continue;
      }
      if (!has_programs(&op))
        continue;
      mark_constant_arguments(&op);
      for (mlir::Region& inner : op.getRegions())
        find_constants(inner);
    }
  }

  /// Captures and slices of constants; states change from turn to turn.
  void mark_constant_arguments(mlir::Operation* op) {
    for (const DataDimTable& table : tables_of(op)) {
      bool carries = false, all = true;
      for (const DataDimPlace& place : table.places) {
        carries |= place.kind == Kind::yield || place.kind == Kind::result;
        all &= place.kind != Kind::operand || is_constant(ir::value_at(op, place));
      }
      if (carries || !all)
        continue;
      for (const DataDimPlace& place : table.places)
        if (place.kind == Kind::argument)
          constants_.insert(ir::value_at(op, place));
    }
  }

  std::vector<DataDimTable> tables_of(mlir::Operation* op) const {
    space::DataDimQuestion question{asked_.profile, asked_.allow_dynamic_weights, {}};
    for (mlir::Value operand : op->getOperands())
      question.constants.push_back(is_constant(operand));
    auto signed_op = llvm::cast<ir::SignedOp>(op);
    std::vector<DataDimTable> tables = signed_op.data_dim_rows(question);
    if (asked_.mode == LayoutMode::strict)
      return tables;
    // Nothing is refused: what the rules forbid altogether follows those that allow the most.
    question.profile = *space::find_data_dim_profile("relaxed");
    question.allow_dynamic_weights = true;
    for (auto [table, wider] : llvm::zip(tables, signed_op.data_dim_rows(question)))
      if (table.rows.empty())
        table = wider;
    return tables;
  }

  // Values.

  /// The number of a value that takes part; -1 for others.
  int number_of_value(mlir::Value value) {
    auto found = numbers_.find(value);
    if (found != numbers_.end())
      return found->second;
    int number = -1;
    Shape shape = ir::data_shape(value);
    const KeptDims* kept = kept_of(value);
    if (!is_constant(value) && (!shape.empty() || kept)) {
      number = static_cast<int>(problem_.values.size());
      problem_.values.push_back(make_value(value, shape, kept));
    }
    numbers_[value] = number;
    return number;
  }

  const KeptDims* kept_of(mlir::Value value) const {
    auto found = kept_.find(value);
    return found == kept_.end() ? nullptr : &found->second;
  }

  DataDimValue make_value(mlir::Value value, const Shape& shape, const KeptDims* kept) const {
    double turns = turns_;
    if (auto list = llvm::dyn_cast<ir::ListType>(value.getType()))
      turns *= std::pow(kUnknownTurns, static_cast<double>(list.depth()));
    DataDimValue made;
    made.type = type_text(value.getType());
    made.shape = shape;
    made.where = ir::to_source_location(value.getLoc());
    made.turns = turns;
    made.may_move = asked_.mode == LayoutMode::repair;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      made.dims.push_back(static_cast<int>(dim));
    if (shape.empty())
      made.dims.push_back(kAnyDim);
    if (kept)
      made.dims.insert(made.dims.end(), kept->begin(), kept->end());
    for (int from : made.dims)
      for (int to : made.dims)
        made.relayouts.push_back(from == to ? 0
                                 : from < 0 || to < 0 || is_kept(from) || is_kept(to)
                                     ? kForbidden
                                     : pricer_.relayout(value.getType(), from, to, turns));
    return made;
  }

  // Ops.

  void add_region(mlir::Region& region, double turns) {
    for (mlir::Operation& op : region.getOps())
      add_op(&op, turns);
  }

  void add_op(mlir::Operation* op, double turns) {
    if (constant_ops_.contains(op) || !llvm::isa<ir::SignedOp>(op) ||
        ir::facts_of(op).runs == ir::Runs::ends)
      return;
    turns_ = turns;
    std::vector<DataDimTable> tables = tables_of(op);
    if (!has_programs(op)) {
      for (DataDimTable& table : tables)
        add_table(op, with_kept_dims(op, std::move(table)), turns);
      return;
    }
    // What goes in, the bodies, what comes out: values are numbered in program order.
    llvm::SmallDenseSet<int> regions;
    std::vector<const DataDimTable*> behind;
    const double inside = turns * turns_of(op);
    for (const DataDimTable& table : tables) {
      bool comes_out = false;
      for (const DataDimPlace& place : table.places) {
        comes_out |= place.kind == Kind::yield || place.kind == Kind::result;
        if (place.kind == Kind::argument || place.kind == Kind::yield)
          regions.insert(place.region);
        turns_ = place.kind == Kind::operand || place.kind == Kind::result ? turns : inside;
        if (place.kind == Kind::argument)
          number_of_value(ir::value_at(op, place));
      }
      turns_ = turns;
      if (comes_out)
        behind.push_back(&table);
      else
        add_table(op, table, turns);
    }
    for (unsigned region = 0; region < op->getNumRegions(); ++region)
      if (regions.contains(static_cast<int>(region)))
        add_region(op->getRegion(region), inside);
    turns_ = turns;
    for (const DataDimTable* table : behind)
      add_table(op, *table, turns);
  }

  DataDimTable with_kept_dims(mlir::Operation* op, DataDimTable table) {
    if (llvm::isa<ir::PinOp>(op)) // D is a dim of its own
      return llvm::is_contained(asked_.unpinned, places_.at(op))
                 ? ir::tied(op, {ir::operand_place(0), ir::result_place(0)})
                 : table;
    add_kept_rows(
        op, kept_, [&](mlir::Value value) { return is_constant(value); }, asked_.keeping, table);
    return table;
  }

  /// The number of the user's call that made an op.
  int call_of(mlir::Operation* op) {
    mlir::Location location = ir::call_location(op->getLoc());
    if (!ir::to_source_location(location))
      return -1;
    return calls_.try_emplace(location, static_cast<int>(calls_.size())).first->second;
  }

  void add_table(mlir::Operation* op, const DataDimTable& table, double turns) {
    DataDimOp made;
    made.name = name_of(op);
    made.where = ir::to_source_location(op->getLoc());
    made.number = places_.at(op);
    made.call = call_of(op);
    made.keeps_order = ir::facts_of(op).keeps_order;
    if (auto pin = llvm::dyn_cast<ir::PinOp>(op)) {
      made.kind = DataDimOp::Kind::pin;
      made.is_pinned = true;
      made.names = names_of(pin);
    }
    std::vector<size_t> in, out; // places in the table
    bool takes_part = false;
    for (size_t at = 0; at < table.places.size(); ++at) {
      const DataDimPlace& place = table.places[at];
      mlir::Value value = ir::value_at(op, place);
      const bool is_read = place.kind == Kind::operand || place.kind == Kind::yield;
      takes_part |= !is_constant(value) && !ir::data_shape(value).empty();
      int number = number_of_value(value);
      if (number < 0)
        continue;
      takes_part = true;
      (is_read ? made.operands : made.results).push_back(number);
      (is_read ? in : out).push_back(at);
    }
    if (!takes_part)
      return;
    if (has_names_)
      made.same = same_dims(op, table, [&](mlir::Value value) {
        auto known = numbers_.find(value);
        return known == numbers_.end() ? -1 : known->second;
      });
    for (const DataDimRow& row : table.rows) {
      PricedRow priced{{}, row.cost, row.variant};
      for (size_t at : in)
        priced.dims.push_back(row.dims[at]);
      for (size_t at : out)
        priced.dims.push_back(row.dims[at]);
      bool is_known = llvm::any_of(made.rows, [&](const PricedRow& old) {
        return old.dims == priced.dims && old.cost <= priced.cost && old.variant == priced.variant;
      });
      if (is_known)
        continue;
      pricer_.price(op, table.places, row, turns, priced);
      made.rows.push_back(std::move(priced));
    }
    problem_.ops.push_back(std::move(made));
  }

  // What stands outside.

  /// Memory of the caller is row-major: another D costs a transposition, but where it is given.
  DataDimOp outside(DataDimOp::Kind kind, std::string name, size_t number, mlir::Value value,
                    int of, const std::vector<std::optional<DataDimPin>>& pins) {
    const std::optional<DataDimPin> pin = number < pins.size() ? pins[number] : std::nullopt;
    DataDimOp made;
    made.kind = kind;
    made.name = std::move(name);
    made.where = ir::to_source_location(value.getLoc());
    made.number = static_cast<int>(number);
    made.is_pinned = pin.has_value();
    if (pin)
      made.names = pin->names;
    (kind == DataDimOp::Kind::argument ? made.results : made.operands).push_back(of);
    const DataDimValue& data = problem_.values[of];
    const int last = static_cast<int>(data.shape.size()) - 1;
    for (int dim : data.dims) {
      if ((is_kept(dim) && asked_.keeping == Keeping::as_written) || (pin && pin->dim != dim))
        continue;
      const bool moves = !pin && dim != last && dim != kAnyDim && !is_kept(dim);
      made.rows.push_back({{dim},
                           moves ? space::DataDimCost::compute : space::DataDimCost::free,
                           space::DataDimVariant::none,
                           moves ? pricer_.relayout(value.getType(), last, dim, 1) : 0});
    }
    return made;
  }

  void add_arguments() {
    std::vector<std::string> names = ir::argument_names(function_);
    for (mlir::BlockArgument argument : function_.getArguments()) {
      const size_t number = argument.getArgNumber();
      int value = number_of_value(argument);
      problem_.arguments.push_back(value);
      if (value >= 0)
        problem_.ops.push_back(outside(DataDimOp::Kind::argument, names[number], number, argument,
                                       value, asked_.inputs));
    }
  }

  void add_results() {
    for (auto [number, value] :
         llvm::enumerate(function_.getBody().front().getTerminator()->getOperands())) {
      int of = number_of_value(value);
      problem_.results.push_back(of);
      if (of >= 0)
        problem_.ops.push_back(outside(DataDimOp::Kind::result, std::to_string(number), number,
                                       value, of, asked_.outputs));
    }
  }

  mlir::func::FuncOp function_;
  const DataDimAsked& asked_;
  DataDimPricer pricer_;
  DataDimProblem problem_;
  llvm::DenseSet<mlir::Value> constants_;
  llvm::DenseSet<mlir::Operation*> constant_ops_;
  llvm::DenseMap<mlir::Value, int> numbers_;
  KeptDimsByValue kept_;
  llvm::DenseMap<mlir::Operation*, int> places_; ///< in the program, bodies included
  llvm::DenseMap<mlir::Location, int> calls_;
  bool has_names_ = false;
  double turns_ = 1;
};

} // namespace

DataDimProblem data_dim_problem(mlir::func::FuncOp function, const DataDimAsked& asked) {
  return Collector(function, asked).run();
}

} // namespace kolam::analysis
