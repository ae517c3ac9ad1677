// Finds the dtypes of numbers that loops carry, by trying their bodies.
#include "kolam/frontend/array/carried.h"

#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"

namespace kolam::detail {
namespace {

using language::WeakScalar;

bool is_float_number(const WeakScalar& number) { return std::holds_alternative<double>(number); }

/// i64, u64 or f64: where a number is itself.
DType wide_dtype(const WeakScalar& number) {
  if (is_float_number(number))
    return DType::f64;
  return std::holds_alternative<uint64_t>(number) ? DType::u64 : DType::i64;
}

/// Of a number beside nothing; one that i32 can't hold is i64 or u64.
DType own_dtype(const WeakScalar& number) {
  if (is_float_number(number) || language::holds(DType::i32, number))
    return language::default_dtype(number);
  return wide_dtype(number);
}

/// The number as it is, an array.
Array wide_array(const WeakScalar& number) {
  return std::visit(
      [](auto value) {
        if constexpr (std::is_same_v<decltype(value), bool>)
          return Array::scalar(static_cast<int64_t>(value));
        else
          return Array::scalar(value);
      },
      number);
}

std::optional<WeakScalar> number_of(const Operand& operand) {
  return std::visit(
      [](const auto& value) -> std::optional<WeakScalar> {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, Extent> ||
                      std::is_same_v<T, bool>)
          return std::nullopt;
        else
          return value;
      },
      operand.value());
}

/// A tensor for what has a dtype of its own.
Operand with_own_dtype(const Operand& operand) {
  if (auto* flag = std::get_if<bool>(&operand.value()))
    return operand.with(Tensor(Array::scalar(*flag)));
  return operand;
}

std::string text_of(const WeakScalar& number) {
  return std::visit(
      [](auto value) {
        std::ostringstream text;
        text << value;
        return text.str();
      },
      number);
}

} // namespace

Tensor at_dtype(const Tensor& result, DType dtype) {
  const ScalarParameter* scalar = scalar_parameter(result);
  if (!scalar || language::weak_dtype(scalar->like, dtype) != dtype)
    return result;
  return std::get<Tensor>(with_dtype(result, dtype).value());
}

Carried::Carried(const std::vector<Operand>& leaves, bool at_once) {
  for (const Operand& operand : leaves) {
    Leaf leaf;
    if (const ScalarParameter* scalar = scalar_parameter(operand)) {
      leaf.number = scalar->like;
      leaf.parameter = operand;
    } else if ((leaf.number = number_of(operand)); !leaf.number || at_once) {
      leaf.operand = operands_.size();
      operands_.push_back(leaf.number ? operand.with(Tensor(wide_array(*leaf.number)))
                                      : with_own_dtype(operand));
    }
    leaves_.push_back(std::move(leaf));
  }
}

mlir::Value Carried::wide(Trace& trace, const language::Values& values, const Leaf& leaf) const {
  if (leaf.parameter)
    return trace.scalar_value(*std::get<Tensor>(leaf.parameter->value()).traced(),
                              wide_dtype(*leaf.number));
  return leaf.operand ? values[*leaf.operand] : nullptr;
}

mlir::Type Carried::type_of(Trace& trace, const language::Values& values, const Leaf& leaf) const {
  if (!leaf.number)
    return values[*leaf.operand].getType();
  return language::tensor_type(trace.builder(), leaf.dtype.value_or(wide_dtype(*leaf.number)), {});
}

llvm::SmallVector<mlir::Type> Carried::types(Trace& trace, const language::Values& values) const {
  llvm::SmallVector<mlir::Type> types;
  for (const Leaf& leaf : leaves_)
    types.push_back(type_of(trace, values, leaf));
  return types;
}

language::Values Carried::inits(Trace& trace, const language::Values& values) const {
  language::Builder& b = trace.builder();
  language::Values inits;
  for (const Leaf& leaf : leaves_) {
    if (!leaf.number)
      inits.push_back(values[*leaf.operand]);
    else if (leaf.parameter)
      inits.push_back(
          trace.scalar_value(*std::get<Tensor>(leaf.parameter->value()).traced(), *leaf.dtype));
    else if (mlir::Value value = wide(trace, values, leaf))
      inits.push_back(language::cast(b, value, *leaf.dtype));
    else
      inits.push_back(language::weak_constant(b, *leaf.number, *leaf.dtype));
  }
  return inits;
}

