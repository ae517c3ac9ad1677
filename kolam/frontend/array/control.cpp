// Records loops, branches and scans.
#include "kolam/frontend/array/control.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/carried.h"
#include "kolam/frontend/array/list_leaves.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/control.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"

#include "llvm/ADT/SetVector.h"

#include <limits>

namespace kolam::detail {

SourceLocation call_line(Operand::Here here, Operand::Here made) {
  const std::string_view file = here.file_name();
  const bool is_apply = file.find("/c++/") != std::string_view::npos; // std::apply in a rule
  SourceLocation line = is_apply ? SourceLocation() : user_line(here);
  return line ? line : user_line(made);
}

namespace {

/// A weak integer as an array, so that it is an argument and not a part of the program, and apart
/// from the operands beside it.
Operand strong(const Operand& operand) {
  if (const ScalarParameter* scalar = scalar_parameter(operand)) {
    auto* like = std::get_if<int64_t>(&scalar->like);
    bool is_wide = like && !language::fits(*like, DType::i32);
    return is_wide ? with_dtype(operand, DType::i64) : with_dtype(operand);
  }
  auto* number = std::get_if<int64_t>(&operand.value());
  if (!number)
    return operand.apart();
  return *number == static_cast<int32_t>(*number)
             ? Operand(Array::scalar(static_cast<int32_t>(*number)))
             : Operand(Array::scalar(*number));
}

template <class Leaves>
std::vector<Operand> operands_of(std::initializer_list<Operand> first, const Leaves& leaves) {
  std::vector<Operand> operands(first);
  operands.insert(operands.end(), leaves.begin(), leaves.end());
  return operands;
}

language::Values tail(const language::Values& values, size_t first) {
  return {values.begin() + static_cast<int64_t>(first), values.end()};
}

language::Body to_body(Trace::Region region) {
  Lists::drop_unused(region.region->front());
  return {std::move(region.region), {region.captures.begin(), region.captures.end()}};
}

/// The same for a scan of arrays, which carries no lists: one that the body captures comes as its
/// leaves and offsets, of which the body makes it again.
language::Body to_scan_body(Trace::Region region) {
  language::Builder& b = Trace::current()->builder();
  mlir::Block& block = region.region->front();
  auto first = static_cast<unsigned>(block.getNumArguments() - region.captures.size());
  language::Body body{std::move(region.region), {}};
  for (mlir::Value capture : region.captures) {
    auto argument = block.getArgument(first + static_cast<unsigned>(body.captures.size()));
    auto list = llvm::dyn_cast<ir::ListType>(capture.getType());
    if (!list) {
      body.captures.push_back(capture);
      continue;
    }
    language::Values inside;
    language::Values parts =
        language::unpack(b, capture, Trace::current()->new_symbols(list.depth()));
    for (mlir::Value part : parts)
      inside.push_back(
          block.insertArgument(first + static_cast<unsigned>(body.captures.size() + inside.size()),
                               part.getType(), part.getLoc()));
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&block);
    argument.replaceAllUsesWith(
        language::pack(b, inside[0], language::Values(inside.begin() + 1, inside.end())));
    body.captures.insert(body.captures.end(), parts.begin(), parts.end());
    block.eraseArgument(argument.getArgNumber());
  }
  return body;
}

void require_structure(std::string_view slug, std::string_view what, const std::string& expected,
                       const std::string& actual) {
  if (expected != actual)
    fail(ErrorKind::type, slug,
         std::string(what) + ": expected structure " + expected + ", but got " + actual);
}

/// The next state, in which numbers that a body gives take the dtypes of the state.
Leaves at_dtypes(Leaves next, llvm::ArrayRef<mlir::Type> types) {
  for (size_t i = 0; i < std::min(next.size(), types.size()); ++i)
    if (llvm::isa<mlir::RankedTensorType>(types[i]))
      next[i] = at_dtype(next[i], ir::dtype_of(types[i]));
  return next;
}

/// Whether a state holds a number without a dtype; beside lists, which a body takes apart, numbers
/// have their own.
bool has_numbers(const FlatStart& init) {
  bool has_number = false;
  for (const Operand& leaf : init.leaves) {
    auto* tensor = std::get_if<Tensor>(&leaf.value());
    if (tensor && tensor->is_counted())
      return false;
    has_number |= !tensor || scalar_parameter(leaf);
  }
  return has_number;
}

/// The state as tensors, numbers at their own dtypes.
Flat as_tensors(const FlatStart& init) {
  Flat flat{{}, init.structure};
  for (const Operand& leaf : init.leaves) {
    Operand taken = strong(leaf);
    if (auto* number = std::get_if<double>(&taken.value()))
      taken = Operand(Array::scalar(static_cast<float>(*number)));
    else if (auto* large = std::get_if<uint64_t>(&taken.value()))
      taken = Operand(Array::scalar(*large));
    else if (auto* flag = std::get_if<bool>(&taken.value()))
      taken = Operand(Array::scalar(*flag));
    flat.leaves.push_back(std::get<Tensor>(taken.value()));
  }
  return flat;
}

Leaves fori_loop_of_tensors(const Operand& lower, const Operand& upper, const Flat& init,
                            const std::function<Flat(Tensor, const Leaves&)>& body) {
  CallScope scope("fori_loop", lower.where());
  const Lists::Depths depths = Lists::depths_of(init.leaves);
  auto record = [&](Trace& trace, const language::Values& values) {
    language::Builder& b = trace.builder();
    auto [from, to] = language::loop_bounds(b, values[0], values[1]);
    language::Values inits = Lists::pack(b, tail(values, 2), depths);
    llvm::SmallVector<mlir::Type> types{from.getType()};
    for (mlir::Value value : inits)
      types.push_back(value.getType());
    std::string structure;
    auto region = trace.region(types, [&](const Leaves& arguments) {
      Flat next =
          body(arguments[0], Lists::unpack(trace, Leaves(arguments.begin() + 1, arguments.end())));
      structure = next.structure;
      return at_dtypes(Lists::pack(trace, next.leaves), llvm::ArrayRef(types).drop_front());
    });
    require_structure("carry-mismatch", "state", init.structure, structure);
    return Lists::unpack(trace, language::for_loop(b, from, to, inits, to_body(std::move(region))));
  };
  return Lists::marked(
      apply_traced("fori_loop", operands_of({strong(lower), strong(upper)}, init.leaves), record),
      depths);
}

Leaves while_loop_of_tensors(const Flat& init,
                             const std::function<Tensor(const Leaves&)>& condition,
                             const std::function<Flat(const Leaves&)>& body, Operand::Here where) {
  CallScope scope("while_loop", to_location(where));
  const Lists::Depths depths = Lists::depths_of(init.leaves);
  auto record = [&](Trace& trace, const language::Values& parts) {
    language::Builder& b = trace.builder();
    language::Values inits = Lists::pack(b, parts, depths);
    mlir::ValueRange range(inits);
    auto holds = trace.region(range.getTypes(), [&](const Leaves& arguments) {
      return Leaves{condition(Lists::unpack(trace, arguments))};
    });
    std::string structure;
    auto turn = trace.region(range.getTypes(), [&](const Leaves& arguments) {
      Flat next = body(Lists::unpack(trace, arguments));
      structure = next.structure;
      return at_dtypes(Lists::pack(trace, next.leaves),
                       llvm::SmallVector<mlir::Type>(range.getTypes()));
    });
    require_structure("carry-mismatch", "state", init.structure, structure);
    return Lists::unpack(
        trace, language::while_loop(b, inits, to_body(std::move(holds)), to_body(std::move(turn))));
  };
  return Lists::marked(apply_traced("while_loop", operands_of({}, init.leaves), record), depths);
}

ScanResult scan_of_tensors(const Flat& init, const Flat& xs, const ScanOptions& options,
                           const std::function<ScanTurn(const Leaves&, const Leaves&)>& body,
                           Operand::Here where) {
  CallScope scope("scan", to_location(where));
  auto carried = static_cast<int64_t>(init.leaves.size());
  auto record = [&](Trace& trace, const language::Values& values) {
    language::Builder& b = trace.builder();
    language::Values inits(values.begin(), values.begin() + carried),
        slices = tail(values, carried);
    Extent length = language::scan_length(b, slices, options.length);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value value : inits)
      types.push_back(value.getType());
    for (mlir::Value value : slices)
      types.push_back(language::slice_type(b, value));
    ScanTurn turn;
    auto region = trace.region(types, [&](const Leaves& arguments) {
      auto middle = arguments.begin() + carried;
      turn = body(Leaves(arguments.begin(), middle), Leaves(middle, arguments.end()));
      Leaves yields = at_dtypes(turn.state.leaves, llvm::ArrayRef(types).take_front(carried));
      yields.insert(yields.end(), turn.y.leaves.begin(), turn.y.leaves.end());
      return yields;
    });
    require_structure("carry-mismatch", "state", init.structure, turn.state.structure);
    return language::scan(b, inits, slices, length,
                          options.reverse ? language::Direction::reverse
                                          : language::Direction::forward,
                          to_scan_body(std::move(region)));
  };
  std::vector<Operand> operands = operands_of({}, init.leaves);
  operands.insert(operands.end(), xs.leaves.begin(), xs.leaves.end());
  Leaves results = apply_traced("scan", operands, record);
  return {Leaves(results.begin(), results.begin() + carried),
          Leaves(results.begin() + carried, results.end())};
}

} // namespace

