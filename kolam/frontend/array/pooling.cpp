// Calls pooling.
#include "kolam/frontend/array/pooling.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/pooling.h"

namespace kolam {
namespace {

using language::Builder;
using language::Values;

Fn function_of(std::string_view name) {
  constexpr std::pair<std::string_view, Fn> known[] = {
      {"max", Fn::maximum},     {"maximum", Fn::maximum},  {"min", Fn::minimum},
      {"minimum", Fn::minimum}, {"sum", Fn::add},          {"add", Fn::add},
      {"prod", Fn::multiply},   {"multiply", Fn::multiply}};
  for (auto [known_name, fn] : known)
    if (known_name == name)
      return fn;
  language::fail_argument(ErrorKind::value, "unknown-reduction", "function",
                          "one of 'max', 'min', 'sum', 'prod'", "'" + std::string(name) + "'");
}

ConvolutionWindow window_of(const PoolOptions& options, const std::vector<int64_t>& strides) {
  return {options.strides.empty() ? strides : options.strides, options.padding, options.dilation};
}

} // namespace

Tensor reduce_window(const Operand& x, const std::vector<int64_t>& window,
                     std::string_view function, const PoolOptions& options) {
  CallScope scope("reduce_window", x.where());
  Fn fn = function_of(function);
  return apply_one("reduce_window", {x}, [&](Builder& b, const Values& v) {
    return language::reduce_window(b, v[0], fn, language::window_lengths(v[0], window),
                                   window_of(options, {1}));
  });
}

Tensor max_pool(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  return apply_one("max_pool", {x}, [&](Builder& b, const Values& v) {
    language::Axes lengths = language::window_lengths(v[0], window);
    return language::reduce_window(b, v[0], Fn::maximum, lengths, window_of(options, lengths));
  });
}

Tensor avg_pool(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options,
                bool count_include_pad) {
  return apply_one("avg_pool", {x}, [&](Builder& b, const Values& v) {
    language::Axes lengths = language::window_lengths(v[0], window);
    return language::average_window(b, v[0], lengths, window_of(options, lengths),
                                    count_include_pad);
  });
}

} // namespace kolam
