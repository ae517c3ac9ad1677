// associative_scan as a scan whose state is the prefix of the chunk, the carry of the chunks
// before, and where it is; of monoids that give the same bits in any grouping, as kolam.cumulative.
#include "kolam/frontend/array/associative_scan.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/interp/convert.h"
#include "kolam/ir/longest.h"
#include "kolam/ir/monoid.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/composite.h"
#include "kolam/language/control.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/custom_partitioning.h"
#include "kolam/transform/lists/rename.h"

namespace kolam::detail {
namespace {

/// Part of the function's meaning (DESIGN section 5).
constexpr int64_t kChunk = 4096;

constexpr llvm::StringLiteral kName = "associative_scan";

using Combine = std::function<Flat(const Leaves&, const Leaves&)>;

/// The state between turns. `count` elements have been seen.
struct State {
  Leaves prefix;   ///< of the chunk or, after a restart, of the segment
  Leaves carry;    ///< the last out of the chunk before
  Leaves previous; ///< the last out; exclusive scans only
  Tensor count;
  Tensor restarted; ///< a segment has started in this chunk; segmented scans only
  Tensor start;     ///< of a segment, at the element before; reverse segmented scans only
};
auto fields(State& s) {
  return std::tie(s.prefix, s.carry, s.previous, s.count, s.restarted, s.start);
}

struct Plan {
  Combine f;
  bool has_carry, is_segmented, is_reverse;
  Leaves identity; ///< of slices; empty for inclusive scans
};

Leaves choose(const Tensor& pred, const Leaves& yes, const Leaves& no) {
  Leaves chosen;
  for (size_t i = 0; i < yes.size(); ++i)
    chosen.push_back(where(pred, yes[i], no[i]));
  return chosen;
}

/// `pred ? value : f(left, right)`; f runs only where it is needed.
Leaves unless(const Tensor& pred, const Leaves& value, const Plan& plan, const Leaves& left,
              const Leaves& right) {
  return cond(pred, [&] { return value; }, [&] { return plan.f(left, right).leaves; });
}

/// One element: the next state and what it gives.
std::pair<State, Leaves> turn(const Plan& plan, const State& s, const Leaves& x,
                              const std::optional<Tensor>& flag) {
  State next = s;
  Tensor place = remainder(s.count, kChunk);
  Tensor is_fresh = equal(place, 0);
  Tensor restarts = plan.is_reverse ? s.start : flag.value_or(s.start);
  if (plan.is_segmented) {
    next.restarted = logical_or(restarts, logical_and(logical_not(is_fresh), s.restarted));
    next.start = *flag;
    is_fresh = logical_or(is_fresh, restarts);
  }
  next.prefix = unless(is_fresh, x, plan, s.prefix, x);
  Leaves out = next.prefix;
  if (plan.has_carry) {
    Tensor takes_none = less(s.count, kChunk);
    if (plan.is_segmented)
      takes_none = logical_or(takes_none, next.restarted);
    out = unless(takes_none, next.prefix, plan, s.carry, next.prefix);
    next.carry = cond(equal(place, kChunk - 1), [&] { return out; }, [&] { return s.carry; });
  }
  next.count = add(s.count, 1);
  if (plan.identity.empty())
    return {next, out};
  next.previous = out;
  return {next, plan.is_segmented ? choose(restarts, plan.identity, s.previous) : s.previous};
}

/// The identity of a tensor's scan: a number as a scalar of the tensor's dtype.
Operand typed_identity(const Operand& identity, DType dtype) {
  return std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, Extent>) {
          return with_dtype(identity, dtype);
        } else {
          if (language::weak_dtype(value, dtype) != dtype)
            fail(ErrorKind::value, "scalar-does-not-fit",
                 "argument 'identity': expected a number that " + std::string(name(dtype)) +
                     " holds, but got " + Tensor(Array::scalar(value)).to_string());
          language::require_fit(value, dtype);
          return identity.with(interp::convert(Array::scalar(value), dtype));
        }
      },
      identity.value());
}

/// f, refusing results unlike its arguments, at the line of the call.
Combine checked(const Combine& f, const std::string& structure) {
  return [f, structure, where = CallScope::current_location()](const Leaves& left,
                                                               const Leaves& right) {
    Flat both = f(left, right);
    CallScope scope("associative_scan", where);
    if (both.structure != structure)
      fail(ErrorKind::type, "carry-mismatch",
           "result of f: expected structure " + structure + ", but got " + both.structure);
    for (size_t i = 0; i < both.leaves.size(); ++i) {
      auto text = [](const Tensor& x) {
        return std::string(name(x.dtype())) + to_string(x.shape());
      };
      if (text(both.leaves[i]) != text(right[i]))
        fail(ErrorKind::type, "carry-mismatch",
             "result " + std::to_string(i) + " of f: expected " + text(right[i]) + ", but got " +
                 text(both.leaves[i]));
    }
    return both;
  };
}

