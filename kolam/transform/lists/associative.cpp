// Expands associative scans.
#include "kolam/transform/lists/associative.h"

#include "kolam/language/elementwise.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/lists/order_note.h"
#include "kolam/transform/lists/rename.h"

namespace kolam::transform::lists {
namespace {

using language::Builder;
using language::Value;
using language::Values;

/// Meaning: elements of a chunk (DESIGN: order of associative_scan).
constexpr int64_t kChunk = 4096;

Values call(Builder& b, mlir::Region& body, const Values& left, const Values& right,
            const Values& captures) {
  Values arguments = left;
  arguments.insert(arguments.end(), right.begin(), right.end());
  arguments.insert(arguments.end(), captures.begin(), captures.end());
  return language::inlined(b, body, arguments);
}

Values choose(Builder& b, Value condition, const Values& x, const Values& y) {
  Values results;
  for (auto [left, right] : llvm::zip(x, y))
    results.push_back(language::elementwise(b, Fn::where, {condition, left, right}));
  return results;
}

} // namespace

std::string expand_associative(ir::ListScanOp scan, Integers& integers) {
  std::string note = order_note(scan, "associative: each chunk of " + std::to_string(kChunk) +
                                          " elements anew, and then with what came before it");
  Builder b(scan.getLoc(), scan);
  const size_t states = scan.getInits().size();
  const bool after_first = scan.getAfterFirst(); // which begins the first chunk
  mlir::Region& body = scan.getBody();
  std::unique_ptr<mlir::Region> again = renamed(scan.getBody(), integers); // it binds symbols, too
  // The number of each element in the order of steps.
  Value steps = language::list_positions(b, scan.getLists()[0]);
  if (scan.getReverse())
    steps = language::access(b, steps,
                             {.lengths = {Extent::symbol("L")},
                              .index = {Extent::symbol("L") - Extent::symbol("j0") - Extent(1)}});

  Values inits, lists(scan.getLists().begin(), scan.getLists().end());
  for (int copy = 0; copy < 3; ++copy)
    inits.insert(inits.end(), scan.getInits().begin(), scan.getInits().end());
  lists.push_back(steps);
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
  for (Value list : lists)
    types.push_back(language::element_type(list));
  llvm::append_range(types, scan.getCaptures().getTypes());
  auto region = language::make_region(b, types, [&](const Values& arguments) {
    auto part = [&](size_t first, size_t count) {
      auto begin = arguments.begin() + static_cast<int64_t>(first);
      return Values(begin, begin + static_cast<int64_t>(count));
    };
    Values state = part(0, states), running = part(states, states),
           before = part(2 * states, states), x = part(3 * states, lists.size() - 1);
    Values captures = part(3 * states + lists.size(), scan.getCaptures().size());
    Value number = arguments[3 * states + lists.size() - 1];
    if (after_first)
      number = language::elementwise(b, Fn::add,
                                     {number, language::weak_constant(b, int64_t{1}, DType::i64)});
    Value zero = language::weak_constant(b, int64_t{0}, DType::i64);
    Value chunk = language::weak_constant(b, kChunk, DType::i64);
    Value is_first = language::elementwise(
        b, Fn::equal, {language::elementwise(b, Fn::remainder, {number, chunk}), zero});
    running = choose(b, is_first, x, call(b, body, running, x, captures));
    before = choose(b, is_first, state, before);
    Values results = call(b, *again, before, running, captures);
    if (after_first)
      results = choose(b, language::elementwise(b, Fn::less, {number, chunk}), running, results);
    results.insert(results.end(), running.begin(), running.end());
    results.insert(results.end(), before.begin(), before.end());
    return results;
  });
  Values results = language::list_scan(
      b, inits, lists,
      {.direction =
           scan.getReverse() ? language::Direction::reverse : language::Direction::forward},
      {std::move(region), Values(scan.getCaptures().begin(), scan.getCaptures().end())});
  for (size_t state = 0; state < states; ++state) {
    scan.getResult(state).replaceAllUsesWith(results[state]);
    scan.getResult(states + state).replaceAllUsesWith(results[3 * states + state]);
  }
  scan.erase();
  return note;
}

} // namespace kolam::transform::lists
