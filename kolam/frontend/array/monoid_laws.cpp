// Tries the laws of monoids on random elements.
#include "kolam/frontend/array/monoid.h"

#include "kolam/interp/convert.h"

#include <cmath>
#include <random>

namespace kolam {
namespace {

using List = std::vector<Tensor>;
using Arrays = std::vector<Array>;

/// An element of `dtype`: a small whole number, or for floats of later trials anything of that
/// size.
Array random_element(DType dtype, bool whole, std::mt19937& generator) {
  double low = is_float(dtype) || is_signed_integer(dtype) ? -8 : 0;
  double high = dtype == DType::boolean ? 2 : 8;
  double value = std::uniform_real_distribution<double>(low, high)(generator);
  bool rounds = whole || !is_float(dtype);
  return interp::convert(Array::scalar(rounds ? std::floor(value) : value), dtype);
}

/// The greatest finite float of `dtype`.
double most_finite(DType dtype) {
  return dtype == DType::f16    ? 65504
         : dtype == DType::bf16 ? std::ldexp(255.0, 120)
         : dtype == DType::f32  ? std::numeric_limits<float>::max()
                                : std::numeric_limits<double>::max();
}

/// An element at the edge of `dtype`: the infinities, the extremes, the least floats.
Array edge_element(DType dtype, std::mt19937& generator) {
  using Limits = std::numeric_limits<double>;
  double edges[] = {-Limits::infinity(), Limits::infinity(),    Limits::lowest(),
                    Limits::max(),       -Limits::denorm_min(), Limits::denorm_min()};
  double edge = edges[generator() % std::size(edges)];
  if (is_float(dtype) && std::fabs(edge) == Limits::max()) // a narrower dtype makes it infinite
    edge = std::copysign(most_finite(dtype), edge);
  return interp::convert(Array::scalar(edge), dtype); // integers saturate
}

double number(const Array& scalar) { return interp::convert(scalar, DType::f64).item<double>(); }

std::string text(const Arrays& values) {
  std::string result;
  for (const Array& value : values)
    result += (result.empty() ? "" : ", ") + value.to_string();
  return values.size() == 1 ? result : "(" + result + ")";
}

/// One run of a monoid's functions, on lists of scalars.
class Laws {
public:
  Laws(const Monoid& monoid, const LawOptions& options) : monoid_(monoid), options_(options) {
    for (const Tensor& part : monoid.zero)
      state_.push_back({part.dtype(), {}});
    for (DType dtype : options.elements)
      element_.push_back({dtype, {}});
    if (element_.empty())
      element_ = state_;
    wrap_ = trace(element_, [&](List x) { return monoid.wrap ? monoid.wrap(x) : x; });
    std::vector<TensorSpec> both = state_;
    both.insert(both.end(), state_.begin(), state_.end());
    merge_ = trace(both, [&](List states) {
      auto middle = states.begin() + static_cast<std::ptrdiff_t>(state_.size());
      return monoid.merge(List(states.begin(), middle), List(middle, states.end()));
    });
    if (!monoid.wrap_all)
      return;
    std::vector<TensorSpec> chunk = element_;
    for (TensorSpec& spec : chunk)
      spec.shape = {Extent::symbol("chunk")};
    wrap_all_ = trace(chunk, monoid.wrap_all);
  }