Leaves fori_loop(const Operand& lower, const Operand& upper, const FlatStart& init,
                 const std::function<Flat(Tensor, const Leaves&)>& body) {
  CallScope scope("fori_loop", lower.where());
  if (!has_numbers(init))
    return fori_loop_of_tensors(lower, upper, as_tensors(init), body);
  Carried carried(init.leaves, !Trace::current());
  auto record = [&](Trace& trace, const language::Values& values) {
    language::Builder& b = trace.builder();
    auto [from, to] = language::loop_bounds(b, values[0], values[1]);
    language::Values state = tail(values, 2);
    auto region =
        carried.region(trace, state, {{from.getType()}, {}}, [&](const Leaves& arguments) {
          Flat next = body(arguments[0], Leaves(arguments.begin() + 1, arguments.end()));
          require_structure("carry-mismatch", "state", init.structure, next.structure);
          return next.leaves;
        });
    language::Values inits = carried.inits(trace, state);
    return language::for_loop(b, from, to, inits, to_body(std::move(region)));
  };
  return apply_traced("fori_loop", operands_of({strong(lower), strong(upper)}, carried.operands()),
                      record);
}

Leaves while_loop(const FlatStart& init, const std::function<Tensor(const Leaves&)>& condition,
                  const std::function<Flat(const Leaves&)>& body, Operand::Here where) {
  CallScope scope("while_loop", to_location(where));
  if (!has_numbers(init))
    return while_loop_of_tensors(as_tensors(init), condition, body, where);
  Carried carried(init.leaves, !Trace::current());
  auto record = [&](Trace& trace, const language::Values& state) {
    language::Builder& b = trace.builder();
    auto turn = carried.region(trace, state, {}, [&](const Leaves& arguments) {
      Flat next = body(arguments);
      require_structure("carry-mismatch", "state", init.structure, next.structure);
      return next.leaves;
    });
    language::Values inits = carried.inits(trace, state);
    auto holds = trace.region(carried.types(trace, state), [&](const Leaves& arguments) {
      return Leaves{condition(arguments)};
    });
    return language::while_loop(b, inits, to_body(std::move(holds)), to_body(std::move(turn)));
  };
  return apply_traced("while_loop", carried.operands(), record);
}

