/// Checks that stop a program, and checkify, which makes values of what went wrong.
#pragma once

#include "kolam/frontend/array/control.h"
#include "kolam/frontend/array/jit.h"
#include "kolam/frontend/array/operands.h"
#include "kolam/frontend/array/traced_calls.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kolam {

/// Stops the program with `[check-failed]` where an element of `pred` is false: the first in
/// row-major order. Each `{}` of the message is the next of `values` there, which broadcast to
/// `pred`; `{{` and `}}` are braces.
///
///     kolam::check(x > 0, "expected a positive x, but got {}", x);
///
/// Under `checkify` nothing stops, and the text is a value. Instances of a vmap that have stopped,
/// and branches that are not taken, cannot fail. Throws `[bad-format]` where the message has
/// another number of `{}`, `[dtype-mismatch]` where `pred` has no booleans.
void check(const Operand& pred, const std::string& message, const Operands& values);

template <class... Values>
  requires(std::convertible_to<const Values&, Operand> && ...)
void check(const Operand& pred, const std::string& message, const Values&... values) {
  check(pred, message, Operands(std::vector<Operand>{Operand(values)...}));
}

/// Which errors `checkify` makes values of: "user" (check), "bounds", "nan", "overflow" (as
/// jit's checks), or "all". Throws `[bad-option]` for other words.
class ErrorKinds {
public:
  ErrorKinds(const char* kind) : ErrorKinds(std::vector<std::string>{kind}) {}
  ErrorKinds(std::string kind) : ErrorKinds(std::vector<std::string>{std::move(kind)}) {}
  ErrorKinds(std::initializer_list<std::string> kinds)
      : ErrorKinds(std::vector<std::string>(kinds)) {}
  explicit ErrorKinds(const std::vector<std::string>& kinds);

  bool user() const { return user_; }
  const Checks& checks() const { return checks_; }

private:
  bool user_ = false;
  Checks checks_;
};

namespace detail {
struct CheckTable;
} // namespace detail

/// What went wrong in a call of a function that `checkify` made, if anything did: a pytree of one
/// tensor, which passes through jit, vmap (one an instance), grad (beside the value), loops.
class ErrorValue {
public:
  ErrorValue() = default;
  ErrorValue(Tensor state, std::shared_ptr<const detail::CheckTable> table)
      : state_(std::move(state)), table_(std::move(table)) {}

  /// What is said of the first error in program order, at its lowest index; none where nothing
  /// failed. Throws `[traced-value]` in a trace.
  std::optional<std::string> get(std::source_location here = std::source_location::current()) const;
  /// Throws it as an Error, where there is one.
  void throw_error(std::source_location here = std::source_location::current()) const;

  /// Equal for errors that say the same of each code.
  std::string table_key() const;
  const Tensor& state() const { return state_; }
  const std::shared_ptr<const detail::CheckTable>& table() const { return table_; }

private:
  std::optional<Error> found(const std::source_location& here) const;

  Tensor state_; ///< int64[..., width]: transform/checkify.h
  std::shared_ptr<const detail::CheckTable> table_;
};

/// Two errors are alike where the same checks make them.
template <> struct Pytree<ErrorValue> {
  static void flatten(const ErrorValue& value, std::vector<Tensor>& leaves,
                      std::string& structure) {
    structure += "{";
    Pytree<Tensor>::flatten(value.state(), leaves, structure);
    Pytree<std::string>::flatten(value.table_key(), leaves, structure);
    structure += "}";
  }
  static ErrorValue unflatten(const ErrorValue& value, const Tensor*& leaves) {
    return ErrorValue(*leaves++, value.table());
  }
};

namespace detail {

struct CheckedLeaves {
  Leaves results;
  ErrorValue error;
};
/// Results of `body` of the arguments, and its error.
CheckedLeaves checkify(const Leaves& arguments, const std::function<Leaves(const Leaves&)>& body,
                       const ErrorKinds& kinds, Operand::Here where);

/// A function that `checkify` made.
template <class F, class Arguments = typename CallSignature<F>::Arguments> class CheckifiedFunction;
template <class F, class... Args> class CheckifiedFunction<F, std::tuple<Args...>> {
public:
  using Result = Traceable<typename CallSignature<F>::Result>;
  CheckifiedFunction(F function, ErrorKinds kinds, Operand::Here where)
      : function_(std::move(function)), kinds_(std::move(kinds)), where_(where) {}

  std::pair<ErrorValue, Result> operator()(const Args&... args) const {
    return traced_once<std::pair<ErrorValue, Result>>(
        calls_, std::tuple<Args...>(args...), {"checkify", to_location(where_)},
        [this](const Args&... given) { return inlined(given...); });
  }

private:
  std::pair<ErrorValue, Result> inlined(const Args&... args) const {
    const CallSite call{"checkify", to_location(where_)};
    const std::tuple<Args...> all(args...);
    std::optional<Result> like;
    auto body = [&](const Leaves& leaves) {
      like.emplace(std::apply(function_, unflatten(all, leaves, call)));
      return flatten(*like, call).leaves;
    };
    CheckedLeaves made = checkify(flatten(all, call).leaves, body, kinds_, where_);
    return {std::move(made.error), unflatten(*like, made.results, call)};
  }

  F function_;
  ErrorKinds kinds_;
  Operand::Here where_;
  TracedCalls calls_;
};

} // namespace detail

/// `f` as a function to (error, result): what would stop it becomes a value.
///
///     auto [error, y] = kolam::checkify(f, {"user", "nan"})(x);
///     if (auto text = error.get()) std::cerr << *text;
///
/// After an error the result is what the program computes with total ops. Of several errors the
/// first in program order counts, at its lowest index; in loops the first step comes first. Checks
/// of other kinds, and those that keep memory safe, stop the program as elsewhere. Throws
/// `[not-checkified]` for checks where none can be caught: in the condition of a loop that gives a
/// symbol its size.
template <class F>
auto checkify(F&& f, ErrorKinds errors = "user", Operand::Here where = Operand::Here::current()) {
  static_assert(detail::Monomorphic<F>, "checkify needs a function with declared parameter types: "
                                        "write kolam::Tensor, not auto");
  return detail::CheckifiedFunction<std::decay_t<F>>(std::forward<F>(f), std::move(errors), where);
}

} // namespace kolam
