#include "kolam/rewrite/lane_rows.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/contract.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"

namespace kolam::rewrite {
namespace {

using language::Builder;
using mlir::Value;

constexpr int64_t kLanes = kContractLanes.lanes;
constexpr int64_t kSteps = kContractLanes.chunk / kLanes;

/// A factor as it lies in memory.
struct Factor {
  Value x;
  std::string letters;

  Extent extent(char letter) const { return ir::shape_of(x)[letters.find(letter)]; }
  int64_t extent_at(char letter) const { return extent(letter).constant().value_or(0); }
  bool has(char letter) const { return letters.find(letter) != std::string::npos; }
  /// The elements [begin, begin + count) of `summed`, a dim that becomes dims of `parts`, which
  /// `names` are.
  Factor part(Builder& b, char summed, int64_t begin, int64_t count, const std::string& names,
              const Shape& parts) const {
    const size_t dim = letters.find(summed);
    Value taken = language::slice_dim(b, x, static_cast<int64_t>(dim), begin, count);
    Shape shape = ir::shape_of(taken);
    shape.erase(shape.begin() + static_cast<int64_t>(dim));
    shape.insert(shape.begin() + static_cast<int64_t>(dim), parts.begin(), parts.end());
    std::string named = letters;
    named.replace(dim, 1, names);
    return {language::reshape(b, taken, shape), named};
  }
  /// With the dims of `to`, in its order, of `shape`.
  Value spread(Builder& b, const std::string& to, const Shape& shape) const {
    language::Axes permutation;
    Shape own;
    for (auto [dim, letter] : llvm::enumerate(to)) {
      own.push_back(has(letter) ? shape[dim] : Extent(1));
      if (has(letter))
        permutation.push_back(static_cast<int64_t>(letters.find(letter)));
    }
    Value ordered = language::permute_dims(b, x, permutation);
    return language::broadcast_to(b, language::reshape(b, ordered, own), shape);
  }
};

Factor factor_of(Value x, std::string letters) {
  while (auto transpose = x.getDefiningOp<ir::TransposeOp>()) {
    letters = ir::letters_before(letters, transpose.getPermutation());
    x = transpose.getOperand();
  }
  return {x, letters};
}

/// How long the rows of a factor are; 0 where that is too few for vectors.
int64_t row_of(const Factor& factor) {
  const int64_t extent = factor.letters.empty() ? 0 : factor.extent_at(factor.letters.back());
  return language::are_few_columns(extent) ? 0 : extent;
}

/// A contraction over one letter, with a factor in rows along the result.
struct RowSum {
  Factor rows, other;
  char summed;
  std::string result;  ///< of the op
  std::string in_rows; ///< its letters with that of the rows last
  int64_t terms;
  int64_t sums_of_row; ///< elements of the result that share an element of `rows`

