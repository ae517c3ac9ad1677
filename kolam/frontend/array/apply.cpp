// Runs array functions, traced or at once.
#include "kolam/frontend/array/apply.h"

#include "kolam/driver/explain.h"
#include "kolam/frontend/array/program_state.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/ir/location.h"
#include "kolam/language/promotion.h"

#include <list>
#include <unordered_map>

namespace kolam {
namespace {

/// Below so many operations, and bytes read and written, interpreting beats compiling.
constexpr double kInterpretedFlops = 20000;
constexpr double kInterpretedBytes = 4 << 20;

/// Programs of single functions by their `sharing_key`; the oldest go first.
class EagerCache {
public:
  /// Makes `program` share what an earlier one of equal key has compiled.
  void share(const std::string& key, const Program& program) {
    std::lock_guard lock(mutex_);
    auto found = programs_.find(key);
    if (found != programs_.end())
      return Program::State::share_compiled(found->second, program);
    if (programs_.size() >= kCapacity) {
      programs_.erase(order_.front());
      order_.pop_front();
    }
    order_.push_back(key);
    programs_.emplace(key, program);
  }

private:
  static constexpr size_t kCapacity = 512;
  std::mutex mutex_;
  std::unordered_map<std::string, Program> programs_;
  std::list<std::string> order_;
};

EagerCache& eager_cache() {
  static EagerCache* const cache = new EagerCache;
  return *cache;
}

/// The tensor of an operand that has a dtype of its own.
const Tensor* typed(const Operand& operand) {
  return scalar_parameter(operand) ? nullptr : std::get_if<Tensor>(&operand.value());
}

/// Operands as values of the current trace, scalars at the dtype that the tensors give them.
language::Values values_of(Trace& trace, std::span<const Operand> operands) {
  language::Builder& b = trace.builder();
  std::optional<DType> common;
  bool has_scalar = llvm::any_of(operands, [](const Operand& operand) { return !typed(operand); });
  for (const Operand& operand : operands)
    if (const Tensor* tensor = typed(operand); tensor && has_scalar)
      common = common ? language::promote(*common, tensor->dtype()) : tensor->dtype();
  auto dtype_of = [&](const language::WeakScalar& scalar) {
    return common ? language::weak_dtype(scalar, *common) : language::default_dtype(scalar);
  };
  language::Values values;
  for (const Operand& operand : operands)
    values.push_back(std::visit(
        [&](const auto& value) -> mlir::Value {
          if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, Tensor>) {
            return language::weak_constant(b, value, dtype_of(value));
          } else if (typed(operand)) {
            return trace.value_of(value);
          } else {
            return trace.scalar_value(*value.traced(), dtype_of(value.traced()->scalar->like));
          }
        },
        operand.value()));
  return values;
}

std::vector<Tensor> record(Trace& trace, std::span<const Operand> operands, const TraceBody& body) {
  language::Builder& b = trace.builder();
  b.setLoc(ir::to_location(b.getContext(), CallScope::current_location()));
  std::vector<Tensor> results;
  for (mlir::Value value : body(trace, values_of(trace, operands)))
    results.push_back(trace.wrap(value));
  return results;
}

std::vector<Tensor> run_at_once(std::span<const Operand> operands, const TraceBody& body) {
  std::vector<TensorSpec> specs;
  std::vector<Array> arrays;
  for (const Operand& operand : operands)
    if (auto* tensor = std::get_if<Tensor>(&operand.value())) {
      arrays.push_back(tensor->array());
      specs.push_back({tensor->dtype(), tensor->shape()});
    }
  Program program = trace(specs, [&](std::vector<Tensor> parameters) {
    std::vector<Operand> traced;
    size_t next = 0;
    for (const Operand& operand : operands)
      if (std::holds_alternative<Tensor>(operand.value()))
        traced.emplace_back(parameters[next++]);
      else
        traced.push_back(operand);
    return record(*Trace::current(), traced, body);
  });
  std::map<std::string, double> cost = program.cost();
  bool small = cost.at("flops") <= kInterpretedFlops && cost.at("bytes") <= kInterpretedBytes;
  if (!small)
    eager_cache().share(Program::State::of(program).sharing_key(), program);
  std::vector<Tensor> results;
  for (Array& array : program.run(std::move(arrays), small ? Backend::interpret : Backend::cpu))
    results.emplace_back(std::move(array));
  return results;
}

/// What operands say before anything runs.
struct Facts {
  SourceLocation where;
  bool any_traced = false;
};

Facts facts_of(std::span<const Operand> operands) {
  Facts facts;
  for (const Operand& operand : operands) {
    if (!facts.where)
      facts.where = operand.where();
    auto* tensor = std::get_if<Tensor>(&operand.value());
    facts.any_traced |= tensor && tensor->is_traced();
  }
  return facts;
}

void refuse_empty(std::span<const Operand> operands) {
  for (const Operand& operand : operands)
    if (auto* tensor = std::get_if<Tensor>(&operand.value()); tensor && tensor->is_empty())
      fail(ErrorKind::value, "empty-tensor", "expected a tensor, but got an empty handle");
}

[[noreturn]] void fail_escaped() {
  fail(ErrorKind::runtime, "escaped-tracer",
       "expected an array, but got a traced value outside its trace");
}

} // namespace

std::vector<Tensor> apply(std::string_view function, std::span<const Operand> operands,
                          const Body& body) {
  Facts facts = facts_of(operands);
  CallScope scope(function, facts.where);
  refuse_empty(operands);
  TraceBody tracing = [&](Trace& trace, const language::Values& values) {
    return body(trace.builder(), values);
  };
  Trace* current = Trace::current();
  if (current && (facts.any_traced || operands.empty()))
    return record(*current, operands, tracing);
  if (facts.any_traced)
    fail_escaped();
  return run_at_once(operands, tracing);
}

std::vector<Tensor> apply_traced(std::string_view function, std::span<const Operand> operands,
                                 const TraceBody& body) {
  Facts facts = facts_of(operands);
  CallScope scope(function, facts.where);
  refuse_empty(operands);
  if (Trace* current = Trace::current())
    return record(*current, operands, body);
  if (facts.any_traced)
    fail_escaped();
  return run_at_once(operands, body);
}

Tensor
apply_one(std::string_view function, std::initializer_list<Operand> operands,
          const std::function<mlir::Value(language::Builder&, const language::Values&)>& body) {
  return apply(function, std::span(operands.begin(), operands.size()),
               [&](language::Builder& b, const language::Values& values) {
                 return language::Values{body(b, values)};
               })[0];
}

Operand traced_for(const Shape& shape, const Operand& operand) {
  Trace* current = Trace::current();
  auto* tensor = std::get_if<Tensor>(&operand.value());
  bool is_symbolic = std::any_of(shape.begin(), shape.end(),
                                 [](const Extent& extent) { return !extent.is_constant(); });
  if (!current || !tensor || tensor->is_traced() || !is_symbolic)
    return operand;
  return operand.with(current->wrap(current->value_of(*tensor)));
}

} // namespace kolam
