// Tries ways to keep less, by the plan of buffers that each leads to.
#include "kolam/frontend/array/memory_limit.h"

#include "kolam/analysis/cost.h"
#include "kolam/driver/compile.h"
#include "kolam/driver/planned_memory.h"
#include "kolam/frontend/array/likely_sizes.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/lists.h"
#include "kolam/runtime/memory.h"
#include "kolam/transform/custom_partitioning.h"
#include "kolam/transform/derive/notes.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::detail {
namespace {

using language::Values;

using Sizes = std::map<std::string, int64_t>;

/// The sizes of the call that is traced, also of the symbols of lists that are given as their
/// parts: unpacked of one that was packed of arguments.
Sizes sizes_of(const Values& given) {
  Sizes sizes = LikelySizes::now();
  for (mlir::Value value : given) {
    auto unpack = value.getDefiningOp<ir::UnpackOp>();
    auto whole = unpack ? unpack.getList().getDefiningOp<ir::PackOp>() : nullptr;
    if (!whole)
      continue;
    for (auto [part, argument] : llvm::zip(unpack->getResults(), whole->getOperands())) {
      const Extent count = ir::shape_of(part)[0], known = ir::shape_of(argument)[0];
      const std::set<std::string> symbols = known.symbols();
      if (!llvm::all_of(symbols, [&](const std::string& name) { return sizes.contains(name); }))
        continue;
      for (int64_t more : {0, 1}) // offsets have one element more
        if (auto symbol = (count - Extent(more)).as_symbol())
          sizes[*symbol] = known.evaluate(sizes) - more;
    }
  }
  return sizes;
}

std::string describe(const transform::Recomputation& how) {
  std::string text;
  for (size_t level = 0; level < how.segments.size(); ++level)
    text += (level == 0 ? ": loops in segments of " : ", each in segments of ") +
            std::to_string(how.segments[level]) + " steps";
  if (how.groups > 0)
    text += std::string(text.empty() ? ": " : "; ") + "ops again in " + std::to_string(how.groups) +
            (how.groups == 1 ? " group" : " groups");
  return text;
}

/// At sizes just below those of the call, of which the steps that fill no segment are most: what is
/// enough for a call is enough for shorter ones.
double with_longest_heads(const Extent& memory, const transform::Recomputation& how,
                          const Sizes& of_call) {
  double most = 0;
  for (int64_t length : how.segments) {
    Sizes sizes = of_call;
    for (auto& [symbol, size] : sizes)
      size = std::max<int64_t>(size / length * length - 1, 0);
    most = std::max(most, analysis::rough_value(memory, sizes));
  }
  return most;
}

/// A value like `given`, of new arguments of a block. A list is its leaves and offsets, as many as
/// those of the list that is given, where it is put together of such, else as symbols of its own
/// say.
mlir::Value add_argument(language::Builder& b, mlir::Block& block, mlir::Value given) {
  auto list = llvm::dyn_cast<ir::ListType>(given.getType());
  if (!list)
    return block.addArgument(given.getType(), b.getLoc());
  auto whole = given.getDefiningOp<ir::PackOp>();
  auto add_part = [&](DType dtype, Shape shape, unsigned number) -> mlir::Value {
    Extent count = Extent::symbol("part" + std::to_string(block.getNumArguments()));
    shape.insert(shape.begin(), whole ? ir::shape_of(whole->getOperand(number))[0] : count);
    return block.addArgument(ir::tensor_type(b.getContext(), dtype, shape), b.getLoc());
  };
  mlir::Value leaves = add_part(ir::dtype_of(list.leaf()), ir::shape_of(list.leaf()), 0);
  Values offsets;
  for (int64_t level = 1; level < list.depth(); ++level)
    offsets.push_back(add_part(DType::i64, {}, static_cast<unsigned>(level)));
  return language::pack(b, leaves, offsets);
}

/// Values as results of a program, which has no lists.
Values without_lists(language::Builder& b, const Values& values) {
  Values results;
  for (mlir::Value value : values) {
    auto list = llvm::dyn_cast<ir::ListType>(value.getType());
    if (!list) {
      results.push_back(value);
      continue;
    }
    std::vector<std::string> symbols;
    for (int64_t level = 0; level < list.depth(); ++level)
      symbols.push_back("result" + std::to_string(results.size()) + "_" + std::to_string(level));
    llvm::append_range(results, language::unpack(b, value, symbols));
  }
  return results;
}

/// Whether the program reads the value, the first result, too: where nobody does, buffers lie
/// otherwise.
enum class Reads : uint8_t { all, gradients };

/// What the derivative of a body plans, the body made to keep less. The program it is part of has
/// other values beside: these are not asked.
driver::PlannedMemory planned(language::Builder& b, mlir::Region& body, const Values& given,
                              const Derive& derive, const transform::Recomputation& how,
                              const transform::NewSymbol& new_symbol, const Sizes& sizes,
                              Reads reads) {
  mlir::MLIRContext* context = b.getContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(b.getLoc());
  auto at_end = mlir::OpBuilder::atBlockEnd(module->getBody());
  auto main =
      mlir::func::FuncOp::create(at_end, b.getLoc(), "main", at_end.getFunctionType({}, {}));
  mlir::Block* block = main.addEntryBlock();
  language::Builder inner(b.getLoc(), context);
  inner.setInsertionPointToEnd(block);
  Values arguments;
  for (mlir::Value value : given)
    arguments.push_back(add_argument(inner, *block, value));
  mlir::Region copied;
  mlir::IRMapping map;
  body.cloneInto(&copied, map);
  transform::recompute(inner, copied, how, new_symbol);
  transform::DerivativeNotes unheard;
  Values results = derive(inner, copied, arguments);
  if (reads == Reads::gradients)
    results.erase(results.begin());
  results = without_lists(inner, results);
  mlir::func::ReturnOp::create(inner, results);
  main.setFunctionType(
      inner.getFunctionType(block->getArgumentTypes(), mlir::ValueRange(results).getTypes()));
  transform::take_bodies(*module, transform::Composites::none);
  driver::Module program{std::shared_ptr<mlir::MLIRContext>(context, [](mlir::MLIRContext*) {}),
                         std::move(module)};
  driver::PlannedMemory memory = driver::planned_memory(program, {}, sizes);
  memory.bytes = std::max(memory.bytes, with_longest_heads(memory.at_all_sizes, how, sizes));
  return memory;
}

/// Stops a call at whose sizes more is planned than the limit; what of it symbols of the
/// derivative's own say, only the run knows.
void check_sizes(int64_t limit, language::Builder& b, const Extent& planned, const Sizes& sizes) {
  const std::set<std::string> symbols = planned.symbols();
  std::string at;
  for (const std::string& symbol : symbols) {
    auto size = sizes.find(symbol);
    if (size == sizes.end()) {
      transform::DerivativeNotes::add("a size that only the run knows counts as 1000 elements");
      return;
    }
    at += (at.empty() ? "" : ", ") + symbol + " = " + std::to_string(size->second);
  }
  if (symbols.empty())
    return;
  mlir::Value is_met = language::elementwise(
      b, Fn::less_equal, {language::extent_value(b, planned), language::extent_value(b, limit)});
  language::check(b, is_met, "memory-limit",
                  "option 'memory_limit': expected sizes at which " + runtime::format_bytes(limit) +
                      " are enough as they are for " + at +
                      ", but got others; trace for these sizes alone (without `dynamic`), or "
                      "raise the limit");
}

} // namespace

