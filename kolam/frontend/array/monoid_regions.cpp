// Records the functions of monoids.
#include "kolam/frontend/array/monoid_regions.h"

#include "kolam/ir/reduction.h"

namespace kolam {
namespace {

std::string text(const std::vector<TensorSpec>& specs) {
  std::string result;
  for (const TensorSpec& spec : specs)
    result += (result.empty() ? "" : ", ") + std::string(name(spec.dtype)) +
              (spec.shape.empty() ? "" : to_string(spec.shape));
  return result.empty() ? "nothing" : result;
}

std::vector<TensorSpec> specs_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : tensors)
    specs.push_back({tensor.dtype(), tensor.shape()});
  return specs;
}

/// Records one function after another and looks at what it gives.
class Recorder {
public:
  Recorder(Trace& trace, const Monoid& monoid)
      : trace_(trace), monoid_(monoid), state_(specs_of(monoid.zero)) {
    for (const TensorSpec& spec : state_)
      if (!spec.shape.empty())
        fail(ErrorKind::value, "monoid-state",
             "expected zero of monoid '" + monoid.name + "' to be scalars, but got " +
                 text(state_));
    if (monoid.zero.empty() || !monoid.merge)
      fail(ErrorKind::value, "monoid-state",
           "expected monoid '" + monoid.name + "' to have zero and merge");
  }

  std::vector<DType> state() const {
    std::vector<DType> dtypes;
    for (const TensorSpec& spec : state_)
      dtypes.push_back(spec.dtype);
    return dtypes;
  }

  using Function = std::function<std::vector<Tensor>(std::vector<Tensor>)>;
  std::unique_ptr<mlir::Region> record(std::string_view function, const std::vector<DType>& dtypes,
                                       const Shape& shape, const Function& body,
                                       language::Values& captures) {
    language::Builder& b = trace_.builder();
    llvm::SmallVector<mlir::Type> types;
    for (DType dtype : dtypes)
      types.push_back(language::tensor_type(b, dtype, shape));
    auto recorded = [&](std::vector<Tensor> arguments) {
      std::vector<Tensor> results = body(std::move(arguments));
      check(function, specs_of(results));
      return results;
    };
    Trace::Region region = trace_.region(types, recorded, BodyKind::cells);
    captures = region.captures;
    bool is_moved = function == "zero" || function == "unwrap";
    for (mlir::Value capture : captures) {
      if (monoid_.wrap_all && !is_moved)
        refuse("beside wrap_all", function, capture);
      if (function == "merge" && ir::rank_of(capture) > 0)
        refuse("but scalars", function, capture);
    }
    return std::move(region.region);
  }

private:
  [[noreturn]] void refuse(const std::string& limit, std::string_view function,
                           mlir::Value capture) const {
    fail(ErrorKind::value, "monoid-capture",
         "expected the functions of monoid '" + monoid_.name + "' to use nothing from outside " +
             limit + ", but " + std::string(function) + " uses " + language::describe(capture));
  }

  void check(std::string_view function, const std::vector<TensorSpec>& given) {
    bool fits = given == state_;
    if (function == "unwrap") {
      fits = !given.empty();
      for (const TensorSpec& spec : given)
        fits &= spec.shape.empty();
    }
    if (!fits)
      fail(ErrorKind::value, "monoid-state",
           "expected " + std::string(function) + " of monoid '" + monoid_.name + "' to give " +
               (function == "unwrap" ? "scalars" : "a state as zero, " + text(state_)) +
               ", but got " + text(given));
  }

  Trace& trace_;
  const Monoid& monoid_;
  std::vector<TensorSpec> state_;
};

} // namespace

namespace detail {

void require_parameters(size_t parameters, size_t elements) {
  if (parameters != elements)
    fail(ErrorKind::value, "parameter-count",
         "expected a function of " + std::to_string(elements) + " tensors, but got one of " +
             std::to_string(parameters));
}

} // namespace detail

RecordedMonoid record_monoid(Trace& trace, const Monoid& monoid,
                             const std::vector<DType>& elements) {
  using List = std::vector<Tensor>;
  Recorder recorder(trace, monoid);
  std::vector<DType> state = recorder.state(), both = state;
  both.insert(both.end(), state.begin(), state.end());
  auto same = [](List list) { return list; };

  RecordedMonoid recorded;
  language::Monoid& result = recorded.monoid;
  result.name = monoid.name;
  result.commutative = monoid.commutative;
  auto zero = [&](const List&) { return monoid.zero; };
  result.zero = recorder.record("zero", {}, {}, zero, recorded.zero);
  if (!recorded.zero.empty())
    for (const Tensor& part : monoid.zero)
      recorded.zero_values.push_back(trace.value_of(part));
  result.wrap = recorder.record(
      "wrap", elements, {}, monoid.wrap ? Recorder::Function(monoid.wrap) : same, recorded.wrap);
  auto merge = [&](const List& states) {
    auto middle = states.begin() + static_cast<std::ptrdiff_t>(state.size());
    return monoid.merge(List(states.begin(), middle), List(middle, states.end()));
  };
  result.merge = recorder.record("merge", both, {}, merge, recorded.merge);
  result.unwrap =
      recorder.record("unwrap", state, {}, monoid.unwrap ? Recorder::Function(monoid.unwrap) : same,
                      recorded.unwrap);
  language::Values none;
  if (monoid.wrap_all)
    result.wrap_all = recorder.record("wrap_all", elements, {Extent::symbol(ir::kChunkSymbol)},
                                      monoid.wrap_all, none);
  return recorded;
}

} // namespace kolam
