/// Calls of array functions outside of a trace whose programs earlier calls have made.
#pragma once

#include "convert.h"

#include "kolam/frontend/array/at_once.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace kolam::python {

/// One call of a function whose program the types of its arrays and the values of all else decide.
/// Where an earlier call had the same, its program runs, without a trace.
class KnownCall {
public:
  /// `function` tells functions apart.
  explicit KnownCall(const void* function);
  /// Each argument in order, then those with names.
  void add(nb::handle argument);
  void add(nb::handle name, nb::handle argument);
  /// Its result; invalid where no earlier call says what to run, or where the run fails: the call
  /// that is made then has the user's line.
  nb::object run();
  /// Keeps the program that made `result`, where it needs no more than the call's arrays; gives
  /// `result`.
  nb::object keep(nb::object result);

private:
  void add_number(int64_t number);
  void add_array(const Array& array);
  void add_all(nb::handle sequence);

  bool is_known_by_types_; ///< or else every call is made anew
  std::string key_;
  std::vector<Array> arrays_;
  std::vector<nb::object> held_; ///< whose addresses are in the key
  std::optional<kolam::detail::RunsAtOnce> runs_;
};

/// `make()`, or what the program of an earlier call with such arguments gives.
template <class F> nb::object known_or_made(KnownCall& call, const F& make) {
  nb::object result = call.run();
  return result.is_valid() ? result : call.keep(make());
}
template <class F>
nb::object known_or_made(const void* function, std::initializer_list<nb::handle> given,
                         const F& make) {
  KnownCall call(function);
  for (nb::handle argument : given)
    call.add(argument);
  return known_or_made(call, make);
}
template <class F>
nb::object known_or_made(const void* function, const nb::args& given, const nb::kwargs& named,
                         const F& make) {
  KnownCall call(function);
  for (nb::handle argument : given)
    call.add(argument);
  if (named.size() > 0)
    for (auto [name, argument] : named)
      call.add(name, argument);
  return known_or_made(call, make);
}

} // namespace kolam::python
