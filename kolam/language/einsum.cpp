// Brings einsum down to diagonals, transpositions and contractions of two.
#include "kolam/language/einsum.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/einsum_path.h"
#include "kolam/language/einsum_spec.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"

#include <map>

namespace kolam::language {
namespace {

/// What a symbolic extent counts as when paths are compared.
constexpr double kAssumedExtent = 1000;

/// result[..., i] = x[..., i, i]. The n n elements of the last two dims in a row have those of the
/// diagonal n + 1 apart.
Value last_diagonal(Builder& b, Value x) {
  Shape outer = ir::shape_of(x);
  Extent n = outer.back();
  outer.resize(outer.size() - 2);
  auto under_outer = [&](std::initializer_list<Extent> inner) {
    Shape shape = outer;
    shape.insert(shape.end(), inner);
    return shape;
  };
  auto last = static_cast<int64_t>(outer.size());
  Value row = reshape(b, x, under_outer({n * n}));
  if (auto extent = n.constant()) {
    std::vector<SliceBox> boxes;
    for (const Extent& whole : outer)
      boxes.push_back({false, 0, whole, 1});
    boxes.push_back({false, 0, n, *extent + 1});
    return slice(b, row, boxes);
  }
  // A step is a number: n more elements make rows of n + 1, whose first column is the diagonal.
  Value zero = weak_constant(b, int64_t{0}, ir::dtype_of(x));
  row = concat(b, {row, broadcast_to(b, zero, under_outer({n}))}, last);
  Value column = slice_dim(b, reshape(b, row, under_outer({n, n + 1})), last + 1, 0, 1);
  return squeeze(b, column, Axes{last + 1});
}

/// The first two places of a letter that comes twice.
std::optional<std::pair<size_t, size_t>> find_repeated(const Labels& labels) {
  for (size_t i = 0; i < labels.size(); ++i)
    for (size_t j = i + 1; j < labels.size(); ++j)
      if (labels[i] == labels[j])
        return std::pair(i, j);
  return std::nullopt;
}

/// Letters that are repeated within the operand become one dim, the last: the diagonal.
Labelled take_diagonals(Builder& b, Labelled x) {
  while (auto repeated = find_repeated(x.labels)) {
    auto [first, second] = *repeated;
    Shape shape = ir::shape_of(x.value);
    shape[first] = shape[second] =
        unify(b, shape[first], shape[second],
              letter_text(x.labels[first]) + "dims " + std::to_string(first) + " and " +
                  std::to_string(second) + " of " + describe(x.value));
    Value square = moveaxis(b, with_shape(b, x.value, shape),
                            {static_cast<int64_t>(first), static_cast<int64_t>(second)}, {-2, -1});
    Labels labels = x.labels;
    labels.push_back(labels[first]);
    labels.erase(labels.begin() + static_cast<int64_t>(second));
    labels.erase(labels.begin() + static_cast<int64_t>(first));
    x = {last_diagonal(b, square), labels};
  }
  return x;
}

class Einsum {
public:
  Einsum(Builder& b, std::vector<Labelled> operands, Labels result, DType sums)
      : b_(b), operands_(std::move(operands)), result_(std::move(result)), sums_(sums) {}

  Value run() {
    std::vector<Labels> alone;
    size_t steps = operands_.size() - 1;
    for (const Labelled& operand : operands_) {
      alone.push_back(summed_alone(operand));
      steps += !alone.back().empty();
    }
    DType own = ir::dtype_of(operands_[0].value);
    if (steps == 0)
      return cast(b_, permute(b_, operands_[0], result_).value, sums_);
    bool is_narrow = is_narrow_float(own) && sums_ != DType::f64;
    DType working = is_narrow && steps > 1 ? DType::f32 : sums_;
    if (steps > 1)
      for (Labelled& operand : operands_)
        operand.value = cast(b_, operand.value, working);
    for (auto [operand, letters] : llvm::zip(operands_, alone))
      if (!letters.empty())
        operand = sum(operand, letters, working);
    for (auto [left, right] : choose_einsum_path(problem()))
      contract_two(left, right, working);
    return cast(b_, permute(b_, operands_[0], result_).value, sums_);
  }

private:
  bool is_needed(int label, const Labelled* x, const Labelled* y) const {
    if (llvm::is_contained(result_, label))
      return true;
    for (const Labelled& operand : operands_)
      if (&operand != x && &operand != y && llvm::is_contained(operand.labels, label))
        return true;
    return false;
  }