  void check(int trial, std::mt19937& generator) {
    auto draw = [&] {
      Arrays element;
      for (const TensorSpec& spec : element_)
        element.push_back(random_element(spec.dtype, trial < options_.trials / 2, generator));
      return element;
    };
    Arrays x = draw(), y = draw(), z = draw();
    Arrays a = run(*wrap_, x), b = run(*wrap_, y), c = run(*wrap_, z);
    std::string where = "a = " + text(a) + ", b = " + text(b) + ", c = " + text(c);
    require("is not associative", "merge(merge(a, b), c)", merge(merge(a, b), c),
            "merge(a, merge(b, c))", merge(a, merge(b, c)), where);
    check_identity(a, false);
    Arrays edge;
    for (const TensorSpec& spec : element_)
      edge.push_back(edge_element(spec.dtype, generator));
    check_identity(run(*wrap_, edge), true);
    if (monoid_.commutative)
      require("is not commutative", "merge(a, b)", merge(a, b), "merge(b, a)", merge(b, a),
              "a = " + text(a) + ", b = " + text(b));
    if (wrap_all_)
      check_chunk({x, y, z}, merge(merge(a, b), c));
  }

private:
  /// Tries edges too, where a made-up zero shows. Others of the laws would fail there by the range
  /// of the dtype alone, as would merges that compute NaN.
  void check_identity(const Arrays& a, bool is_edge) const {
    Arrays zero;
    for (const Tensor& part : monoid_.zero)
      zero.push_back(part.array());
    std::string where = "zero = " + text(zero) + ", a = " + text(a);
    auto expect_same = [&](std::string_view side, const Arrays& merged) {
      if (!is_edge || !holds_nan(merged))
        require("has no identity zero", side, merged, "a", a, where);
    };
    expect_same("merge(zero, a)", merge(zero, a));
    expect_same("merge(a, zero)", merge(a, zero));
  }

  static bool holds_nan(const Arrays& values) {
    return std::ranges::any_of(values,
                               [](const Array& value) { return std::isnan(number(value)); });
  }

  static Arrays run(const Program& program, const Arrays& arguments) {
    return program.run(arguments, Backend::interpret);
  }

  Arrays merge(const Arrays& a, const Arrays& b) const {
    Arrays both = a;
    both.insert(both.end(), b.begin(), b.end());
    return run(*merge_, both);
  }

  void check_chunk(const std::vector<Arrays>& elements, const Arrays& merged) const {
    Arrays chunk;
    std::string where;
    for (size_t part = 0; part < element_.size(); ++part) {
      int width = byte_width(element_[part].dtype);
      Array joined =
          Array::uninitialized(element_[part].dtype, {static_cast<int64_t>(elements.size())});
      auto* out = static_cast<std::byte*>(joined.mutable_data());
      for (const Arrays& element : elements) {
        std::copy_n(static_cast<const std::byte*>(element[part].data()), width, out);
        out += width;
      }
      where += (where.empty() ? "elements = " : ", ") + joined.to_string();
      chunk.push_back(joined);
    }
    require("disagrees with its wrap_all", "wrap_all(elements)", run(*wrap_all_, chunk),
            "the merged wraps", merged, where);
  }

  bool same(const Array& x, const Array& y) const {
    if (same_bits(x, y))
      return true;
    if (monoid_.exact || !is_float(x.dtype()) || x.dtype() != y.dtype())
      return false;
    double left = number(x), right = number(y);
    if (std::isinf(left) || std::isinf(right))
      return false;
    double scale = std::max({std::fabs(left), std::fabs(right), 1.0});
    return std::fabs(left - right) <= options_.tolerance * scale;
  }

  void require(std::string_view law, std::string_view left_text, const Arrays& left,
               std::string_view right_text, const Arrays& right, const std::string& where) const {
    bool holds = left.size() == right.size();
    for (size_t i = 0; holds && i < left.size(); ++i)
      holds = same(left[i], right[i]);
    if (!holds)
      fail(ErrorKind::value, "monoid-law",
           "monoid '" + monoid_.name + "' " + std::string(law) + ": expected " +
               std::string(left_text) + " and " + std::string(right_text) +
               " to be equal, but got " + text(left) + " and " + text(right) + " for " + where);
  }

  const Monoid& monoid_;
  const LawOptions& options_;
  std::vector<TensorSpec> state_, element_;
  std::optional<Program> wrap_, merge_, wrap_all_;
};

} // namespace

void check_monoid_laws(const Monoid& monoid, const LawOptions& options) {
  CallScope scope("check_monoid_laws", {});
  Laws laws(monoid, options);
  std::mt19937 generator(options.seed);
  for (int trial = 0; trial < options.trials; ++trial)
    laws.check(trial, generator);
}

} // namespace kolam
