// Finds blocks and follows the places of lists through a function.
#include "kolam/analysis/block_walk.h"

#include "kolam/analysis/block_walk_state.h"
#include "kolam/ir/argument_names.h"

#include "llvm/ADT/TypeSwitch.h"

namespace kolam::analysis {
namespace {

bool is_nest(Operation* op) { return ir::facts_of(op).bodies == ir::Bodies::of_lists; }
class Walk : AccessWalk {
public:
  Walked run(mlir::func::FuncOp function) {
    mlir::Block& body = function.getBody().front();
    for (mlir::BlockArgument argument : body.getArguments())
      places_[argument] = own_buffer(ir::argument_term(argument), argument.getType());
    auto returns = body.getTerminator();
    for (Operation& op : body)
      if (llvm::isa<ir::UnpackOp>(op) &&
          llvm::all_of(op.getUsers(), [&](Operation* user) { return user == returns; }))
        returned_.insert(&op);
    walk(body);
    for (Value value : returns->getOperands())
      add_result(value);
    return std::move(result_);
  }

private:
  // Bodies.

  void walk(mlir::Block& block) {
    std::vector<Operation*> tensor_ops;
    int number = 0;
    for (Operation& op : block.without_terminator()) {
      order_.push_back(number++);
      visit(&op, tensor_ops);
      numbers_[&op] = order_.back();
      order_.pop_back();
    }
    put_into_blocks(block, tensor_ops);
  }

  void visit(Operation* op, std::vector<Operation*>& tensor_ops) {
    size_t before = result_.blocks.size(), level = 0;
    for (Value operand : op->getOperands())
      level = std::max(level, levels_.lookup(operand));
    if (is_nest(op)) {
      llvm::TypeSwitch<Operation*>(op)
          .Case([&](ir::ListMapOp map) { visit_map(map); })
          .Case([&](ir::ListScanOp scan) { visit_scan(scan); })
          .Case([&](ir::ListReduceOp reduce) { visit_reduce(reduce); });
    } else if (is_access(op)) {
      visit_access(op);
    } else if (!llvm::isa<ir::CheckOp>(op) && !returned_.contains(op)) {
      visit_tensor_op(op);
      tensor_ops.push_back(op);
    }
    level += result_.blocks.size() != before;
    for (Value value : op->getResults())
      levels_[value] = level;
  }

  void visit_tensor_op(Operation* op) {
    std::optional<Extent> number =
        number_of(op, [&](Value value) { return places_[value].number; });
    bool is_constant =
        op->getNumRegions() == 0 && !llvm::isa<ir::OpaqueCallOp>(op) &&
        llvm::all_of(op->getOperands(), [&](Value value) { return constants_.contains(value); });
    for (Value value : op->getResults()) {
      if (number) {
        places_[value] = {{{constant(), {}, {}}}, {}, number};
        constants_.insert(value);
      } else if (is_constant && depth_of(value.getType()) == 0) {
        places_[value] = {{{constant(), {}, {}}}, {}, std::nullopt};
        constants_.insert(value);
      } else {
        places_[value] = own_buffer("", value.getType(), op);
      }
    }
  }

  /// The tensor ops of a body that compute data, those of one level as one block: what checks and
  /// known places are made of is left out.
  void put_into_blocks(mlir::Block& body, const std::vector<Operation*>& tensor_ops) {
    llvm::DenseSet<Operation*> data;
    for (Operation* op : llvm::reverse(tensor_ops)) {
      bool is_constant =
          op->getNumResults() > 0 &&
          llvm::all_of(op->getResults(), [&](Value value) { return constants_.contains(value); });
      if (!is_constant &&
          (llvm::isa<ir::OpaqueCallOp>(op) ||
           llvm::any_of(op->getUsers(), [&](Operation* user) { return is_data_use(user, data); })))
        data.insert(op);
    }
    std::map<size_t, size_t> by_level;
    for (Operation* op : tensor_ops) {
      if (!data.contains(op))
        continue;
      size_t level = op->getNumResults() ? levels_.lookup(op->getResult(0)) : 0;
      auto [found, is_new] = by_level.try_emplace(level, result_.blocks.size());
      if (is_new) {
        std::vector<int> order = order_;
        order.push_back(numbers_.lookup(op));
        result_.blocks.push_back({order, dims_, {}, {}});
      }
      result_.block_of[op] = found->second;
      add_to_cell(op, result_.blocks[found->second], found->second);
    }
  }

  static bool is_data_use(Operation* user, const llvm::DenseSet<Operation*>& data) {
    if (llvm::isa<ir::CheckOp>(user))
      return false;
    if (user->hasTrait<mlir::OpTrait::IsTerminator>() || is_nest(user) || is_access(user))
      return true;
    return data.contains(user);
  }