Leaves branch(std::string_view pick, const Operand& selector, const Leaves& operands,
              const std::vector<std::function<Flat(const Leaves&)>>& branches) {
  CallScope scope(pick, selector.where());
  if (branches.empty())
    fail(ErrorKind::value, "branch-mismatch", "expected at least one branch, but got none");
  const Lists::Depths taken = Lists::depths_of(operands);
  Lists::Depths depths; // of results
  auto record = [&](Trace& trace, const language::Values& values) {
    language::Builder& b = trace.builder();
    mlir::Value chosen = pick == "cond" ? language::cast(b, values[0], DType::boolean) : values[0];
    Leaves given;
    for (mlir::Value value : Lists::pack(b, tail(values, 1), taken))
      given.push_back(trace.wrap(value));
    given = Lists::unpack(trace, given);
    llvm::SetVector<mlir::Operation*> unpacked;
    for (const Tensor& leaf : given)
      if (leaf.is_counted())
        unpacked.insert(leaf.traced()->value.getDefiningOp());
    std::optional<std::string> first;
    std::vector<std::function<Leaves()>> calls;
    for (const auto& branch : branches)
      calls.push_back([&, number = calls.size()] {
        Flat result = branch(given);
        if (first)
          require_structure("branch-mismatch", language::branch_name(number, ir::dtype_of(chosen)),
                            *first, result.structure);
        first = first.value_or(result.structure);
        depths = Lists::depths_of(result.leaves);
        return Lists::pack(trace, result.leaves);
      });
    std::vector<language::Body> bodies;
    for (Trace::Region& region : branch_regions(trace, calls))
      bodies.push_back(to_body(std::move(region)));
    for (mlir::Operation* unpack : unpacked)
      if (unpack->use_empty())
        unpack->erase();
    return Lists::unpack(trace, language::cond(b, chosen, std::move(bodies)));
  };
  Leaves results = apply_traced(pick, operands_of({strong(selector)}, operands), record);
  return Lists::marked(std::move(results), depths);
}

