// Runs loops in segments.
#include "kolam/transform/derive/segments.h"

#include "kolam/language/control.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/one_op.h"
#include "kolam/transform/derive/segment_sums.h"
#include "kolam/transform/derive/split.h"

#include "mlir/IR/IRMapping.h"

#include <algorithm>

namespace kolam::transform::derive {
namespace {

using Types = llvm::SmallVector<mlir::Type>;

/// `steps` of the loop, in segments of their own where it says so.
Values run(Builder& b, ir::ScanOp op, const Extent& steps, const Values& inits, const Values& xs,
           const Values& captures, bool in_segments) {
  auto region = language::copy_of(op.getBody());
  Values made =
      language::scan(b, inits, xs, steps, direction_of(op), {std::move(region), captures});
  if (llvm::ArrayRef<int64_t> lengths = segments_of(op);
      in_segments && lengths.size() > 1 && !made.empty())
    made[0].getDefiningOp()->setAttr(kSegments, b.getDenseI64ArrayAttr(lengths.drop_front()));
  return made;
}

Values mapped(const Values& values, llvm::function_ref<Value(Value)> make) {
  Values made;
  for (Value value : values)
    made.push_back(make(value));
  return made;
}

Values taken(mlir::ValueRange values, size_t& next, size_t count) {
  auto found = values.slice(next, count);
  next += count;
  return Values(found.begin(), found.end());
}

/// The same as a region over inits, xs and captures, of these types.
std::unique_ptr<mlir::Region> as_region(Builder& b, ir::ScanOp op, const Extent& steps,
                                        mlir::TypeRange types, bool in_segments) {
  return language::make_region(b, types, [&](const Values& own) {
    size_t next = 0;
    Values inits = taken(own, next, op.getInits().size()), xs = taken(own, next, op.getXs().size());
    return run(b, op, steps, inits, xs, taken(own, next, op.getCaptures().size()), in_segments);
  });
}

/// The operands of composite "segments".
struct Operands {
  Operands(ir::ScanOp op, const Values& all) {
    size_t next = 0;
    inits = taken(all, next, op.getInits().size());
    xs = taken(all, next, op.getXs().size());
    captures = taken(all, next, op.getCaptures().size());
    starts = taken(all, next, op.getInits().size());
    tangents = next;
  }
  Values inits, xs, captures, starts;
  size_t tangents; ///< where they begin
};

/// Steps of the loop again, and their transpose.
class Again {
public:
  Again(ir::ScanOp op, const Flags& active, const NewSymbol& symbols)
      : op_(op), active_(active), new_symbol_(symbols) {}

  /// What the steps add to each captured value: sums of them as one op, and what they have added
  /// one after the other to `running`; null for nothing.
  struct OfCapture {
    std::vector<StepSum> sums;
    Value running;
  };
  struct Cotangents {
    Values states, xs; ///< of the active ones
    std::vector<OfCapture> captures;
  };

  /// `ys` may have null values. `running` of the active captures.
  Cotangents run_back(Builder& b, const Extent& steps, const Values& starts, const Values& xs,
                      const Values& captures, const Values& states, const Values& ys,
                      const Values& running) const {
    Values given = starts;
    llvm::append_range(given, xs);
    llvm::append_range(given, captures);
    auto region = as_region(b, op_, steps, mlir::ValueRange(given).getTypes(), true);
    Linearised made = transform::linearise(b, *region, given, active_, new_symbol_);
    LinearProgram& program = made.linear;
    Transposition inner(b, new_symbol_);
    auto tangents = program.region->getArguments().drop_front(program.residuals);
    const size_t own = starts.size() + xs.size();
    size_t capture = 0;
    for (auto [tangent, argument] : llvm::zip(tangents, program.arguments))
      if (argument < own)
        inner.set_linear(tangent);
      else
        inner.collect_parts(tangent, running[capture++]);
    Values cotangents;
    for (size_t result : program.results)
      cotangents.push_back(result < starts.size() ? states[result] : ys[result - starts.size()]);
    transpose_program(program, made.residuals, cotangents, inner);
    Cotangents found;
    for (auto [tangent, argument] : llvm::zip(tangents, program.arguments))
      if (argument < starts.size())
        found.states.push_back(inner.cotangent_or_zeros(tangent));
      else if (argument < own)
        found.xs.push_back(inner.cotangent_or_zeros(tangent));
      else
        found.captures.push_back(of_capture(inner, tangent));
    return found;
  }

private:
  static OfCapture of_capture(Transposition& inner, Value tangent) {
    OfCapture found;
    Transposition others(inner.b, inner.new_symbol); // what is no sum of all steps
    others.set_linear(tangent);
    for (Transposition::Contribution& contribution : inner.contributions(tangent))
      if (contribution.sum)
        found.sums.push_back(std::move(*contribution.sum));
      else
        others.add(tangent, contribution);
    found.running = others.sum(tangent);
    return found;
  }

