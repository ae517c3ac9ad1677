// Errors of functions of lists, and of kernels: of each element, of each point of a grid.
#include "kolam/language/lists.h"
#include "kolam/ir/block_spec.h"
#include "kolam/ir/kernels.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/transform/checkify/walk.h"

namespace kolam::transform::errors {

Value Walk::of_elements(Value errors, size_t depth, Order order, int64_t first_number) {
  auto [error, at] = pick(language::unpack(b, errors, {new_symbol_()})[0], order);
  return with_place(error, depth, apply(Fn::add, {at, scalar(first_number)}));
}

/// Each point of the grid writes its error to a result of its own.
Value Walk::rule(ir::KernelCallOp op) {
  const Shape grid = op.getGrid().shape();
  const size_t axes = grid.size(), blocks = op.getBlocks().size();
  const size_t at = axes + op.getInputs().size() + op.getResults().size();
  Shape shape = grid, row{Extent(width())};
  shape.push_back(Extent(width()));
  llvm::SmallVector<mlir::Type> types(op.getBody().getArgumentTypes());
  types.insert(types.begin() + at, ir::RefType::get(language::tensor_type(b, DType::i64, row)));
  auto body = language::make_region(b, types, [&](const Values& arguments) {
    Values given = arguments;
    given.erase(given.begin() + static_cast<int64_t>(at));
    Given point = region(op.getBody(), given);
    ir::RefWriteOp::create(b, arguments[at], or_none(point.error), Value());
    return point.results;
  });
  llvm::SmallVector<mlir::Type> of_point(types.begin(), types.begin() + axes + op.getPrefetch());
  llvm::append_range(of_point, op.getCaptures().getTypes());
  auto map = language::make_region(b, of_point, [&](const Values& arguments) {
    Values place(arguments.begin(), arguments.begin() + static_cast<int64_t>(axes));
    place.push_back(language::weak_constant(b, int64_t{0}, DType::i32));
    return place;
  });
  ir::BlockSpec spec;
  spec.dims.assign(axes, {ir::BlockKind::squeezed, Extent(1)});
  spec.dims.push_back({ir::BlockKind::blocked, Extent(width())});
  spec.pad = mlir::DenseElementsAttr::get(language::tensor_type(b, DType::i64, {}), int64_t{0});
  auto with = [&](mlir::ArrayAttr all, mlir::Attribute own) {
    llvm::SmallVector<mlir::Attribute> parts(all.getValue());
    parts.insert(parts.begin() + blocks, own);
    return b.getArrayAttr(parts);
  };
  llvm::SmallVector<mlir::Type> results(op.getResultTypes());
  results.push_back(language::tensor_type(b, DType::i64, shape));
  llvm::SmallVector<int64_t> aliases(op.getAliases());
  aliases.push_back(-1);
  auto names = op.getRefNamesAttr();
  auto made = ir::KernelCallOp::create(
      b, results, op.getNameAttr(), op.getGridAttr(), of(op.getInputs()), of(op.getCaptures()),
      op.getPrefetchAttr(), with(op.getBlocks(), spec.to_attr(b.getContext())), op.getScratchAttr(),
      b.getDenseI64ArrayAttr(aliases), op.getSemanticsAttr(), op.getChecksAttr(), op.getOrderAttr(),
      op.getSeedAttr(), names ? with(names, b.getStringAttr("errors")) : names, op.getCostAttr(),
      static_cast<unsigned>(blocks + 1));
  made.getBody().takeBody(*body);
  for (size_t block = 0; block < blocks; ++block)
    made.getMaps()[block].takeBody(op.getMaps()[block]);
  made.getMaps()[blocks].takeBody(*map);
  set(op.getResults(), made.getResults());
  auto [error, number] =
      pick(language::reshape(b, made.getResults().back(), {element_count(grid), Extent(width())}),
           Order::forward);
  Value rest = number;
  for (size_t axis = axes; axis-- > 0;) {
    Value extent = language::extent_value(b, grid[axis]);
    error = with_place(error, depth_ + axis, apply(Fn::remainder, {rest, extent}));
    rest = apply(Fn::floor_divide, {rest, extent});
  }
  return error;
}

Value Walk::rule(ir::ListMapOp op) {
  Values lists = of(op.getLists());
  llvm::SmallVector<mlir::Type> types;
  for (Value list : lists)
    types.push_back(language::element_type(list));
  const size_t depth = depth_++;
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Values given = arguments;
    llvm::append_range(given, of(op.getCaptures()));
    Given turn = region(op.getBody(), given);
    turn.results.push_back(or_none(turn.error));
    return turn.results;
  });
  --depth_;
  Values made = language::list_map(b, lists, std::move(body));
  set(op.getResults(), made);
  return of_elements(made.back(), depth, Order::at_once);
}

