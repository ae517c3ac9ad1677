// Follows accesses, joins, filters and packed lists.
#include "kolam/analysis/block_walk_state.h"
#include "kolam/ir/argument_names.h"

#include "llvm/ADT/TypeSwitch.h"

namespace kolam::analysis {

bool AccessWalk::is_access(Operation* op) {
  return ir::facts_of(op).from_lists != ir::FromLists::none;
}

/// A value that data decides: a symbol for each point of the dims, and place where one is given.
Extent AccessWalk::by_data(const std::string& text, const Places& what, bool has_place) {
  int function = result_.terms.function(text);
  result_.data.emplace(function, what);
  Shape arguments = dim_symbols(dims_.size());
  if (has_place)
    arguments.push_back(Extent::symbol(place_name(0)));
  return result_.terms.value(function, arguments);
}

Extent AccessWalk::number_or_data(Value scalar) {
  const Places& places = places_[scalar];
  return places.number ? *places.number : by_data("place given by ", places);
}

Extent AccessWalk::index_of(Value scalar, const Extent& length) {
  const Places& places = places_[scalar];
  if (!places.number)
    return by_data("place given by ", places);
  if (std::optional<int64_t> number = places.number->constant())
    return *number < 0 ? length + Extent(*number) : Extent(*number);
  // A number below 0 would count from the end: followed where it has no term below 0.
  bool may_be_negative = places.number->to_string().find('-') != std::string::npos;
  return may_be_negative ? by_data("place", {}) : *places.number;
}

void AccessWalk::visit_access(Operation* op) {
  Places found =
      llvm::TypeSwitch<Operation*, Places>(op)
          .Case([&](ir::PackOp pack) { return packed(pack); })
          .Case([&](ir::ListIndexOp index) {
            const Places& list = places_[index.getList()];
            return placing_.element(list, index_of(index.getIndex(), list.lengths[0]));
          })
          .Case([&](ir::ListLengthOp length) {
            return Places{{}, {}, places_[length.getList()].lengths[0]};
          })
          .Case([&](ir::ListPositionsOp positions) {
            return Places{
                {}, {places_[positions.getList()].lengths[0]}, Extent::symbol(place_name(0))};
          })
          .Case([&](ir::AccessOp access) { return accessed(access); })
          .Case([&](ir::JoinOp) { return joined(op); })
          .Case([&](ir::FlattenOp flatten) { return flattened(places_[flatten.getList()]); })
          .Case([&](ir::ListFilterOp filter) {
            const Places mask = places_[filter.getMask()], list = places_[filter.getList()];
            return placing_.collected(placing_.element(list, Extent::symbol("k$")), "k$",
                                      by_data("place of what is kept by ", mask, true),
                                      by_data("number of what is kept by ", mask));
          });
  places_[op->getResult(0)] = std::move(found);
}

Places AccessWalk::accessed(ir::AccessOp op) {
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
Extent AccessWalk::elements_of(const Places& list) {
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

Places AccessWalk::flattened(const Places& list) {
  Extent inner = result_.terms.normalized(list.lengths[1]), place = Extent::symbol(place_name(0));
  Extent row(0), column(0);
  if (free_variables(inner).contains(place_name(0)) || inner.constant().value_or(1) <= 0) {
    row = by_data("row of an element", {}, true);
    column = by_data("place in its row of an element", {}, true);
  } else {
    row = floordiv(place, inner);
    column = place - inner * row;
  }
  return placing_.accessed(list, {elements_of(list)}, {Extent::symbol("r$"), Extent::symbol("c$")},
                           {{"r$", row}, {"c$", column}}, nullptr);
}

Places AccessWalk::joined(Operation* op) {
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

Extent AccessWalk::joined_length(size_t level) {
  return result_.terms.value(result_.terms.function("length of a joined list"),
                             length_arguments(level));
}

/// Rows of leaves; where the program gives leaves and offsets as arguments, a list of its own.
Places AccessWalk::packed(ir::PackOp op) {
  auto leaves = llvm::dyn_cast<mlir::BlockArgument>(op.getLeaves());
  bool is_argument = leaves && dims_.empty() && llvm::all_of(op.getOffsets(), [](Value value) {
                       return llvm::isa<mlir::BlockArgument>(value);
                     });
  if (is_argument) {
    Places places = own_buffer(ir::argument_term(leaves), op.getType());
    for (size_t level = 0; level < places.lengths.size(); ++level)
      result_.argument_lengths.emplace(
          result_.terms.find(*places.lengths[level].as_symbol())->function,
          ArgumentLength{leaves.getArgNumber(), level});
    return places;
  }
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

Extent AccessWalk::packed_row(size_t depth) {
  return result_.terms.value(result_.terms.function("row"), length_arguments(depth));
}

} // namespace kolam::analysis
