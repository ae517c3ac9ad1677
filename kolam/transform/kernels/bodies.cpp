// Rules by op; those without one stay as they are.
#include "kolam/transform/kernels/bodies.h"

#include "kolam/ir/visit.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/kernels/inner_steps.h"
#include "kolam/transform/kernels/unwritten.h"

#include "llvm/ADT/SetVector.h"

namespace kolam::transform::kernels {

using language::elementwise;

namespace {

/// Whether bodies of an op use Refs: captured ones, or of memory of their own.
bool uses_refs(mlir::Operation* op) {
  return llvm::any_of(op->getOperands(), ir::is_ref) ||
         op->walk([](ir::RefAllocOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

class Rules {
public:
  explicit Rules(CallArrays& in) : b(in.b), in_(in) {}

  Values convert(mlir::Block& block, Environment& at) {
    for (mlir::Operation& op : block.without_terminator()) {
      b.setLoc(op.getLoc());
      convert(&op, at);
    }
    Values yields;
    for (Value value : block.getTerminator()->getOperands())
      yields.push_back(at.values.lookup(value));
    return yields;
  }

  Value convert(Value value, Environment& at) {
    mlir::Operation* op = value.getDefiningOp();
    if (op && !at.values.contains(value) && !at.views.contains(value)) {
      for (Value operand : op->getOperands())
        convert(operand, at);
      convert(op, at);
    }
    return at.values.lookupOrNull(value);
  }

private:
  /// The same where an element that is used is not one of the Ref.
  void require_in_ref(const View& view, Value mask, const std::string& verb) {
    if (!in_.call.getChecks() || !view.in_ref)
      return;
    Value holds = view.in_ref;
    if (mask)
      holds = elementwise(b, Fn::logical_or, {holds, elementwise(b, Fn::logical_not, {mask})});
    in_.check(holds, "index-out-of-range",
              "expected to " + verb + " elements that the Ref has, but an element of the view of " +
                  in_.names.of(view.name) + " lies outside");
  }

  /// An op that has a rule below, which says whether it is for this one; others stay as they are.
  void convert(mlir::Operation* op, Environment& at) {
    const bool is_converted = ir::visit<bool>(
        op,
        [&](auto typed) {
          if constexpr (requires { convert_op(typed, at); })
            return convert_op(typed, at);
          else
            return false;
        },
        [](mlir::Operation*) { return false; });
    if (!is_converted)
      b.clone(*op, at.values);
  }

  Value lookup(Value value, const Environment& at) const {
    return value ? at.values.lookup(value) : value;
  }

  template <class F> void view(Value from, Value to, Environment& at, F f) {
    Views views;
    for (const Choice& choice : at.views.find(from)->second)
      views.push_back({choice.holds, f(choice.view)});
    at.views[to] = std::move(views);
  }
  bool convert_op(ir::RefSliceOp op, Environment& at) {
    Values starts;
    for (Value start : op.getStarts())
      starts.push_back(lookup(start, at));
    Shape shape = ir::shape_of(ir::value_type(op.getResult()));
    view(op.getRef(), op.getResult(), at,
         [&](const View& view) { return in_.arrays.sliced(view, starts, op.getSteps(), shape); });
    return true;
  }
  bool convert_op(ir::RefGatherOp op, Environment& at) {
    Shape shape = ir::shape_of(ir::value_type(op.getResult()));
    view(op.getRef(), op.getResult(), at, [&](const View& view) {
      return in_.arrays.gathered(view, lookup(op.getIndices(), at), op.getDims(), shape);
    });
    return true;
  }
  bool convert_op(ir::RefReshapeOp op, Environment& at) {
    Shape shape = ir::shape_of(ir::value_type(op.getResult()));
    view(op.getRef(), op.getResult(), at,
         [&](const View& view) { return in_.arrays.reshaped(view, shape); });
    return true;
  }
  bool convert_op(ir::RefTransposeOp op, Environment& at) {
    view(op.getRef(), op.getResult(), at,
         [&](const View& view) { return in_.arrays.transposed(view, op.getPermutation()); });
    return true;
  }
  bool convert_op(ir::RefBitcastOp op, Environment& at) {
    DType dtype = ir::dtype_of(ir::value_type(op.getResult()));
    view(op.getRef(), op.getResult(), at, [&](View view) {
      view.dtype = dtype;
      return view;
    });
    return true;
  }
  bool convert_op(ir::RefSelectOp op, Environment& at) {
    Value selector = language::cast(b, lookup(op.getSelector(), at), DType::i64);
    Views views;
    for (auto [number, ref] : llvm::enumerate(op.getRefs())) {
      Value last = language::integer_constant(b, static_cast<int64_t>(number), DType::i64);
      Value chosen = number + 1 == op.getRefs().size()
                         ? Value()
                         : elementwise(b, Fn::less_equal, {selector, last});
      for (const Choice& choice : at.views.find(ref)->second) {
        views.push_back({in_.arrays.both(chosen, choice.holds), choice.view});
      }
    }
    at.views[op.getResult()] = std::move(views);
    return true;
  }
  bool convert_op(ir::RefAllocOp op, Environment& at) {
    in_.set_root(op.getResult(), in_.whole(in_.add_unwritten(ir::value_type(op.getResult()))), at);
    return true;
  }

  Value chosen(Value holds, Value x, Value otherwise) {
    return holds ? elementwise(b, Fn::where,
                               {language::broadcast_to(b, holds, ir::shape_of(x)), x, otherwise})
                 : x;
  }
  bool convert_op(ir::RefReadOp op, Environment& at) {
    Value elements, mask = lookup(op.getMask(), at), other = lookup(op.getOther(), at);
    for (const Choice& choice : llvm::reverse(at.views.find(op.getRef())->second)) {
      require_in_ref(choice.view, mask, "read");
      elements = chosen(choice.holds, in_.arrays.read(choice.view, mask, other), elements);
    }
    at.values.map(op.getResult(), elements);
    return true;
  }
  /// For each choice the mask under which it is the one.
  template <class F> void under_masks(Value ref, Value mask, const Environment& at, F f) {
    Value none_before; // no choice before this one holds
    for (const Choice& choice : at.views.find(ref)->second) {
      Value holds = in_.arrays.both(none_before, choice.holds);
      Value everywhere = holds ? language::broadcast_to(b, holds, choice.view.shape) : Value();
      f(choice.view, holds, in_.arrays.both(mask, everywhere));
      if (choice.holds)
        none_before = in_.arrays.both(none_before, elementwise(b, Fn::logical_not, {choice.holds}));
    }
  }
  bool convert_op(ir::RefWriteOp op, Environment& at) {
    under_masks(op.getRef(), lookup(op.getMask(), at), at,
                [&](const View& view, Value, Value mask) {
                  require_in_ref(view, mask, "write");
                  in_.arrays.write(view, lookup(op.getValue(), at), mask);
                });
    return true;
  }
  bool convert_op(ir::RefUpdateOp op, Environment& at) {
    Value old;
    const bool needs_old = !op.getOld().use_empty();
    under_masks(op.getRef(), lookup(op.getMask(), at), at,
                [&](const View& view, Value holds, Value mask) {
                  require_in_ref(view, mask, "write");
                  Value own = in_.arrays.update(view, op.getKind(), lookup(op.getValue(), at),
                                                lookup(op.getCompare(), at), mask, needs_old);
                  if (needs_old)
                    old = old ? chosen(holds, own, old) : own;
                });
    if (needs_old)
      at.values.map(op.getOld(), old);
    return true;
  }

  /// The arrays that the bodies of an op change.
  std::vector<int> changed_in(mlir::Operation* op) const {
    llvm::SetVector<int> changed;
    op->walk([&](mlir::Operation* inner) {
      Value ref = ir::written_ref(inner);
      if (!ref)
        return;
      for (Value root : ir::roots_of(ref)) {
        if (mlir::Operation* made = root.getDefiningOp(); made && op->isAncestor(made))
          continue; // an array of the body's own
        if (auto found = in_.of_roots.find(root); found != in_.of_roots.end())
          changed.insert(found->second);
      }
    });
    return {changed.begin(), changed.end()};
  }

  /// A body of a loop or branch, and where arrays that it changes stand: behind that many of its
  /// arguments and of its results; nullopt: they are captured, and no results.
  struct Place {
    mlir::Region& region;
    mlir::ValueRange captures; ///< its last arguments
    std::optional<size_t> arguments, results;
    std::optional<Range> counter = std::nullopt; ///< of the first argument
  };
  language::Body body_of(const Place& place, const std::vector<int>& changed,
                         const Environment& at) {
    auto own = place.region.front().getArguments().drop_back(place.captures.size());
    auto captured = place.region.front().getArguments().take_back(place.captures.size());
    const Values before = in_.values_of(changed);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::BlockArgument argument : own)
      types.push_back(argument.getType());
    if (place.arguments) {
      auto arrays = mlir::ValueRange(before).getTypes();
      types.insert(types.begin() + static_cast<int64_t>(*place.arguments), arrays.begin(),
                   arrays.end());
    }
    language::Body body = language::make_body(b, types, [&](const Values& given) {
      Environment inside;
      for (auto [number, argument] : llvm::enumerate(own))
        inside.values.map(argument,
                          given[number < *place.arguments ? number : number + changed.size()]);
      for (auto [argument, capture] : llvm::zip(captured, place.captures))
        if (ir::is_ref(capture))
          inside.views[argument] = at.views.find(capture)->second;
        else
          inside.values.map(argument, at.values.lookup(capture));
      if (place.counter)
        in_.ranges.note(given[0], *place.counter);
      if (place.arguments)
        in_.set_values(changed, llvm::ArrayRef(given).slice(*place.arguments, changed.size()));
      Values yields = convert(place.region.front(), inside);
      return place.results ? with_arrays(yields, changed, *place.results) : yields;
    });
    in_.set_values(changed, before);
    return body;
  }

  Values with_arrays(Values values, const std::vector<int>& changed, size_t place) {
    Values arrays = in_.values_of(changed);
    values.insert(values.begin() + static_cast<int64_t>(place), arrays.begin(), arrays.end());
    return values;
  }
  Values mapped(mlir::ValueRange values, const Environment& at) const {
    Values result;
    for (Value value : values)
      result.push_back(at.values.lookup(value));
    return result;
  }
  /// `results` are those of the op and, from `place` on, the arrays.
  void set_results(mlir::Operation* op, const Values& results, size_t place,
                   const std::vector<int>& changed, Environment& at) {
    in_.names.put_on(results, place, changed);
    for (auto [number, result] : llvm::enumerate(op->getResults()))
      at.values.map(result, results[number < place ? number : number + changed.size()]);
    in_.set_values(changed, llvm::ArrayRef(results).slice(place, changed.size()));
  }

  /// The only branch that is taken.
  void inline_branch(ir::CondOp op, mlir::Region& branch, Environment& at) {
    Environment inside;
    for (auto [argument, capture] : llvm::zip(branch.front().getArguments(), op.getCaptures()))
      if (ir::is_ref(capture))
        inside.views[argument] = at.views.find(capture)->second;
      else
        inside.values.map(argument, at.values.lookup(capture));
    Values yields = convert(branch.front(), inside);
    for (auto [result, value] : llvm::zip(op.getResults(), yields))
      at.values.map(result, value);
  }

  bool convert_op(ir::ForOp op, Environment& at) {
    if (!uses_refs(op))
      return false;
    const std::vector<int> changed = changed_in(op);
    const size_t states = op.getInits().size();
    Value lower = at.values.lookup(op.getLower()), upper = at.values.lookup(op.getUpper());
    auto from = in_.ranges.of(lower), to = in_.ranges.of(upper);
    Values carried = with_arrays(mapped(op.getInits(), at), changed, states);
    auto is_known = [](const std::optional<Range>& range) {
      return range && range->least == range->most;
    };
    std::vector<int64_t> cuts;
    if (!in_.is_point && is_known(from) && is_known(to))
      cuts = cuts_of_steps(op, from->least, to->least);
    if (cuts.empty()) {
      std::optional<Range> counter;
      if (from && to && from->least < to->most)
        counter = Range{from->least, to->most - 1};
      carried = steps_of(op, lower, upper, counter, carried, changed, at);
    }
    const DType dtype = ir::dtype_of(lower);
    for (size_t part = 0; part + 1 < cuts.size(); ++part) {
      in_.set_values(changed, llvm::ArrayRef(carried).take_back(changed.size()));
      carried = steps_of(op, language::integer_constant(b, cuts[part], dtype),
                         language::integer_constant(b, cuts[part + 1], dtype),
                         Range{cuts[part], cuts[part + 1] - 1}, carried, changed, at);
    }
    set_results(op, carried, states, changed, at);
    return true;
  }
  /// A loop over some steps; its states, and then the arrays that it changes.
  Values steps_of(ir::ForOp op, Value lower, Value upper, std::optional<Range> counter,
                  const Values& inits, const std::vector<int>& changed, const Environment& at) {
    const size_t states = op.getInits().size();
    language::Body body =
        body_of({op.getBody(), op.getCaptures(), states + 1, states, counter}, changed, at);
    return language::for_loop(b, lower, upper, inits, std::move(body));
  }
  bool convert_op(ir::WhileOp op, Environment& at) {
    if (!uses_refs(op))
      return false;
    const std::vector<int> changed = changed_in(op);
    const size_t states = op.getInits().size();
    language::Body condition =
        body_of({op.getCondition(), op.getCaptures(), states, std::nullopt}, changed, at);
    language::Body body = body_of({op.getBody(), op.getCaptures(), states, states}, changed, at);
    set_results(op,
                language::while_loop(b, with_arrays(mapped(op.getInits(), at), changed, states),
                                     std::move(condition), std::move(body)),
                states, changed, at);
    return true;
  }
  bool convert_op(ir::CondOp op, Environment& at) {
    if (op == in_.taken) {
      inline_branch(op, op.getBranches().back(), at);
      return true;
    }
    if (auto selected = in_.ranges.of(at.values.lookup(op.getSelector()));
        selected && selected->least == selected->most) {
      const auto last = static_cast<int64_t>(op.getBranches().size()) - 1;
      inline_branch(op, op.getBranches()[std::clamp<int64_t>(selected->least, 0, last)], at);
      return true;
    }
    if (!uses_refs(op))
      return false;
    const std::vector<int> changed = changed_in(op);
    std::vector<language::Body> branches;
    for (mlir::Region& branch : op.getBranches())
      branches.push_back(
          body_of({branch, op.getCaptures(), std::nullopt, op.getNumResults()}, changed, at));
    set_results(op, language::cond(b, at.values.lookup(op.getSelector()), std::move(branches)),
                op.getNumResults(), changed, at);
    return true;
  }
  bool convert_op(ir::ScanOp op, Environment& at) {
    if (!uses_refs(op))
      return false;
    const std::vector<int> changed = changed_in(op);
    const size_t states = op.getInits().size();
    language::Body body = body_of({op.getBody(), op.getCaptures(), states, states}, changed, at);
    set_results(op,
                language::scan(b, with_arrays(mapped(op.getInits(), at), changed, states),
                               mapped(op.getXs(), at), op.getLength().shape()[0],
                               op.getReverse() ? language::Direction::reverse
                                               : language::Direction::forward,
                               std::move(body)),
                states, changed, at);
    return true;
  }

  Builder& b;
  CallArrays& in_;
};

} // namespace

Value CallArrays::unwritten(mlir::Type type) {
  return kernels::unwritten(b, type, call.getChecks());
}

View CallArrays::whole(int array) {
  return arrays.whole(array, zero_of(b, arrays.value(array).getType()));
}

Values CallArrays::values_of(llvm::ArrayRef<int> numbers) {
  Values values;
  for (int array : numbers)
    values.push_back(arrays.value(array));
  return values;
}

void CallArrays::set_values(llvm::ArrayRef<int> numbers, llvm::ArrayRef<Value> values) {
  for (auto [array, value] : llvm::zip_first(numbers, values))
    arrays.value(array) = value;
}

void CallArrays::set_root(Value ref, const View& view, Environment& at) {
  of_roots[ref] = view.array;
  at.views[ref] = {{{}, view}};
}

void CallArrays::check(Value holds, const char* slug, const std::string& message) {
  std::string where;
  if (!instance.empty()) { // the condition by instances, so that the error has the number
    const Shape grid = call.getGrid().shape(),
                shape(grid.begin(), grid.begin() + std::ssize(instance));
    Value fails = language::broadcast_to(b, elementwise(b, Fn::logical_not, {holds}), shape);
    for (auto [axis, number] : llvm::enumerate(instance)) {
      Value numbers = language::iota(b, shape, static_cast<int64_t>(axis), DType::i32);
      Value own = elementwise(b, Fn::equal, {numbers, language::broadcast_to(b, number, shape)});
      fails = elementwise(b, Fn::logical_and, {fails, own});
    }
    holds = elementwise(b, Fn::logical_not, {fails});
    where = " in one of the instances";
  }
  language::check(b, holds, slug, "kernel '" + call.getName().str() + "': " + message + where);
}

Values convert_ops(CallArrays& in, mlir::Block& block, Environment& at) {
  return Rules(in).convert(block, at);
}

Value convert_value(CallArrays& in, Value value, Environment& at) {
  return Rules(in).convert(value, at);
}

} // namespace kolam::transform::kernels