/// A body that combines states: their errors are combined as they are.
language::Body Walk::combining_body(mlir::Region& body, const Values& inits, const Values& lists,
                                    mlir::ValueRange captures) {
  const size_t states = inits.empty() ? lists.size() : inits.size();
  llvm::SmallVector<mlir::Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  for (size_t part = inits.empty() ? 0 : 1; part < 2; ++part)
    for (Value list : lists)
      types.push_back(language::element_type(list));
  return language::make_body(b, types, [&](const Values& arguments) {
    Value earlier = arguments[states - 1], later = arguments.back();
    Values given(arguments.begin(), arguments.end() - 1);
    given.erase(given.begin() + static_cast<int64_t>(states) - 1);
    llvm::append_range(given, of(captures));
    Given turn = region(body, given);
    turn.results.push_back(or_none(first(first(earlier, later), turn.error)));
    return turn.results;
  });
}

Value Walk::none_of_elements(Value list) {
  language::Body body = language::make_body(b, {language::element_type(list)},
                                            [&](const Values&) { return Values{none()}; });
  return language::list_map(b, {list}, std::move(body))[0];
}

Value Walk::rule(ir::ListReduceOp op) {
  Values inits = of(op.getInits()), lists = of(op.getLists());
  if (!inits.empty())
    inits.push_back(none());
  lists.push_back(none_of_elements(lists[0]));
  language::Body body = combining_body(op.getBody(), {}, lists, op.getCaptures());
  Values made = language::list_reduce(b, inits, lists, std::move(body));
  set(op.getResults(), made);
  return made.back();
}

/// The error of a step is a state that no step reads, so that steps depend on no other than before;
/// of an associative scan it is one of those that are combined.
Value Walk::rule(ir::ListScanOp op) {
  const size_t states = op.getInits().size();
  Values inits = of(op.getInits()), lists = of(op.getLists());
  language::ListScan options{op.getReverse() ? language::Direction::reverse
                                             : language::Direction::forward,
                             op.getAssociative(), op.getAfterFirst(), op.getIsReduce()};
  // Last states, then their lists.
  auto without_errors = [&](Values made) {
    made.pop_back();
    made.erase(made.begin() + static_cast<int64_t>(states));
    return made;
  };
  inits.push_back(none());
  if (op.getAssociative()) {
    lists.push_back(none_of_elements(lists[0]));
    language::Body body = combining_body(op.getBody(), inits, lists, op.getCaptures());
    Values made = language::list_scan(b, inits, lists, options, std::move(body));
    set(op.getResults(), without_errors(made));
    return made[states];
  }
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
  for (Value list : lists)
    types.push_back(language::element_type(list));
  const size_t depth = depth_++;
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Values given = arguments;
    given.erase(given.begin() + static_cast<int64_t>(states));
    llvm::append_range(given, of(op.getCaptures()));
    Given turn = region(op.getBody(), given);
    turn.results.push_back(or_none(turn.error));
    return turn.results;
  });
  --depth_;
  Values made = language::list_scan(b, inits, lists, options, std::move(body));
  set(op.getResults(), without_errors(made));
  const bool lacks_first = op.getAfterFirst() && !op.getReverse();
  return of_elements(made.back(), depth, op.getReverse() ? Order::reverse : Order::forward,
                     lacks_first ? 1 : 0);
}

} // namespace kolam::transform::errors