  ir::ScanOp op_;
  const Flags& active_;
  const NewSymbol& new_symbol_;
};

} // namespace

llvm::ArrayRef<int64_t> segments_of(ir::ScanOp op) {
  auto attribute = op->getAttrOfType<mlir::DenseI64ArrayAttr>(kSegments);
  const auto length = op.getLength().shape()[0].constant();
  if (!attribute)
    return {};
  llvm::ArrayRef<int64_t> lengths = attribute.asArrayRef();
  while (!lengths.empty() && (lengths[0] < 1 || (length && *length <= lengths[0])))
    lengths = lengths.drop_front();
  return lengths;
}

void linearise_in_segments(ir::ScanOp op, const Flags& active, const Flags& results,
                           Linearisation& at) {
  Builder& b = at.b;
  const Split split(op);
  const size_t states = op.getInits().size();
  const Values inits = at.primals(op.getInits()), xs = at.primals(op.getXs()),
               captures = at.primals(op.getCaptures());
  auto head_of = [&](Value x) { return split.head_of(b, x); };

  Values begun = inits, first;
  if (split.has_head()) {
    first = run(b, op, split.head, inits, mapped(xs, head_of), captures, false);
    begun.assign(first.begin(), first.begin() + static_cast<int64_t>(states));
  }
  const bool has_head = split.has_head();
  llvm::SmallVector<size_t> wholes; // what steps give that somebody reads
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (has_head && number >= states && !result.use_empty()) {
      wholes.push_back(number);
      begun.push_back(split.begun_with(b, result.getType(), first[number]));
    }
  Values rows = mapped(xs, [&](Value x) { return split.for_segments(b, x); });
  if (has_head)
    rows.push_back(split.numbers(b));
  Types types(mlir::ValueRange(begun).getTypes());
  for (Value row : rows)
    types.push_back(language::slice_type(b, row));
  language::Body body = language::make_body(b, types, [&](const Values& own) {
    size_t next = 0;
    Values starts = taken(own, next, states), so_far = taken(own, next, wholes.size());
    Values steps = mapped(xs, [&](Value x) { return split.part_of(b, x, own[next++]); });
    Values made = run(b, op, split.steps, starts, steps, captures, false);
    Values yielded(made.begin(), made.begin() + static_cast<int64_t>(states));
    for (auto [number, whole] : llvm::zip(wholes, so_far))
      yielded.push_back(split.with_part(b, whole, made[number], own.back()));
    if (!has_head)
      yielded.insert(yielded.end(), made.begin() + static_cast<int64_t>(states), made.end());
    llvm::append_range(yielded, starts);
    return yielded;
  });
  Values made = language::scan(b, begun, rows, split.count, direction_of(op), std::move(body));
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (number < states)
      at.set(result, made[number]);
    else if (!has_head)
      at.set(result, flat(b, made[number]));
  for (auto [place, number] : llvm::enumerate(wholes))
    at.set(op->getResult(static_cast<unsigned>(number)), made[states + place]);

  Values given = inits;
  llvm::append_range(given, xs);
  llvm::append_range(given, captures);
  const size_t primals = given.size() + states;
  given.insert(given.end(), made.end() - static_cast<int64_t>(states), made.end());
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (active[number])
      given.push_back(at.tangent_or_zeros(operand));
  std::vector<size_t> numbers;
  Types result_types;
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (number < states ? active[number] : results[number]) {
      numbers.push_back(number);
      result_types.push_back(result.getType());
    }
  Builder& linear = at.linear;
  auto composite = ir::CompositeOp::create(linear, result_types, "segments", given, 1);
  composite->setAttr("residuals", linear.getI64IntegerAttr(static_cast<int64_t>(primals)));
  composite->setAttr("results", linear.getDenseI64ArrayAttr(
                                    llvm::SmallVector<int64_t>(numbers.begin(), numbers.end())));
  llvm::SmallVector<int64_t> flags(active.begin(), active.end());
  composite->setAttr("active", linear.getDenseI64ArrayAttr(flags));
  const Types given_types(mlir::ValueRange(given).getTypes());
  composite.getRules()[0].takeBody(
      *language::make_region(linear, given_types, [&](const Values& own) {
        const Operands all(op, own);
        Values again = run(linear, op, split.length, all.inits, all.xs, all.captures, false);
        again[0].getDefiningOp()->setAttr(kSegments, op->getAttr(kSegments));
        return again;
      }));
  composite.getBody().takeBody(*language::make_region(linear, given_types, [&](const Values& own) {
    const Operands all(op, own);
    auto loop = as_region(linear, op, split.length, op->getOperandTypes(), false);
    Values tangents;
    for (size_t number = 0, next = all.tangents; number < active.size(); ++number)
      tangents.push_back(active[number] ? own[next++] : Value());
    Pushed pushed = transform::push_forward(
        linear, *loop, mlir::ValueRange(own).take_front(active.size()), tangents, at.new_symbol);
    Values yielded;
    for (size_t number : numbers)
      yielded.push_back(pushed.tangents[number] ? pushed.tangents[number]
                                                : zeros_like(linear, pushed.results[number]));
    return yielded;
  }));
  for (auto [number, tangent] : llvm::zip(numbers, composite.getResults()))
    at.set_tangent(op->getResult(static_cast<unsigned>(number)), tangent);
}

void transpose_segments(ir::CompositeOp composite, Transposition& at) {
  Builder& b = at.b;
  auto op = llvm::cast<ir::ScanOp>(composite.getRules()[0].front().front());
  const Split split(op);
  const size_t states = op.getInits().size();
  Flags active;
  for (int64_t flag : composite->getAttrOfType<mlir::DenseI64ArrayAttr>("active").asArrayRef())
    active.push_back(flag != 0);
  auto counted = [&](size_t from, size_t count) {
    return static_cast<size_t>(std::count(active.begin() + static_cast<int64_t>(from),
                                          active.begin() + static_cast<int64_t>(from + count),
                                          true));
  };
  const size_t active_states = counted(0, states), active_xs = counted(states, op.getXs().size());
  const auto residuals =
      static_cast<size_t>(composite->getAttrOfType<mlir::IntegerAttr>("residuals").getInt());
  Values coefficients;
  for (Value operand : composite.getOperands().take_front(residuals))
    coefficients.push_back(at.coefficient(operand));
  const Operands own(op, coefficients);
  auto tangents = composite.getOperands().drop_front(residuals);
  auto captured = tangents.drop_front(active_states + active_xs);

  // Cotangents of results: of each state, of what steps give where it has one.
  Values of_states(states), of_ys(op->getNumResults() - states);
  for (auto [result, number] :
       llvm::zip(composite.getResults(),
                 composite->getAttrOfType<mlir::DenseI64ArrayAttr>("results").asArrayRef())) {
    const auto place = static_cast<size_t>(number);
    if (place < states)
      of_states[place] = at.cotangent_or_zeros(result);
    else
      of_ys[place - states] = at.cotangent(result);
  }
  auto for_segments = [&](Value x) { return x ? split.for_segments(b, x) : x; };
  auto head_of = [&](Value x) { return x ? split.head_of(b, x) : x; };
  const Again again(op, active, at.new_symbol);

  // The segments, the last first: states, what is carried of captures, what each gives.
  Values inits, begun = own.starts, rows = mapped(own.xs, for_segments),
                ys = mapped(of_ys, for_segments);
  for (auto [number, state] : llvm::enumerate(of_states))
    if (active[number])
      inits.push_back(state);
  Values running(captured.size());
  std::vector<bool> is_carried(captured.size(), false);
  std::vector<std::vector<SegmentSum>> sums;
  Types scatter_types;
  Values scatters; // what those sums start from that are carried
  Values numbers;
  if (split.has_head())
    numbers.push_back(split.numbers(b));
  auto make = [&](bool is_last) {
    Types types(mlir::ValueRange(inits).getTypes());
    const size_t carried = types.size();
    for (const Values& stacked : {begun, rows, ys, numbers})
      for (Value value : stacked)
        if (value)
          types.push_back(language::slice_type(b, value));
    return language::make_body(b, types, [&](const Values& arguments) {
      size_t next = 0, next_x = carried;
      Values cotangents(states), sums_so_far(captured.size());
      for (size_t number = 0; number < states; ++number)
        if (active[number])
          cotangents[number] = arguments[next++];
      for (size_t number = 0; is_last && number < captured.size(); ++number)
        if (is_carried[number])
          sums_so_far[number] = arguments[next++];
      Values of_scatters = is_last ? taken(arguments, next, scatters.size()) : Values();
      Values wholes = taken(arguments, next, carried - next);
      Values starts = taken(arguments, next_x, states);
      auto segment_of = [&](Value x) { return x ? split.part_of(b, x, arguments[next_x++]) : x; };
      Values xs = mapped(own.xs, segment_of), of_steps = mapped(of_ys, segment_of);
      Again::Cotangents found = again.run_back(b, split.steps, starts, xs, own.captures, cotangents,
                                               of_steps, sums_so_far);
      Values results = found.states;
      for (auto [number, whole] : llvm::enumerate(wholes))
        found.xs[number] = split.with_part(b, whole, found.xs[number], arguments.back());
      sums.clear();
      for (auto [number, capture] : llvm::enumerate(found.captures)) {
        if (is_last && is_carried[number])
          results.push_back(capture.running);
        is_carried[number] = bool(capture.running);
        sums.emplace_back();
        for (StepSum& sum : capture.sums)
          sums.back().emplace_back(std::move(sum), b.getInsertionBlock());
      }
      scatter_types.clear();
      for (std::vector<SegmentSum>& of_capture : sums)
        for (SegmentSum& one : of_capture) {
          if (!one.is_carried())
            continue;
          if (is_last)
            results.push_back(one.carried(of_scatters[scatter_types.size()]));
          scatter_types.push_back(one.sum.value.getType());
        }
      llvm::append_range(results, found.xs);
      for (const std::vector<SegmentSum>& of_capture : sums)
        for (const SegmentSum& one : of_capture)
          llvm::append_range(results, one.parts);
      return results;
    });
  };
  if (!captured.empty())
    make(false);
  for (auto [number, tangent] : llvm::enumerate(captured))
    if (is_carried[number])
      inits.push_back(at.start_of_sum(tangent));
  for (mlir::Type type : scatter_types) {
    scatters.push_back(zeros(b, type));
    inits.push_back(scatters.back());
  }
  for (size_t number = 0; split.has_head() && number < active_xs; ++number)
    inits.push_back(split.begun_with(b, tangents[active_states + number].getType(), {}));
  language::Body body = make(true);
  Values stacked = begun;
  llvm::append_range(stacked, rows);
  for (Value y : ys)
    if (y)
      stacked.push_back(y);
  llvm::append_range(stacked, numbers);
  Values made = language::scan(b, inits, stacked, split.count, opposite_of(op), std::move(body));
  auto loop = made[0].getDefiningOp<ir::ScanOp>();
  size_t next = 0;
  Values at_head(states);
  for (size_t number = 0; number < states; ++number)
    if (active[number])
      at_head[number] = made[next++];
  for (size_t number = 0; number < captured.size(); ++number)
    if (is_carried[number])
      running[number] = made[next++];
  const Values scattered(made.begin() + static_cast<int64_t>(next),
                         made.begin() + static_cast<int64_t>(next + scatters.size()));
  next += scatters.size();

  std::optional<Again::Cotangents> head;
  if (split.has_head())
    head = again.run_back(b, split.head, own.inits, mapped(own.xs, head_of), own.captures, at_head,
                          mapped(of_ys, head_of), running);
  Values of_xs;
  for (size_t number = 0; number < active_xs; ++number)
    of_xs.push_back(head ? split.with_head(b, made[next++], head->xs[number])
                         : flat(b, made[next++]));
  std::vector<std::vector<StepSum>> wholes;
  size_t scatter = 0;
  for (size_t number = 0; number < captured.size(); ++number) {
    wholes.emplace_back();
    for (auto [place, sum] : llvm::enumerate(sums[number])) {
      StepSum* of_head = head ? &head->captures[number].sums[place] : nullptr;
      if (sum.is_carried()) {
        StepSum whole{scattered[scatter], sum.sum.after, {}, 0, scatters[scatter]};
        if (of_head) {
          of_head->start.replaceAllUsesWith(whole.value);
          whole.value = of_head->value;
        }
        wholes.back().push_back(std::move(whole));
        ++scatter;
        continue;
      }
      if (of_head && sum.is_merged)
        of_head->value = split.nothing_without_head(b, of_head->value);
      Values given;
      for (size_t part = 0; part < sum.parts.size(); ++part)
        given.push_back(split.last_first(b, made[next++]));
      wholes.back().push_back(sum.over_segments(b, loop, given, of_head));
    }
    if (head && is_carried[number])
      running[number] = head->captures[number].running;
  }
  for (size_t number = captured.size(); number-- > 0;) {
    for (StepSum& sum : wholes[number])
      if (at.collects_parts(captured[number]))
        at.add_part(captured[number], std::move(sum));
      else
        at.add(captured[number], finished(b, sum, sum.value));
    if (running[number])
      at.add(captured[number], running[number]);
  }
  for (size_t number = active_xs; number-- > 0;)
    at.add(tangents[active_states + number], of_xs[number]);
  Values of_inits;
  for (size_t number = 0; number < states; ++number)
    if (active[number])
      of_inits.push_back(at_head[number]);
  if (head)
    of_inits = head->states;
  for (size_t number = active_states; number-- > 0;)
    at.add(tangents[number], of_inits[number]);
}

} // namespace kolam::transform::derive