/// `x` with `axis` moved to the front, or the front moved there.
enum class Move : uint8_t { to_front, from_front };
mlir::Value move_axis(language::Builder& b, mlir::Value x, int64_t axis, Move move) {
  if (axis == 0)
    return x;
  llvm::SmallVector<int64_t> order;
  Shape from = ir::shape_of(x), to;
  for (int64_t dim = 0; dim < static_cast<int64_t>(from.size()); ++dim)
    if (move == Move::to_front)
      order.push_back(dim == 0 ? axis : dim <= axis ? dim - 1 : dim);
    else
      order.push_back(dim < axis ? dim + 1 : dim == axis ? 0 : dim);
  for (int64_t dim : order)
    to.push_back(from[dim]);
  return ir::TransposeOp::create(b, language::tensor_type(b, ir::dtype_of(x), to), x, order);
}

/// f, traced once. A nest of scans, each of whose functions were called where it is used, would
/// double with each level.
class Traced {
public:
  Traced(Trace& trace, const Combine& f, const std::vector<mlir::Type>& rows) : trace_(trace) {
    std::vector<mlir::Type> both = rows;
    both.insert(both.end(), rows.begin(), rows.end());
    const auto count = static_cast<std::ptrdiff_t>(rows.size());
    traced_ = trace.region(both, [&](const Leaves& given) {
      return f(Leaves(given.begin(), given.begin() + count),
               Leaves(given.begin() + count, given.end()))
          .leaves;
    });
  }

  /// The named monoid that f is, where every grouping of it gives the same bits.
  std::optional<Fn> exact_monoid() {
    mlir::Block& block = traced_.region->front();
    if (block.getNumArguments() != 2)
      return std::nullopt;
    auto op = block.getTerminator()->getOperand(0).getDefiningOp<ir::ElementwiseOp>();
    if (!op || op->getOperands() != mlir::ValueRange(block.getArguments()))
      return std::nullopt;
    std::optional<Fn> fn = ir::parse_monoid(op.getFunction());
    return fn && ir::is_exact(*fn, ir::dtype_of(op.getResult())) ? fn : std::nullopt;
  }

  /// As a function whose every call is a copy, for bodies that hold no associative_scan as one op.
  Combine written_out() {
    std::shared_ptr<mlir::Region> copy = language::copy_of(*traced_.region);
    copy->walk<mlir::WalkOrder::PreOrder>([&](ir::CompositeOp op) {
      if (op.getName() != kName)
        return mlir::WalkResult::advance();
      transform::take_body(op);
      return mlir::WalkResult::skip();
    });
    return [this, copy](const Leaves& left, const Leaves& right) {
      auto own = transform::lists::renamed(*copy, [&] { return trace_.new_symbol(); });
      language::Values given;
      for (const Leaves* side : {&left, &right})
        for (const Tensor& x : *side)
          given.push_back(trace_.value_of(x));
      llvm::append_range(given, traced_.captures);
      Flat results;
      for (mlir::Value result : language::inlined(trace_.builder(), *own, given))
        results.leaves.push_back(trace_.wrap(result));
      return results;
    };
  }

  /// The region and what it captures, as the rule of a composite.
  language::Body take() { return {std::move(traced_.region), std::move(traced_.captures)}; }

private:
  Trace& trace_;
  Trace::Region traced_;
};

Tensor filled(Trace& trace, mlir::Value value, mlir::Value like) {
  language::Builder& b = trace.builder();
  Shape shape = ir::shape_of(like);
  value = language::cast(b, value, ir::dtype_of(like));
  return trace.wrap(language::broadcast_to(b, value, Shape(shape.begin() + 1, shape.end())));
}

void require_segments(mlir::Value segments) {
  if (ir::rank_of(segments) != 1 || ir::dtype_of(segments) != DType::boolean)
    language::fail_argument(ErrorKind::type, "dtype-mismatch", "segments", "a boolean vector",
                            language::describe(segments));
}

/// The scan that this is, over rows; `segments` where it has some.
Leaves in_turns(Trace& trace, Plan plan, const Leaves& xs, const std::optional<Tensor>& segments,
                Operand::Here where) {
  language::Builder& b = trace.builder();
  const size_t count = xs.size();
  Flat slices;
  slices.leaves = xs;
  State start;
  mlir::Value zero = language::weak_constant(b, int64_t{0}, DType::i32);
  for (const Tensor& x : xs) {
    auto length = x.shape()[0].constant();
    plan.has_carry &= !length || *length > kChunk;
    start.prefix.push_back(filled(trace, zero, trace.value_of(x)));
  }
  if (segments)
    slices.leaves.push_back(*segments);
  if (plan.has_carry)
    start.carry = start.prefix;
  start.previous = plan.identity;
  start.count = Array::scalar(int64_t{0});
  start.restarted = start.start = Array::scalar(false);

  const CallSite call{"associative_scan", to_location(where)};
  ScanOptions turns;
  turns.reverse = plan.is_reverse;
  ScanResult result = detail::scan(
      flatten_start(start, call), slices, turns,
      [&](const Leaves& state, const Leaves& x) {
        std::optional<Tensor> flag;
        if (segments)
          flag = x.back();
        auto [next, y] = turn(plan, unflatten(start, state, call),
                              Leaves(x.begin(), x.begin() + static_cast<int64_t>(count)), flag);
        return ScanTurn{flatten(next, call), flatten(y, call)};
      },
      where);
  if (!plan.has_carry) // right for one chunk
    trace.value_of(result.ys[0])
        .getDefiningOp()
        ->setAttr(ir::kLongest, b.getI64IntegerAttr(kChunk));
  return result.ys;
}