void keep_within(int64_t limit, language::Builder& b, mlir::Region& body, const Values& given,
                 const Derive& derive, const transform::NewSymbol& new_symbol) {
  const std::string limited =
      " bytes beside arguments and results, of " + std::to_string(limit) + " that it may";
  const Sizes sizes = sizes_of(given);
  std::optional<driver::PlannedMemory> least;
  transform::Recomputation best; // so little it plans
  auto takes_one = [&](const std::vector<transform::Recomputation>& ways) {
    for (const transform::Recomputation& how : ways) {
      driver::PlannedMemory memory =
          planned(b, body, given, derive, how, new_symbol, sizes, Reads::all);
      if (memory.bytes <= static_cast<double>(limit)) {
        driver::PlannedMemory alone =
            planned(b, body, given, derive, how, new_symbol, sizes, Reads::gradients);
        if (alone.bytes > memory.bytes)
          memory = std::move(alone);
      }
      const double bytes = memory.bytes;
      const Extent at_all_sizes = memory.at_all_sizes;
      if (!least || bytes < least->bytes) {
        least = std::move(memory);
        best = how;
      }
      if (bytes <= static_cast<double>(limit)) {
        transform::DerivativeNotes::add("derivative plans " +
                                        std::to_string(static_cast<int64_t>(bytes)) + limited +
                                        describe(how));
        check_sizes(limit, b, at_all_sizes, sizes);
        transform::recompute(b, body, how, new_symbol);
        return true;
      }
    }
    return false;
  };
  if (takes_one({transform::Recomputation()}) ||
      takes_one(transform::recomputations(body, given, sizes)) ||
      takes_one(transform::groups_beside(body, best.segments)))
    return;
  std::string held;
  for (const std::string& value : least->largest)
    held += (held.empty() ? "" : ", ") + value;
  fail(ErrorKind::value, "memory-limit",
       std::string("option 'memory_limit': expected a limit that can be met, but of ") +
           runtime::format_bytes(limit) + " at least " +
           runtime::format_bytes(static_cast<int64_t>(least->bytes)) +
           " are needed beside arguments and results" +
           (held.empty() ? "" : "; most are held by " + held));
}

} // namespace kolam::detail
