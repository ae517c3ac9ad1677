// Finds blocks and follows the places of lists through a function.
#include "kolam/analysis/block_walk.h"

#include "kolam/ir/ops.h"
#include "kolam/support/error.h"

#include <algorithm>

namespace kolam::analysis {
namespace {

using mlir::Operation;
using mlir::Value;

std::string leaf_text(mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    type = list.leaf();
  return std::string(name(ir::dtype_of(type))) + to_string(ir::shape_of(type));
}

size_t depth_of(mlir::Type type) {
  auto list = llvm::dyn_cast<ir::ListType>(type);
  return list ? static_cast<size_t>(list.depth()) : 0;
}

bool is_nest(Operation* op) {
  return llvm::isa<ir::ListMapOp, ir::ListScanOp, ir::ListReduceOp>(op);
}
/// Ops that only say where elements are.
bool is_access(Operation* op) {
  return llvm::isa<ir::AccessOp, ir::ListIndexOp, ir::ListLengthOp, ir::ListPositionsOp, ir::JoinOp,
                   ir::FlattenOp, ir::ListFilterOp, ir::PackOp>(op);
}

/// The integer that a scalar op computes of numbers that are known.
std::optional<Extent> number_of(Operation* op,
                                const std::function<std::optional<Extent>(Value)>& known) {
  if (op->getNumResults() != 1 || !llvm::isa<mlir::RankedTensorType>(op->getResult(0).getType()) ||
      ir::rank_of(op->getResult(0)) != 0 || !is_integer(ir::dtype_of(op->getResult(0))))
    return std::nullopt;
  if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op)) {
    auto value = llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue());
    if (!value || value.getElementType().getIntOrFloatBitWidth() > 64)
      return std::nullopt;
    return Extent((*value.begin()).getSExtValue());
  }
  if (auto cast = llvm::dyn_cast<ir::CastOp>(op))
    return is_integer(ir::dtype_of(cast.getOperand())) ? known(cast.getOperand()) : std::nullopt;
  auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!elementwise || op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<Extent> x = known(op->getOperand(0)), y = known(op->getOperand(1));
  if (!x || !y)
    return std::nullopt;
  llvm::StringRef function = elementwise.getFunction();
  try {
    if (function == "add")
      return *x + *y;
    if (function == "subtract")
      return *x - *y;
    if (function == "multiply")
      return *x * *y;
    if (function == "minimum")
      return min(*x, *y);
    if (function == "maximum")
      return max(*x, *y);
    if (function == "floor_divide" && y->constant().value_or(0) > 0)
      return floordiv(*x, *y);
  } catch (const Error&) { // too large to follow
  }
  return std::nullopt;
}

