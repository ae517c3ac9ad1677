// Unifies, permutes and contracts labelled operands.
#include "kolam/language/labelled.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/transpose.h"

#include <map>
#include <set>

namespace kolam::language {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A dim of an operand, for errors.
struct Dim {
  size_t operand, dim;
  std::string describe(const std::vector<Labelled>& operands) const {
    return "dim " + std::to_string(dim) + " of operand " + std::to_string(operand) + ", " +
           language::describe(operands[operand].value);
  }
};

Labelled drop_dims(Builder& b, const Labelled& x, const std::set<int>& dropped) {
  if (dropped.empty())
    return x;
  Labels labels;
  Axes dims;
  for (auto [dim, label] : llvm::enumerate(x.labels))
    if (dropped.contains(label))
      dims.push_back(static_cast<int64_t>(dim));
    else
      labels.push_back(label);
  return {squeeze(b, x.value, dims), labels};
}

/// A letter for each label: its own, or the next free one.
std::map<int, char> name_labels(const Labels& lhs, const Labels& rhs) {
  Labels labels = lhs;
  labels.insert(labels.end(), rhs.begin(), rhs.end());
  std::set<int> distinct(labels.begin(), labels.end());
  if (distinct.size() > kLetters.size())
    fail(ErrorKind::value, "rank-mismatch",
         "expected at most 52 different dims in one contraction, but got " +
             std::to_string(distinct.size()));
  std::map<int, char> names;
  size_t next = 0;
  for (int label : labels) {
    if (names.contains(label))
      continue;
    while (label >= kBatchLabel && distinct.contains(kLetters[next]))
      ++next;
    names[label] = label < kBatchLabel ? static_cast<char>(label) : kLetters[next++];
  }
  return names;
}

} // namespace

Labels batch_labels(int64_t batch, std::string_view letters) {
  Labels labels;
  for (int64_t i = batch; i-- > 0;)
    labels.push_back(kBatchLabel + static_cast<int>(i));
  labels.insert(labels.end(), letters.begin(), letters.end());
  return labels;
}

std::string letter_text(int label) {
  return label < kBatchLabel ? "letter '" + std::string(1, static_cast<char>(label)) + "', " : "";
}

std::vector<Labelled> unify_labels(Builder& b, std::vector<Labelled> operands,
                                   const std::function<bool(int)>& stretch, bool names_letters) {
  std::map<int, Extent> common;
  std::map<int, Dim> owner; // the dim that gave the extent
  for (auto [number, operand] : llvm::enumerate(operands)) {
    Shape shape = ir::shape_of(operand.value);
    for (auto [place, label] : llvm::enumerate(operand.labels)) {
      const Extent& extent = shape[place];
      Dim dim{number, place};
      auto [known, is_new] = common.try_emplace(label, extent);
      bool adopts = is_new || (stretch(label) && known->second == Extent(1));
      if (adopts) {
        known->second = extent;
        owner[label] = dim;
      } else if (!stretch(label) || extent != Extent(1)) {
        known->second =
            unify(b, known->second, extent,
                  (names_letters ? letter_text(label) : "") + owner[label].describe(operands) +
                      ", and " + dim.describe(operands));
      }
    }
  }
  for (Labelled& operand : operands) {
    std::set<int> dropped;
    Shape shape = ir::shape_of(operand.value);
    for (auto [label, extent] : llvm::zip(operand.labels, shape)) {
      if (stretch(label) && extent == Extent(1) && common[label] != Extent(1))
        dropped.insert(label);
      else
        extent = common[label];
    }
    operand.value = with_shape(b, operand.value, shape);
    operand = drop_dims(b, operand, dropped);
  }
  return operands;
}

/// The labels of the terms: of the result, then those that are summed.
static Labels labels_of_terms(const Labelled& lhs, const Labelled& rhs, const Labels& result) {
  Labels all = result;
  for (const Labelled* operand : {&lhs, &rhs})
    for (int label : operand->labels)
      if (!llvm::is_contained(all, label))
        all.push_back(label);
  return all;
}

/// `where` with the labels of its dims that are not of extent 1.
static Labelled label_where(Builder& b, Value where, const Labelled& lhs, const Labelled& rhs,
                            const Labels& result) {
  if (ir::dtype_of(where) != DType::boolean)
    fail_argument(ErrorKind::type, "dtype-mismatch", "where", "booleans", describe(where));
  Labels terms = labels_of_terms(lhs, rhs, result);
  std::map<int, Extent> extents;
  for (const Labelled* operand : {&rhs, &lhs})
    for (auto [label, extent] : llvm::zip(operand->labels, ir::shape_of(operand->value)))
      extents[label] = extent;
  Shape space, shape = ir::shape_of(where);
  for (int label : terms)
    space.push_back(extents.at(label));
  const std::string expected = "booleans that broadcast to the terms, " + to_string(space) +
                               ", the dims of the result and then the summed ones";
  if (shape.size() > space.size())
    fail_argument(ErrorKind::value, "rank-mismatch", "where", expected, describe(where));
  const size_t first = space.size() - shape.size();
  Labelled labelled{where, {terms.begin() + static_cast<int64_t>(first), terms.end()}};
  std::set<int> dropped;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    const Extent& whole = space[first + dim];
    auto own = extent.constant(), all = whole.constant();
    if (own == 1)
      dropped.insert(labelled.labels[dim]);
    else if (own && all && *own != *all)
      fail_argument(ErrorKind::value, "shape-mismatch", "where", expected, describe(where));
    else
      extent = unify(b, whole, extent, "the terms, and dim " + std::to_string(dim) + " of where");
  }
  labelled.value = with_shape(b, where, shape);
  return drop_dims(b, labelled, dropped);
}