/// Whether the body, called with the dtype that has been found, gives it back; else takes the dtype
/// that it gives.
bool Carried::settle(size_t number, const Leaves& results) {
  Leaf& leaf = leaves_[number];
  if (!leaf.number || number >= results.size())
    return true; // another error says so
  const Tensor& result = results[number];
  DType next = result.dtype();
  if (const ScalarParameter* scalar = scalar_parameter(result))
    next = language::weak_dtype(scalar->like, leaf.dtype.value_or(own_dtype(*leaf.number)));
  if (leaf.dtype == next)
    return true;
  auto refuse = [&](const std::string& actual) {
    fail(ErrorKind::type, "carry-mismatch",
         "state " + std::to_string(number) + ": expected a dtype for the number " +
             text_of(*leaf.number) + " that the body gives back, but " + actual +
             "; start from an array, which has a dtype, and convert to it in the body (astype)");
  };
  bool is_kind = is_float(next) || (is_integer(next) && !is_float_number(*leaf.number));
  if (!is_kind)
    refuse("it gives " + std::string(name(next)));
  if (std::ranges::find(leaf.tried, next) != leaf.tried.end())
    refuse("for " + std::string(name(*leaf.dtype)) + " it gives " + std::string(name(next)) +
           ", and so on");
  language::require_fit(*leaf.number, next);
  leaf.dtype = next;
  leaf.tried.push_back(next);
  return false;
}

Trace::Region Carried::region(Trace& trace, const language::Values& values, const Around& around,
                              const Body& body) {
  size_t first = around.before.size();
  while (true) {
    llvm::SmallVector<mlir::Type> all = around.before;
    llvm::append_range(all, types(trace, values));
    llvm::append_range(all, around.behind);
    bool settled = true;
    auto recorded = trace.region_if(
        all,
        [&](Leaves arguments) {
          for (size_t i = 0; i < leaves_.size(); ++i)
            if (leaves_[i].number && !leaves_[i].dtype)
              arguments[first + i] = trace.as_scalar(arguments[first + i], *leaves_[i].number);
          Leaves results = body(arguments);
          for (size_t i = 0; i < leaves_.size(); ++i)
            settled = settle(i, results) && settled;
          for (size_t i = 0; i < std::min(leaves_.size(), results.size()); ++i)
            results[i] = at_dtype(results[i], ir::dtype_of(type_of(trace, values, leaves_[i])));
          return results;
        },
        [&] { return settled; });
    if (recorded)
      return std::move(*recorded);
  }
}

std::vector<Trace::Region> branch_regions(Trace& trace,
                                          const std::vector<std::function<Leaves()>>& branches) {
  std::vector<std::optional<WeakScalar>> numbers; ///< by result: given by a branch
  std::vector<std::optional<DType>> dtypes;       ///< by result: of the first branch that has one
  auto note = [&](const Leaves& results) {
    numbers.resize(std::max(numbers.size(), results.size()));
    dtypes.resize(std::max(dtypes.size(), results.size()));
    for (size_t i = 0; i < results.size(); ++i)
      if (const ScalarParameter* scalar = scalar_parameter(results[i])) {
        if (!numbers[i] || is_float_number(scalar->like))
          numbers[i] = scalar->like;
      } else if (!dtypes[i] && !results[i].is_empty()) {
        dtypes[i] = results[i].dtype();
      }
  };
  auto has_numbers = [&] {
    return std::ranges::any_of(numbers, [](const auto& number) { return number.has_value(); });
  };
  auto fitted = [&](Leaves results) {
    for (size_t i = 0; i < std::min(results.size(), numbers.size()); ++i)
      if (numbers[i])
        results[i] = at_dtype(results[i], dtypes[i].value_or(own_dtype(*numbers[i])));
    return results;
  };
  std::vector<Trace::Region> regions;
  for (const auto& branch : branches)
    if (auto region = trace.region_if(
            {},
            [&](const Leaves&) {
              Leaves results = branch();
              note(results);
              return results;
            },
            [&] { return !has_numbers(); }))
      regions.push_back(std::move(*region));
  if (!has_numbers())
    return regions;
  regions.clear(); // once more, now that the dtypes are known
  for (const auto& branch : branches)
    regions.push_back(trace.region({}, [&](const Leaves&) { return fitted(branch()); }));
  return regions;
}

} // namespace kolam::detail