class Walk {
public:
  Walked run(mlir::func::FuncOp function) {
    mlir::Block& body = function.getBody().front();
    for (mlir::BlockArgument argument : body.getArguments())
      places_[argument] =
          own_buffer("arg" + std::to_string(argument.getArgNumber()), argument.getType());
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
  using Buffer = Walked::Buffer;

  // Buffers.

  int add_buffer(Buffer buffer) {
    result_.buffers.push_back(std::move(buffer));
    return static_cast<int>(result_.buffers.size()) - 1;
  }

  int constant() {
    if (constant_ < 0)
      constant_ = add_buffer({{analysis::Buffer::Kind::constant, "constant", "", {}}, 0, nullptr});
    return constant_;
  }

  /// An argument, or what an op that is not looked into gives: lengths of its own for each level.
  Places own_buffer(const std::string& name, mlir::Type type, Operation* writer = nullptr) {
    Places places;
    Shape lengths;
    for (size_t level = 0; level < depth_of(type); ++level) {
      int function = result_.terms.function("length of " + (name.empty() ? "a result" : name));
      Shape arguments = dim_symbols(writer ? dims_.size() : 0), above = place_symbols(level);
      arguments.insert(arguments.end(), above.begin(), above.end());
      places.lengths.push_back(result_.terms.value(function, arguments));
    }
    Buffer buffer{{writer ? analysis::Buffer::Kind::written : analysis::Buffer::Kind::argument,
                   name, leaf_text(type), places.lengths},
                  writer ? dims_.size() : 0,
                  writer};
    places.parts.push_back({add_buffer(std::move(buffer)), own_index(writer != nullptr, type), {}});
    return places;
  }

  Shape own_index(bool in_block, mlir::Type type) {
    Shape index = in_block ? dim_symbols(dims_.size()) : Shape{},
          inside = place_symbols(depth_of(type));
    index.insert(index.end(), inside.begin(), inside.end());
    return index;
  }

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
    if (auto map = llvm::dyn_cast<ir::ListMapOp>(op)) {
      visit_map(map);
    } else if (auto scan = llvm::dyn_cast<ir::ListScanOp>(op)) {
      visit_scan(scan);
    } else if (auto reduce = llvm::dyn_cast<ir::ListReduceOp>(op)) {
      visit_reduce(reduce);
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

  std::vector<Places> all(mlir::ValueRange values) {
    std::vector<Places> result;
    for (Value value : values)
      result.push_back(places_[value]);
    return result;
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

  std::set<std::string> free_variables(const Extent& expression) {
    std::set<std::string> result;
    for (const std::string& symbol : expression.symbols())
      if (const Terms::Value* value = result_.terms.find(symbol)) {
        for (const Extent& argument : value->arguments)
          result.merge(free_variables(argument));
      } else {
        result.insert(symbol);
      }
    return result;
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

  Shape length_arguments(size_t level) {
    Shape arguments = dim_symbols(dims_.size()), above = place_symbols(level);
    arguments.insert(arguments.end(), above.begin(), above.end());
    return arguments;
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

  // Accesses.

  /// A value that data decides: a symbol for each point of the dims, and place where one is given.
  Extent by_data(const std::string& text, const Places& what, bool has_place = false) {
    int function = result_.terms.function(text);
    result_.data.emplace(function, what);
    Shape arguments = dim_symbols(dims_.size());
    if (has_place)
      arguments.push_back(Extent::symbol(place_name(0)));
    return result_.terms.value(function, arguments);
  }

  Extent number_or_data(Value scalar) {
    const Places& places = places_[scalar];
    return places.number ? *places.number : by_data("place given by ", places);
  }

  Extent index_of(Value scalar, const Extent& length) {
    const Places& places = places_[scalar];
    if (!places.number)
      return by_data("place given by ", places);
    if (std::optional<int64_t> number = places.number->constant())
      return *number < 0 ? length + Extent(*number) : Extent(*number);
    // A number below 0 would count from the end: followed where it has no term below 0.
    bool may_be_negative = places.number->to_string().find('-') != std::string::npos;
    return may_be_negative ? by_data("place", {}) : *places.number;
  }

  void visit_access(Operation* op) {
    Value value = op->getResult(0);
    if (auto pack = llvm::dyn_cast<ir::PackOp>(op)) {
      places_[value] = packed(pack);
    } else if (auto index = llvm::dyn_cast<ir::ListIndexOp>(op)) {
      const Places& list = places_[index.getList()];
      places_[value] = placing_.element(list, index_of(index.getIndex(), list.lengths[0]));
    } else if (auto length = llvm::dyn_cast<ir::ListLengthOp>(op)) {
      places_[value] = {{}, {}, places_[length.getList()].lengths[0]};
    } else if (auto positions = llvm::dyn_cast<ir::ListPositionsOp>(op)) {
      places_[value] = {
          {}, {places_[positions.getList()].lengths[0]}, Extent::symbol(place_name(0))};
    } else if (auto access = llvm::dyn_cast<ir::AccessOp>(op)) {
      places_[value] = accessed(access);
    } else if (llvm::isa<ir::JoinOp>(op)) {
      places_[value] = joined(op);
    } else if (auto flatten = llvm::dyn_cast<ir::FlattenOp>(op)) {
      places_[value] = flattened(places_[flatten.getList()]);
    } else if (auto filter = llvm::dyn_cast<ir::ListFilterOp>(op)) {
      const Places mask = places_[filter.getMask()], list = places_[filter.getList()];
      places_[value] = placing_.collected(placing_.element(list, Extent::symbol("k$")), "k$",
                                          by_data("place of what is kept by ", mask, true),
                                          by_data("number of what is kept by ", mask));
    }
  }

  Places accessed(ir::AccessOp op) {
    const Places list = places_[op.getList()];
    Replacements names;
    for (auto [number, scalar] : llvm::enumerate(op.getScalars()))
      names.emplace("a" + std::to_string(number), number_or_data(scalar));
    Shape lengths = ir::AccessOp::expressions(op.getLengths()),
          index = ir::AccessOp::expressions(op.getIndex());
    if (index.size() == 2)
      names.emplace("N", elements_of(list));
    std::optional<Places> pad;
    if (op.getPad())
      pad = places_[op.getPad()];
    return placing_.accessed(list, lengths, index, names, pad ? &*pad : nullptr);
  }

  /// The number of elements two levels down.
  Extent elements_of(const Places& list) {
    Extent rows = list.lengths[0], inner = result_.terms.normalized(list.lengths[1]);
    if (!free_variables(inner).contains(place_name(0)))
      return rows * inner;
    // The rows of `dilate` hold as many elements as the list that they are of.
    for (const std::string& symbol : inner.symbols())
      if (Extent whole = Extent::symbol(symbol), row = Extent::symbol(place_name(0));
          rows.constant().value_or(0) > 0 && symbol != place_name(0) &&
          inner == ceildiv(max(whole - row, Extent(0)), rows))
        return whole;
    return by_data("number of elements", {});
  }

  Places flattened(const Places& list) {
    Extent inner = result_.terms.normalized(list.lengths[1]), place = Extent::symbol(place_name(0));
    Extent row(0), column(0);
    if (free_variables(inner).contains(place_name(0)) || inner.constant().value_or(1) <= 0) {
      row = by_data("row of an element", {}, true);
      column = by_data("place in its row of an element", {}, true);
    } else {
      row = floordiv(place, inner);
      column = place - inner * row;
    }
    return placing_.accessed(list, {elements_of(list)},
                             {Extent::symbol("r$"), Extent::symbol("c$")},
                             {{"r$", row}, {"c$", column}}, nullptr);
  }

  Places joined(Operation* op) {
    if (op->getNumOperands() == 0) {
      Places empty;
      for (size_t level = 0; level < depth_of(op->getResult(0).getType()); ++level)
        empty.lengths.emplace_back(0);
      return empty;
    }
    std::vector<Places> lists = all(op->getOperands());
    Places result = placing_.joined(lists);
    for (size_t level = 1; level < lists[0].lengths.size(); ++level) {
      Extent length = result_.terms.normalized(lists[0].lengths[level]);
      bool is_same = !free_variables(length).contains(place_name(0)) &&
                     llvm::all_of(lists, [&](const Places& list) {
                       return result_.terms.normalized(list.lengths[level]) == length;
                     });
      result.lengths.push_back(is_same ? length : joined_length(level));
    }
    return result;
  }

  Extent joined_length(size_t level) {
    return result_.terms.value(result_.terms.function("length of a joined list"),
                               length_arguments(level));
  }

  /// Rows of leaves; where the program gives leaves and offsets as arguments, a list of its own.
  Places packed(ir::PackOp op) {
    auto leaves = llvm::dyn_cast<mlir::BlockArgument>(op.getLeaves());
    bool is_argument = leaves && dims_.empty() && llvm::all_of(op.getOffsets(), [](Value value) {
                         return llvm::isa<mlir::BlockArgument>(value);
                       });
    if (is_argument)
      return own_buffer("arg" + std::to_string(leaves.getArgNumber()), op.getType());
    Places places = places_[op.getLeaves()];
    places.number.reset();
    size_t depth = depth_of(op.getType());
    for (Part& part : places.parts)
      if (part.buffer != constant_)
        part.index.push_back(depth == 1 ? Extent::symbol(place_name(0)) : packed_row(depth));
    Shape shape = ir::shape_of(op.getLeaves());
    for (size_t level = 0; level < depth; ++level)
      places.lengths.push_back(
          depth == 1 && shape[0].is_constant()
              ? shape[0]
              : result_.terms.value(result_.terms.function("length of packed leaves"),
                                    length_arguments(level)));
    return places;
  }

  Extent packed_row(size_t depth) {
    return result_.terms.value(result_.terms.function("row"), length_arguments(depth));
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

  Walked result_;
  Placing placing_{result_.terms};
  std::vector<Dim> dims_;  ///< around the ops at hand
  std::vector<int> order_; ///< their numbers in their bodies
  llvm::DenseMap<Value, Places> places_;
  llvm::DenseMap<Value, size_t> levels_; ///< how many nests with blocks an op waits for
  llvm::DenseMap<Operation*, int> numbers_;
  llvm::DenseSet<Value> constants_;
  llvm::DenseSet<Operation*> returned_; ///< `unpack`s of results
  std::set<int> state_lengths_;
  int constant_ = -1;
};

} // namespace

Walked walk_blocks(mlir::func::FuncOp function) { return Walk().run(function); }

} // namespace kolam::analysis