/// x, but 0 where `where` is false; all labels of `where` are labels of x.
static Labelled hide(Builder& b, const Labelled& x, const Labelled& where) {
  Axes dims;
  for (int label : x.labels)
    if (llvm::is_contained(where.labels, label))
      dims.push_back(llvm::find(where.labels, label) - where.labels.begin());
  Value mask = permute_dims(b, where.value, dims);
  Axes others;
  for (auto [dim, label] : llvm::enumerate(x.labels))
    if (!llvm::is_contained(where.labels, label))
      others.push_back(static_cast<int64_t>(dim));
  mask = broadcast_to(b, expand_dims(b, mask, others), ir::shape_of(x.value));
  Value zero =
      broadcast_to(b, weak_constant(b, int64_t{0}, ir::dtype_of(x.value)), ir::shape_of(x.value));
  return {elementwise(b, Fn::where, {mask, x.value, zero}), x.labels};
}

Labelled contract(Builder& b, const Labelled& lhs, const Labelled& rhs, const Labels& result,
                  DType result_dtype, const Terms& terms) {
  std::map<int, char> names = name_labels(lhs.labels, rhs.labels);
  auto text = [&](const Labels& labels) {
    std::string letters;
    for (int label : labels)
      letters.push_back(names.at(label));
    return letters;
  };
  const Terms all{{}, terms.accumulate};
  auto product = [&](const Labelled& x, const Labelled& y) {
    std::string spec = text(x.labels) + "," + text(y.labels) + "->" + text(result);
    return Labelled{contract(b, x.value, y.value, spec, result_dtype, all), result};
  };
  if (!terms.where)
    return product(lhs, rhs);
  // See Note [Hidden terms].
  Labelled where = label_where(b, terms.where, lhs, rhs, result);
  auto has_all = [&](const Labels& labels) {
    return llvm::all_of(where.labels, [&](int own) { return llvm::is_contained(labels, own); });
  };
  const bool is_exact = !is_float(result_dtype);
  if (has_all(result))
    return hide(b, product(lhs, rhs), where);
  if (has_all(lhs.labels) && (is_exact || has_all(rhs.labels)))
    return product(hide(b, lhs, where), has_all(rhs.labels) ? hide(b, rhs, where) : rhs);
  if (is_exact && has_all(rhs.labels))
    return product(lhs, hide(b, rhs, where));
  std::string spec =
      text(lhs.labels) + "," + text(rhs.labels) + "," + text(where.labels) + "->" + text(result);
  return {contract(b, lhs.value, rhs.value, spec, result_dtype, {where.value, terms.accumulate}),
          result};
}

// Note [Hidden terms]
// A term that does not count is 0 * 0. Where `where` depends on indices of the result alone, all
// terms of an element count or none; where it depends on indices of both factors alone, both can be
// 0 before. In these cases the product stays one of matrices. Of integers one factor is enough.
// Otherwise an element of a factor that one term hides is part of another term, and a NaN or
// infinity among them would leak through 0 * NaN: the op chooses term by term.

Labelled permute(Builder& b, const Labelled& x, const Labels& labels) {
  Axes axes;
  for (int label : labels)
    axes.push_back(llvm::find(x.labels, label) - x.labels.begin());
  return {permute_dims(b, x.value, axes), labels};
}

Values promote_numbers(Builder& b, Values values) {
  values = promote(b, std::move(values));
  if (ir::dtype_of(values.front()) == DType::boolean)
    fail(ErrorKind::type, "dtype-mismatch", "expected numbers, but got booleans");
  return values;
}

DType sum_dtype(DType operands, std::optional<DType> wanted) {
  if (!wanted || *wanted == operands)
    return operands;
  bool same_kind = *wanted != DType::boolean && is_float(operands) == is_float(*wanted);
  bool holds_all = same_kind && !(operands == DType::u64 && is_signed_integer(*wanted)) &&
                   !(*wanted == DType::u64 && is_signed_integer(operands)) &&
                   promote(operands, *wanted) == *wanted;
  if (!holds_all)
    fail_argument(ErrorKind::type, "dtype-mismatch", "dtype",
                  "a dtype that holds all values of " + std::string(name(operands)),
                  std::string(name(*wanted)));
  return *wanted;
}

} // namespace kolam::language