ScanResult scan(const FlatStart& init, const Flat& xs, const ScanOptions& options,
                const std::function<ScanTurn(const Leaves&, const Leaves&)>& body,
                Operand::Here where) {
  CallScope scope("scan", to_location(where));
  if (!has_numbers(init))
    return scan_of_tensors(as_tensors(init), xs, options, body, where);
  Carried carried(init.leaves, !Trace::current());
  auto states = static_cast<int64_t>(init.leaves.size());
  auto record = [&](Trace& trace, const language::Values& values) {
    language::Builder& b = trace.builder();
    auto end_of_state = values.begin() + static_cast<int64_t>(carried.operands().size());
    language::Values state(values.begin(), end_of_state), slices(end_of_state, values.end());
    Extent length = language::scan_length(b, slices, options.length);
    Carried::Around around;
    for (mlir::Value value : slices)
      around.behind.push_back(language::slice_type(b, value));
    auto region = carried.region(trace, state, around, [&](const Leaves& arguments) {
      auto middle = arguments.begin() + states;
      ScanTurn turn = body(Leaves(arguments.begin(), middle), Leaves(middle, arguments.end()));
      require_structure("carry-mismatch", "state", init.structure, turn.state.structure);
      Leaves yields = turn.state.leaves;
      yields.insert(yields.end(), turn.y.leaves.begin(), turn.y.leaves.end());
      return yields;
    });
    language::Values inits = carried.inits(trace, state);
    return language::scan(b, inits, slices, length,
                          options.reverse ? language::Direction::reverse
                                          : language::Direction::forward,
                          to_scan_body(std::move(region)));
  };
  std::vector<Operand> operands = carried.operands();
  operands.insert(operands.end(), xs.leaves.begin(), xs.leaves.end());
  Leaves results = apply_traced("scan", operands, record);
  return {Leaves(results.begin(), results.begin() + states),
          Leaves(results.begin() + states, results.end())};
}

} // namespace kolam::detail