  /// The letters that only this operand has and the result has not.
  Labels summed_alone(const Labelled& operand) const {
    Labels labels;
    for (int label : operand.labels)
      if (!is_needed(label, &operand, nullptr))
        labels.push_back(label);
    return labels;
  }

  /// Sums over `letters`, as the contraction with 1.
  Labelled sum(const Labelled& x, const Labels& letters, DType dtype) {
    Labels kept;
    for (int label : operands_.size() == 1 ? result_ : x.labels)
      if (!llvm::is_contained(letters, label))
        kept.push_back(label);
    Value one = weak_constant(b_, int64_t{1}, ir::dtype_of(x.value));
    return contract(b_, x, {one, {}}, kept, dtype);
  }

  void contract_two(int left, int right, DType dtype) {
    const Labelled& x = operands_[left];
    const Labelled& y = operands_[right];
    // The last step gives the result's own order; others batch dims, then x's, then y's.
    Labels both, kept, free;
    for (int label : x.labels)
      if (is_needed(label, &x, &y))
        (llvm::is_contained(y.labels, label) ? both : free).push_back(label);
    kept = both;
    kept.insert(kept.end(), free.begin(), free.end());
    for (int label : y.labels)
      if (!llvm::is_contained(x.labels, label) && is_needed(label, &x, &y))
        kept.push_back(label);
    Labelled product = contract(b_, x, y, operands_.size() == 2 ? result_ : kept, dtype);
    operands_.erase(operands_.begin() + std::max(left, right));
    operands_.erase(operands_.begin() + std::min(left, right));
    operands_.push_back(product);
  }

  EinsumProblem problem() const {
    std::map<int, int> numbers;
    EinsumProblem problem;
    for (const Labelled& operand : operands_) {
      std::vector<int> labels;
      Shape shape = ir::shape_of(operand.value);
      for (auto [label, extent] : llvm::zip(operand.labels, shape)) {
        auto [known, is_new] = numbers.try_emplace(label, static_cast<int>(numbers.size()));
        if (is_new)
          problem.extents.push_back(extent.constant() ? static_cast<double>(*extent.constant())
                                                      : kAssumedExtent);
        labels.push_back(known->second);
      }
      problem.operands.push_back(labels);
    }
    if (numbers.size() > kMaxEinsumLabels)
      fail(ErrorKind::value, "rank-mismatch",
           "expected at most " + std::to_string(kMaxEinsumLabels) + " different dims, but got " +
               std::to_string(numbers.size()));
    for (int label : result_)
      problem.result.push_back(numbers.at(label));
    return problem;
  }

  Builder& b_;
  std::vector<Labelled> operands_;
  Labels result_;
  DType sums_;
};

} // namespace

Value einsum(Builder& b, std::string_view subscripts, Values operands, std::optional<DType> dtype,
             const Terms& terms) {
  require_known(terms);
  const bool is_one_step = terms.where || !terms.accumulate.empty();
  if (is_one_step && operands.size() != 2)
    fail_argument(ErrorKind::value, "bad-option", terms.where ? "where" : "accumulate",
                  "two operands, whose terms it is about",
                  std::to_string(operands.size()) + "; contract two at a time");
  EinsumSpec spec = parse_einsum(subscripts, operands);
  operands = promote_numbers(b, std::move(operands));
  std::vector<Labelled> labelled;
  for (auto [operand, labels] : llvm::zip(operands, spec.operands))
    labelled.push_back(take_diagonals(b, {operand, labels}));
  labelled = unify_labels(b, std::move(labelled), [](int) { return true; }, true);
  DType sums = sum_dtype(ir::dtype_of(operands[0]), dtype);
  if (is_one_step)
    return contract(b, labelled[0], labelled[1], spec.result, sums, terms).value;
  return Einsum(b, std::move(labelled), spec.result, sums).run();
}

} // namespace kolam::language