  static std::optional<RowSum> of(ir::ContractOp op);
  /// Whether what the lanes' sums take in memory is less than they save.
  bool is_worth_parts() const { return terms >= 2 * kLanes && sums_of_row * kLanes <= 2 * terms; }
  /// Of fewer than two terms for each lane: how many lanes are added as one array, so that the
  /// terms are cut into as many everywhere; 0 where there are more terms or these are too few.
  int64_t lanes_at_once() const {
    constexpr int64_t kMostBlocks = 32; // size of code
    const int64_t first = std::min(terms, kLanes), second = terms - first;
    if (terms < 2 || second >= kLanes)
      return 0;
    const int64_t at_once = std::min(first & -first, second == 0 ? kLanes : second & -second);
    return first / at_once <= kMostBlocks ? at_once : 0;
  }
};

std::optional<RowSum> RowSum::of(ir::ContractOp op) {
  const DType dtype = ir::dtype_of(op.getResult());
  if (op.getWhere() || !(ir::accumulate_of(op.getAccumulate()) == kContractLanes) ||
      (dtype != DType::f32 && dtype != DType::f64) || ir::dtype_of(op.getLhs()) != dtype ||
      ir::dtype_of(op.getRhs()) != dtype)
    return std::nullopt;
  const ir::ContractLetters letters = ir::contract_letters(op.getSpec());
  RowSum sum;
  sum.result = letters.result;
  std::string summed;
  for (char letter : letters.lhs + letters.rhs)
    if (sum.result.find(letter) == std::string::npos && summed.find(letter) == std::string::npos)
      summed.push_back(letter);
  sum.rows = factor_of(op.getLhs(), letters.lhs);
  sum.other = factor_of(op.getRhs(), letters.rhs);
  if (summed.size() != 1 || !sum.rows.has(summed[0]) || !sum.other.has(summed[0]))
    return std::nullopt;
  sum.summed = summed[0];
  auto row = [&](const Factor& factor) {
    return factor.letters.back() == sum.summed ? 0 : row_of(factor);
  };
  if (row(sum.other) > row(sum.rows))
    std::swap(sum.rows, sum.other);
  const char last = sum.rows.letters.back();
  if (row(sum.rows) == 0 || (sum.other.has(last) && sum.other.letters.back() != last))
    return std::nullopt;
  sum.in_rows = sum.result;
  sum.in_rows.erase(sum.in_rows.find(last), 1);
  sum.in_rows.push_back(last);
  sum.terms = sum.rows.extent_at(sum.summed);
  sum.sums_of_row = 1;
  for (char letter : sum.other.letters)
    if (!sum.rows.has(letter))
      sum.sums_of_row *= sum.other.extent_at(letter);
  return sum;
}

/// Makes the parts of one.
class Parts {
public:
  Parts(RowSum sum, DType dtype, Builder& b) : sum_(std::move(sum)), dtype_(dtype), b_(b) {
    for (char letter : std::string("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
      if (!sum_.rows.has(letter) && !sum_.other.has(letter))
        fresh_.push_back(letter);
  }

  /// Its letters are those of `in_rows`.
  Value whole() {
    const int64_t chunks = sum_.terms / kContractLanes.chunk, begin = chunks * kContractLanes.chunk;
    const int64_t left = sum_.terms - begin, steps = left / kLanes;
    language::Values values;
    if (chunks > 0)
      values.push_back(merged_lanes(sums_of_lanes(0, chunks, kSteps)));
    if (steps > 0)
      values.push_back(merged_lanes(with_last(sums_of_lanes(begin, 1, steps), begin, left)));
    else if (left > 0)
      values.push_back(by_lanes(begin, left));
    const int64_t count = chunks + (left > 0 ? 1 : 0);
    if (count > 1)
      return added(values.size() > 1 ? language::concat(b_, values, 0) : values[0], 0,
                   {Order::chunk, 1, 1});
    return language::squeeze(b_, values[0], language::Axes{0});
  }

  /// The same of few terms: sums of arrays of `at_once` lanes, each before it is stored.
  Value few(int64_t at_once) {
    Value sum = added_blocks(0, 1, at_once);
    for (int64_t lanes = at_once / 2; lanes > 0; lanes /= 2)
      sum = language::elementwise(b_, Fn::add,
                                  {language::slice_dim(b_, sum, 0, 0, lanes),
                                   language::slice_dim(b_, sum, 0, lanes, lanes)});
    sum = language::squeeze(b_, sum, language::Axes{0});
    // What is much code goes along its rows, also where it is read transposed.
    constexpr int64_t kFewBlocks = 4; // size of code
    return sum_.sums_of_row == 1 || sum_.terms <= kFewBlocks * at_once
               ? sum
               : ir::MaterializeOp::create(b_, sum.getType(), sum).getResult();
  }

  Value contract(const Factor& x, const Factor& y, const std::string& to, Accumulate order) {
    return ir::ContractOp::create(b_, language::tensor_type(b_, dtype_, shape_of(x, y, to)), x.x,
                                  y.x, b_.getStringAttr(x.letters + "," + y.letters + "->" + to),
                                  ir::accumulate_attr(b_.getContext(), order), Value());
  }

private:
  static Shape shape_of(const Factor& x, const Factor& y, const std::string& letters) {
    Shape shape;
    for (char letter : letters)
      shape.push_back((x.has(letter) ? x : y).extent(letter));
    return shape;
  }

  /// sums + x y of the terms [begin, begin + count), which are dims of `parts` in front.
  Value with_terms(Value sums, int64_t begin, int64_t count, const Shape& parts) {
    const std::string names = fresh_.substr(0, parts.size());
    auto spread = [&](const Factor& factor) {
      return factor.part(b_, sum_.summed, begin, count, names, parts)
          .spread(b_, names + sum_.in_rows, ir::shape_of(sums));
    };
    return language::elementwise(b_, Fn::fma, {spread(sum_.other), spread(sum_.rows), sums});
  }

  /// The sums of the lanes of every `apart`-th block from `first` on; null where these have none.
  Value added_blocks(int64_t first, int64_t apart, int64_t at_once) {
    if (apart * at_once == kLanes)
      return first * at_once < sum_.terms ? lanes_of_block(first * at_once, at_once) : Value();
    Value x = added_blocks(first, 2 * apart, at_once),
          y = added_blocks(first + apart, 2 * apart, at_once);
    return x && y ? language::elementwise(b_, Fn::add, {x, y}) : x ? x : y;
  }

  /// Their one or two terms, as [at_once, in_rows...].
  Value lanes_of_block(int64_t begin, int64_t at_once) {
    Shape shape = shape_of(sum_.rows, sum_.other, sum_.in_rows);
    shape.insert(shape.begin(), at_once);
    Value sum = language::full(b_, shape, language::weak_constant(b_, 0, dtype_));
    for (; begin < sum_.terms; begin += kLanes)
      sum = with_terms(sum, begin, at_once, {at_once});
    return sum;
  }

  /// Of whole steps, as [chunks, lanes, in_rows...].
  Value sums_of_lanes(int64_t begin, int64_t chunks, int64_t steps) {
    const std::string names = fresh_.substr(0, 3);
    auto cut = [&](const Factor& factor) {
      return factor.part(b_, sum_.summed, begin, chunks * steps * kLanes, names,
                         {chunks, steps, kLanes});
    };
    return contract(cut(sum_.other), cut(sum_.rows), std::string{names[0], names[2]} + sum_.in_rows,
                    kContractChain);
  }

  /// With the step that has no term for the last lanes.
  Value with_last(Value sums, int64_t begin, int64_t left) {
    const int64_t rest = left % kLanes;
    if (rest == 0)
      return sums;
    Value first =
        with_terms(language::slice_dim(b_, sums, 1, 0, rest), begin + left - rest, rest, {1, rest});
    return language::concat(b_, {first, language::slice_dim(b_, sums, 1, rest, kLanes - rest)}, 1);
  }

  /// A chunk without a whole step, as [1, in_rows...].
  Value by_lanes(int64_t begin, int64_t left) {
    auto cut = [&](const Factor& factor) {
      return factor.part(b_, sum_.summed, begin, left, {sum_.summed}, {left});
    };
    return language::expand_dims(
        b_, contract(cut(sum_.other), cut(sum_.rows), sum_.in_rows, kContractLanes), {0});
  }

  Value merged_lanes(Value sums) { return added(sums, 1, kContractLanes); }

  Value added(Value x, int64_t dim, Accumulate order) {
    Shape shape = ir::shape_of(x);
    shape.erase(shape.begin() + dim);
    return ir::ReduceOp::create(b_, mlir::TypeRange{language::tensor_type(b_, dtype_, shape)},
                                mlir::ValueRange{x}, b_.getStringAttr("add"), b_.getBoolAttr(true),
                                b_.getDenseI64ArrayAttr({dim}),
                                ir::accumulate_attr(b_.getContext(), order))
        .getResult(0);
  }

  RowSum sum_;
  DType dtype_;
  Builder& b_;
  std::string fresh_;
};

} // namespace

Value lanes_of_rows(mlir::Operation* op, mlir::OpBuilder& builder) {
  auto contract = llvm::dyn_cast<ir::ContractOp>(op);
  const std::optional<RowSum> sum = contract ? RowSum::of(contract) : std::nullopt;
  if (!sum)
    return {};
  const int64_t at_once = sum->lanes_at_once();
  if (at_once == 0 && !sum->is_worth_parts() && ends_a_row(contract, sum->result.back()))
    return {};
  Builder b(op->getLoc(), builder);
  Parts parts(*sum, ir::dtype_of(contract.getResult()), b);
  Value made = at_once > 0 ? parts.few(at_once)
               : sum->is_worth_parts()
                   ? parts.whole()
                   : parts.contract(sum->other, sum->rows, sum->in_rows, kContractLanes);
  language::Axes permutation;
  for (char letter : sum->result)
    permutation.push_back(static_cast<int64_t>(sum->in_rows.find(letter)));
  return language::permute_dims(b, made, permutation);
}

bool ends_a_row(ir::ContractOp op, char letter) {
  const ir::ContractLetters letters = ir::contract_letters(op.getSpec());
  auto ends = [&](const Factor& factor) {
    return row_of(factor) > 0 && factor.letters.back() == letter;
  };
  return ends(factor_of(op.getLhs(), letters.lhs)) || ends(factor_of(op.getRhs(), letters.rhs));
}

} // namespace kolam::rewrite