  void add_to_cell(Operation* op, Walked::Block& block, size_t number) {
    block.cell.push_back(op);
    for (Value operand : op->getOperands()) {
      if (constants_.contains(operand) || places_[operand].number)
        continue;
      Operation* writer = operand.getDefiningOp();
      auto found = writer ? result_.block_of.find(writer) : result_.block_of.end();
      bool is_inside = found != result_.block_of.end() && found->second == number;
      bool is_known = llvm::any_of(
          block.reads, [&](const Walked::ReadValue& read) { return read.value == operand; });
      if (!is_inside && !is_known)
        block.reads.push_back({operand, places_[operand]});
    }
  }

  // Parallel functions.

  std::vector<Places> walk_body(mlir::Region& region, const std::vector<Places>& arguments) {
    mlir::Block& body = region.front();
    for (auto [argument, places] : llvm::zip(body.getArguments(), arguments))
      places_[argument] = places;
    for (auto [argument, places] : llvm::zip(body.getArguments(), arguments))
      if (places.parts.size() == 1 && places.parts[0].buffer == constant_ && constant_ >= 0)
        constants_.insert(argument);
    walk(body);
    return all(body.getTerminator()->getOperands());
  }

  /// The length of lists that are read side by side.
  Extent zipped_length(const std::vector<Places>& lists) {
    for (const Places& list : lists)
      set_equal(lists[0].lengths[0], list.lengths[0]);
    return lists[0].lengths[0];
  }

  static Shape lengths_of(const std::vector<Places>& lists) {
    Shape lengths;
    for (const Places& list : lists)
      lengths.push_back(list.lengths[0]);
    return lengths;
  }

  /// What is equal wherever a run gets there.
  void set_equal(const Extent& a, const Extent& b) {
    Extent x = result_.terms.normalized(a), y = result_.terms.normalized(b);
    if (x == y)
      return;
    auto define = [&](const Extent& known, const Extent& value) {
      auto head = result_.terms.head(known);
      if (!head)
        return false;
      for (const std::string& symbol : free_variables(value))
        if (llvm::find(head->parameters, symbol) == head->parameters.end())
          return false;
      return result_.terms.define(head->function, head->parameters, value);
    };
    bool is_of_state = x.as_symbol() && result_.terms.find(*x.as_symbol()) &&
                       state_lengths_.contains(result_.terms.find(*x.as_symbol())->function);
    if (is_of_state ? !define(x, y) && !define(y, x) : !define(y, x) && !define(x, y))
      return; // two expressions: nothing to name
  }

  void visit_map(ir::ListMapOp op) {
    std::vector<Places> lists = all(op.getLists()), arguments;
    Extent length = zipped_length(lists), step = Extent::symbol(dim_name(dims_.size()));
    for (const Places& list : lists)
      arguments.push_back(placing_.element(list, step));
    llvm::append_range(arguments, all(op.getCaptures()));
    dims_.push_back({DimKind::map, length, false, lengths_of(lists)});
    std::vector<Places> yields = walk_body(op.getBody(), arguments);
    dims_.pop_back();
    for (auto [value, yield] : llvm::zip(op.getResults(), yields))
      places_[value] =
          placing_.collected(yield, dim_name(dims_.size()), Extent::symbol(place_name(0)), length);
  }

  /// The state of a scan or a reduction that starts from `init`.
  struct Carried {
    int buffer;
    Places init, entering;
    std::vector<int> lengths; ///< functions
  };

  Carried carry(const Places& init, mlir::Type type, const Extent& steps) {
    Carried state{0, init, {}, {}};
    size_t dims = dims_.size();
    Extent step = Extent::symbol(dim_name(dims - 1));
    for (Part part : init.parts) {
      part.where.push_back({step, Extent(0), Extent(1)});
      state.entering.parts.push_back(std::move(part));
    }
    state.buffer = add_buffer(
        {{analysis::Buffer::Kind::written, "", leaf_text(type), {}}, dims, nullptr, true});
    Part before{state.buffer, own_index(true, type), {{step, Extent(1), steps}}};
    before.index[dims - 1] = step - Extent(1);
    state.entering.parts.push_back(std::move(before));
    for (size_t level = 0; level < depth_of(type); ++level) {
      state.lengths.push_back(result_.terms.function("length of a state"));
      state_lengths_.insert(state.lengths.back());
      state.entering.lengths.push_back(
          result_.terms.value(state.lengths.back(), length_arguments(level)));
    }
    return state;
  }

  /// Notes what the state becomes; lengths that a step leaves as they are are those of the start.
  void close(const Carried& state, const Places& yield) {
    for (size_t level = 0; level < state.lengths.size(); ++level) {
      Extent entering = result_.terms.value(state.lengths[level], length_arguments(level));
      if (!(result_.terms.normalized(yield.lengths[level]) == result_.terms.normalized(entering)))
        continue;
      std::vector<std::string> parameters;
      for (const Extent& argument : length_arguments(level))
        parameters.push_back(*argument.as_symbol());
      result_.terms.define(state.lengths[level], parameters, state.init.lengths[level]);
    }
    result_.buffers[state.buffer].buffer.lengths = yield.lengths;
    result_.states.push_back({state.buffer, dims_, order_, yield});
  }

