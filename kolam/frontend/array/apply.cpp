// Runs array functions, traced or at once.
#include "kolam/frontend/array/apply.h"

#include "kolam/frontend/array/at_once.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/interp/convert.h"
#include "kolam/ir/location.h"
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"

namespace kolam {
namespace {

/// The tensor of an operand that has a dtype of its own.
const Tensor* typed(const Operand& operand) {
  return scalar_parameter(operand) || operand.numbers() ? nullptr
                                                        : std::get_if<Tensor>(&operand.value());
}

/// The dtype that scalars take: that of the tensors which are promoted with them, if there are any.
std::optional<DType> common_dtype(std::span<const Operand> operands) {
  bool has_scalar = llvm::any_of(
      operands, [](const Operand& operand) { return !operand.is_apart() && !typed(operand); });
  std::optional<DType> common;
  for (const Operand& operand : operands)
    if (const Tensor* tensor = typed(operand); tensor && has_scalar && !operand.is_apart())
      common = common ? language::promote(*common, tensor->dtype()) : tensor->dtype();
  return common;
}

language::WeakScalar weak_scalar(const std::variant<bool, int64_t, double>& number) {
  return std::visit([](auto value) -> language::WeakScalar { return value; }, number);
}

/// The operands, lists of numbers at the dtype that the tensors beside them give; `storage` holds
/// them where there are any.
std::span<const Operand> with_numbers_typed(std::span<const Operand> operands,
                                            std::vector<Operand>& storage) {
  if (llvm::none_of(operands, [](const Operand& operand) { return operand.numbers(); }))
    return operands;
  storage.assign(operands.begin(), operands.end());
  std::optional<DType> common = common_dtype(operands);
  for (Operand& operand : storage)
    if (const Numbers* numbers = operand.numbers()) {
      language::WeakScalar least = weak_scalar(numbers->least),
                           greatest = weak_scalar(numbers->greatest);
      bool takes_common = common && !operand.is_apart();
      DType dtype = takes_common ? language::weak_dtype(greatest, *common)
                                 : language::default_dtype(greatest);
      language::require_fit(least, dtype);
      language::require_fit(greatest, dtype);
      operand = operand.with(interp::convert(numbers->values, dtype));
    }
  return storage;
}

/// A number as language functions take it.
language::WeakScalar weak_scalar(const Operand& operand) {
  return std::visit(
      [](const auto& value) -> language::WeakScalar {
        if constexpr (std::is_convertible_v<decltype(value), language::WeakScalar>)
          return value;
        else
          return int64_t{0};
      },
      operand.value());
}

/// A scalar operand as a value, beside tensors of dtype `common`. An extent is one, as an integer.
mlir::Value scalar_value(Trace& trace, const Operand& operand, std::optional<DType> common) {
  language::Builder& b = trace.builder();
  auto dtype_of = [&](const language::WeakScalar& scalar, DType alone) {
    return common ? language::weak_dtype(scalar, *common) : alone;
  };
  if (const ScalarParameter* parameter = scalar_parameter(operand)) {
    const TracedValue& traced = *std::get<Tensor>(operand.value()).traced();
    return trace.scalar_value(traced,
                              dtype_of(parameter->like, language::default_dtype(parameter->like)));
  }
  if (auto* extent = std::get_if<Extent>(&operand.value()))
    return language::extent_scalar(b, *extent, dtype_of(int64_t{0}, DType::i64));
  language::WeakScalar scalar = weak_scalar(operand);
  // i64 holds every place, which the dtype of a number on its own may not.
  bool is_place = operand.is_apart() && std::holds_alternative<int64_t>(scalar);
  DType alone = is_place ? DType::i64 : language::default_dtype(scalar);
  return language::weak_constant(b, scalar, dtype_of(scalar, alone));
}

/// Operands as values of the current trace, scalars at the dtype that the tensors give them.
language::Values values_of(Trace& trace, std::span<const Operand> operands) {
  std::optional<DType> common = common_dtype(operands);
  language::Values values;
  for (const Operand& operand : operands)
    if (const Tensor* tensor = typed(operand))
      values.push_back(trace.value_of(*tensor));
    else
      values.push_back(scalar_value(trace, operand, operand.is_apart() ? std::nullopt : common));
  return values;
}

std::vector<Tensor> record(Trace& trace, std::span<const Operand> operands, const TraceBody& body) {
  trace.locate();
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
      if (tensor->is_counted()) // one program serves all lengths
        specs.back().shape[0] = Extent::symbol("n" + std::to_string(specs.size() - 1));
    }
  Program program = trace(specs, [&](std::vector<Tensor> parameters) {
    std::vector<Operand> traced;
    size_t next = 0;
    for (const Operand& operand : operands)
      if (std::holds_alternative<Tensor>(operand.value()))
        traced.push_back(operand.with(parameters[next++]));
      else
        traced.push_back(operand);
    return record(*Trace::current(), traced, body);
  });
  detail::expect_single_calls(program);
  detail::RunAtOnce noted{program, {}, {}};
  for (const Array& array : arrays)
    noted.arguments.push_back(array.data());
  std::vector<Tensor> results;
  for (Array& array : program.run(std::move(arrays))) {
    noted.results.push_back(array.data());
    results.emplace_back(std::move(array));
  }
  detail::RunsAtOnce::note(std::move(noted));
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
    facts.any_traced |= std::holds_alternative<Extent>(operand.value()); // only traces have symbols
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
       "expected an array, but got a traced value that outlived its trace; return it from the "
       "traced function instead of storing it");
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
  std::vector<Operand> storage;
  std::span<const Operand> given = with_numbers_typed(operands, storage);
  Trace* current = Trace::current();
  if (current && (facts.any_traced || operands.empty()))
    return record(*current, given, tracing);
  if (facts.any_traced)
    fail_escaped();
  return run_at_once(given, tracing);
}

std::vector<Tensor> apply_traced(std::string_view function, std::span<const Operand> operands,
                                 const TraceBody& body) {
  Facts facts = facts_of(operands);
  CallScope scope(function, facts.where);
  refuse_empty(operands);
  std::vector<Operand> storage;
  std::span<const Operand> given = with_numbers_typed(operands, storage);
  if (Trace* current = Trace::current())
    return record(*current, given, body);
  if (facts.any_traced)
    fail_escaped();
  return run_at_once(given, body);
}

std::vector<Tensor>
apply_composite(std::string_view function, std::initializer_list<Operand> operands,
                const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body) {
  return apply_traced(function, std::span(operands.begin(), operands.size()),
                      [&](Trace& trace, const language::Values& values) {
                        std::vector<Tensor> tensors;
                        for (mlir::Value value : values)
                          tensors.push_back(trace.wrap(value));
                        language::Values results;
                        for (const Tensor& result : body(tensors))
                          results.push_back(trace.value_of(result));
                        return results;
                      });
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