/// As one op, which derivatives know (transform/derive/associative_scan.cpp): its body are the
/// turns, its rule is f.
Leaves as_composite(Trace& trace, Traced& f, bool is_reverse, const Leaves& xs,
                    const std::function<Leaves(const Leaves&)>& looped) {
  language::Builder& b = trace.builder();
  language::Values operands;
  llvm::SmallVector<mlir::Type> results;
  for (const Tensor& x : xs) {
    operands.push_back(trace.value_of(x));
    results.push_back(operands.back().getType());
  }
  std::vector<language::Body> bodies;
  {
    language::KeepComposites inside(0); // what has a rule is not differentiated by its body
    Trace::Region body = trace.region(results, looped);
    bodies.push_back({std::move(body.region), std::move(body.captures)});
  }
  bodies.push_back(f.take());
  llvm::append_range(operands, language::share_captures(bodies));
  auto op = ir::CompositeOp::create(b, results, b.getStringAttr(kName), operands, 1U);
  op->setAttr("reverse", b.getBoolAttr(is_reverse));
  op->setAttr("dims", b.getDenseI64ArrayAttr({0}));
  op.getBody().takeBody(*bodies[0].region);
  op.getRules()[0].takeBody(*bodies[1].region);
  Leaves outs;
  for (mlir::Value result : op.getResults())
    outs.push_back(trace.wrap(result));
  return outs;
}

} // namespace

Leaves associative_scan(const Flat& xs, const AssociativeScanOptions& options, const Combine& f,
                        Operand::Here where) {
  CallScope scope("associative_scan", {where.file_name(), static_cast<int>(where.line())});
  const size_t count = xs.leaves.size();
  if (count == 0)
    fail(ErrorKind::value, "shape-mismatch",
         "argument 'xs': expected at least one tensor, but got none");
  if (!options.identity.empty() && options.identity.size() != count)
    fail(ErrorKind::value, "shape-mismatch",
         "argument 'identity': expected " + std::to_string(count) +
             " scalars, one per tensor, but got " + std::to_string(options.identity.size()));
  std::vector<Operand> operands(xs.leaves.begin(), xs.leaves.end());
  for (size_t i = 0; i < options.identity.size(); ++i)
    operands.push_back(typed_identity(options.identity[i], xs.leaves[i].dtype()));
  if (options.segments)
    operands.emplace_back(*options.segments);

  auto record = [&](Trace& trace, const language::Values& values) {
    language::Builder& b = trace.builder();
    std::vector<int64_t> axes;
    std::vector<mlir::Type> rows;
    for (size_t i = 0; i < count; ++i) {
      Shape row = ir::shape_of(values[i]);
      axes.push_back(language::normalize_axis(options.axis, ir::rank_of(values[i])));
      row.erase(row.begin() + axes.back());
      rows.push_back(language::tensor_type(b, ir::dtype_of(values[i]), row));
    }
    if (options.segments)
      require_segments(values.back());
    Traced traced(trace, checked(f, xs.structure), rows);
    if (values.size() == 1) // neither an identity nor segments
      if (std::optional<Fn> fn = traced.exact_monoid())
        return language::Values{language::cumulative(b, values[0], *fn, axes[0], options.reverse)};
    Plan plan{traced.written_out(), true, options.segments.has_value(), options.reverse, {}};
    Leaves slices;
    for (size_t i = 0; i < count; ++i) {
      mlir::Value x = move_axis(b, values[i], axes[i], Move::to_front);
      slices.push_back(trace.wrap(x));
      if (!options.identity.empty())
        plan.identity.push_back(filled(trace, values[count + i], x));
    }
    auto looped = [&](const Leaves& own) {
      return in_turns(trace, plan, own,
                      options.segments ? std::optional(trace.wrap(values.back())) : std::nullopt,
                      where);
    };
    const bool is_one = language::KeepComposites::keeps() && values.size() == count;
    Leaves outs =
        is_one ? as_composite(trace, traced, options.reverse, slices, looped) : looped(slices);
    language::Values moved;
    for (size_t i = 0; i < count; ++i)
      moved.push_back(move_axis(b, trace.value_of(outs[i]), axes[i], Move::from_front));
    return moved;
  };
  return apply_traced("associative_scan", operands, record);
}

} // namespace kolam::detail