  /// The state behind the last of `steps` steps; `yield` has its lengths. In the dims around.
  Places last(const Carried& state, const Places& yield, mlir::Type type, const Extent& steps) {
    Places result;
    Part part{state.buffer, own_index(true, type), {}};
    Extent zero(0), one(1);
    part.index.insert(part.index.begin() + static_cast<int64_t>(dims_.size()), steps - one);
    part.where.push_back({steps, zero, one, true});
    result.parts.push_back(std::move(part));
    for (Part first : state.init.parts) {
      first.where.push_back({steps, zero, one});
      result.parts.push_back(std::move(first));
    }
    std::string dim = dim_name(dims_.size());
    for (size_t level = 0; level < yield.lengths.size(); ++level) {
      Extent length = result_.terms.normalized(yield.lengths[level]);
      result.lengths.push_back(free_variables(length).contains(dim)
                                   ? placing_.substitute(length, {{dim, steps - one}})
                                   : length);
    }
    simplify(result.parts);
    return result;
  }

  void visit_scan(ir::ListScanOp op) {
    std::vector<Places> lists = all(op.getLists()), inits = all(op.getInits()), arguments;
    Extent length = zipped_length(lists), one(1);
    Extent step = Extent::symbol(dim_name(dims_.size())), place = Extent::symbol(place_name(0));
    bool reverse = op.getReverse();
    size_t count = inits.size();
    bool is_fold = llvm::all_of(op.getResults().drop_front(count),
                                [](Value value) { return value.use_empty(); });
    dims_.push_back({is_fold ? DimKind::fold : DimKind::scan, length, reverse, lengths_of(lists)});
    std::vector<Carried> states;
    for (auto [init, value] : llvm::zip(inits, op.getInits())) {
      states.push_back(carry(init, value.getType(), length));
      arguments.push_back(states.back().entering);
    }
    for (const Places& list : lists)
      arguments.push_back(placing_.element(list, reverse ? length - one - step : step));
    llvm::append_range(arguments, all(op.getCaptures()));
    std::vector<Places> yields = walk_body(op.getBody(), arguments);
    for (auto [state, yield] : llvm::zip(states, yields))
      close(state, yield);
    for (size_t i = 0; i < count; ++i) {
      Places kept{{{states[i].buffer, own_index(true, op.getInits()[i].getType()), {}}},
                  yields[i].lengths,
                  std::nullopt};
      places_[op.getResult(count + i)] = placing_.collected(
          kept, dim_name(dims_.size() - 1), reverse ? length - one - place : place, length);
    }
    dims_.pop_back();
    for (size_t i = 0; i < count; ++i)
      places_[op.getResult(i)] = last(states[i], yields[i], op.getInits()[i].getType(), length);
  }

  /// Without initial values the first elements are these, and the steps begin behind them.
  void visit_reduce(ir::ListReduceOp op) {
    std::vector<Places> lists = all(op.getLists()), inits = all(op.getInits()), arguments;
    Extent length = zipped_length(lists), step = Extent::symbol(dim_name(dims_.size()));
    if (inits.empty()) {
      for (const Places& list : lists)
        inits.push_back(placing_.element(list, Extent(0)));
      length = length - Extent(1);
      step = step + Extent(1);
    }
    dims_.push_back({DimKind::reduce, length, false, lengths_of(lists)});
    std::vector<Carried> states;
    for (auto [init, result] : llvm::zip(inits, op.getResults())) {
      states.push_back(carry(init, result.getType(), length));
      arguments.push_back(states.back().entering);
    }
    for (const Places& list : lists)
      arguments.push_back(placing_.element(list, step));
    llvm::append_range(arguments, all(op.getCaptures()));
    std::vector<Places> yields = walk_body(op.getBody(), arguments);
    for (auto [state, yield] : llvm::zip(states, yields))
      close(state, yield);
    dims_.pop_back();
    for (size_t i = 0; i < states.size(); ++i)
      places_[op.getResult(i)] = last(states[i], yields[i], op.getResult(i).getType(), length);
  }

  // Results.

  void add_result(Value value) {
    Operation* op = value.getDefiningOp();
    if (op && returned_.contains(op)) {
      auto unpack = llvm::cast<ir::UnpackOp>(op);
      if (value == unpack.getLeaves())
        result_.results.push_back(
            {leaf_text(unpack.getList().getType()), places_[unpack.getList()]});
      return;
    }
    result_.results.push_back({leaf_text(value.getType()), places_[value]});
  }

  std::vector<int> order_;               ///< their numbers in their bodies
  llvm::DenseMap<Value, size_t> levels_; ///< how many nests with blocks an op waits for
  llvm::DenseMap<Operation*, int> numbers_;
  llvm::DenseSet<Operation*> returned_; ///< `unpack`s of results
  std::set<int> state_lengths_;
};

} // namespace

Walked walk_blocks(mlir::func::FuncOp function) { return Walk().run(function); }

} // namespace kolam::analysis
