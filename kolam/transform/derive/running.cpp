// Runs along rows: one scan, whose state is the prefix of the chunk and the carry of those before.
#include "kolam/transform/derive/running.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/slice.h"
#include "kolam/transform/derive.h"
#include "kolam/transform/derive/placing.h"

namespace kolam::transform::derive {
namespace {

using language::Builder;
using language::Value;
using language::Values;
using Types = llvm::SmallVector<mlir::Type>;

constexpr int64_t kChunk = 4096; ///< meaning: of `associative_scan`

Value apply(Builder& b, Fn fn, const Values& values) {
  return language::elementwise(b, fn, values);
}

Values first_of(const Values& values, size_t count) {
  return Values(values.begin(), values.begin() + static_cast<int64_t>(count));
}

Values choose(Builder& b, Value condition, const Values& yes, const Values& no) {
  Values chosen;
  for (auto [one, other] : llvm::zip_first(yes, no))
    chosen.push_back(apply(b, Fn::where, {condition, one, other}));
  return chosen;
}

bool has_more_than_a_chunk(const Extent& length) {
  return !length.is_constant() || *length.constant() > kChunk;
}

} // namespace

Values running(Builder& b, const Values& xs, bool is_reverse, const Combine& combine,
               std::optional<size_t> given) {
  const Extent length = ir::shape_of(xs[0])[0];
  const bool has_carry = has_more_than_a_chunk(length);
  const size_t count = xs.size(), outs = given.value_or(count);
  Types rows, types;
  for (Value x : xs)
    rows.push_back(language::slice_type(b, x));
  Values inits;
  for (mlir::Type row : rows)
    inits.push_back(zeros(b, row));
  for (size_t number = 0; has_carry && number < count; ++number)
    inits.push_back(zeros(b, rows[number]));
  inits.push_back(language::integer_constant(b, 0, DType::i64));
  types.append(mlir::ValueRange(inits).getTypes().begin(),
               mlir::ValueRange(inits).getTypes().end());
  llvm::append_range(types, rows);
  const auto direction = is_reverse ? language::Direction::reverse : language::Direction::forward;
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    auto number = [&](int64_t value) { return language::integer_constant(b, value, DType::i64); };
    auto part = [&](size_t from) {
      return Values(arguments.begin() + static_cast<int64_t>(from),
                    arguments.begin() + static_cast<int64_t>(from + count));
    };
    const Values x = part(arguments.size() - count);
    Value seen = arguments[arguments.size() - count - 1];
    Value place = apply(b, Fn::remainder, {seen, number(kChunk)});
    Values prefix = choose(b, apply(b, Fn::equal, {place, number(0)}), x, combine(part(0), x));
    Values out = prefix, results = prefix;
    if (has_carry) {
      const Values carry = part(count);
      out = choose(b, apply(b, Fn::less, {seen, number(kChunk)}), prefix, combine(carry, prefix));
      Value is_last = apply(b, Fn::equal, {place, number(kChunk - 1)});
      llvm::append_range(results, choose(b, is_last, out, carry));
    }
    results.push_back(apply(b, Fn::add, {seen, number(1)}));
    llvm::append_range(results, first_of(out, outs));
    return results;
  });
  Values made = language::scan(b, inits, xs, length, direction, std::move(body));
  return Values(made.end() - static_cast<int64_t>(outs), made.end());
}

Values moved_on(Builder& b, const Values& rows, bool is_reverse, const Values& first) {
  Values moved;
  for (auto [row, start] : llvm::zip(rows, first)) {
    const Shape shape = ir::shape_of(row);
    Shape one = shape;
    one[0] = Extent(1);
    Value front = reshaped(b, start, one);
    Value longer = language::concat(b, is_reverse ? Values{row, front} : Values{front, row}, 0);
    moved.push_back(language::slice_dim(b, longer, 0, is_reverse ? 1 : 0, shape[0]));
  }
  return moved;
}

/// Where factors or their products are not 0.
static std::vector<std::vector<bool>> closure(const Factors& factors) {
  const size_t size = factors.size();
  std::vector<std::vector<bool>> has(size, std::vector<bool>(size));
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j)
      has[i][j] = bool(factors[i][j]);
  for (size_t m = 0; m < size; ++m)
    for (size_t i = 0; i < size; ++i)
      for (size_t j = 0; j < size; ++j)
        has[i][j] = has[i][j] || (has[i][m] && has[m][j]);
  return has;
}

Values recurrence(Builder& b, const Factors& factors, const Values& u, bool is_reverse) {
  const size_t size = u.size();
  const Extent length = ir::shape_of(u[0])[0];
  const bool has_products = has_more_than_a_chunk(length);
  std::vector<std::vector<bool>> has = closure(factors);
  Values xs = u; // then factors, which chunks multiply
  std::vector<std::vector<size_t>> places(size, std::vector<size_t>(size));
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j) {
      has[i][j] = has_products ? has[i][j] : bool(factors[i][j]);
      places[i][j] = xs.size();
      if (has[i][j])
        xs.push_back(factors[i][j] ? factors[i][j] : zeros(b, u[i].getType()));
    }
  auto sum = [&](Value terms, Value term) {
    return terms ? apply(b, Fn::add, {terms, term}) : term;
  };
  auto next = [&](const Values& before, const Values& row) {
    Values results;
    for (size_t i = 0; i < size; ++i) {
      Value terms;
      for (size_t j = 0; j < size; ++j)
        if (has[i][j])
          terms = sum(terms, apply(b, Fn::scale, {before[j], row[places[i][j]]}));
      results.push_back(sum(terms, row[i]));
    }
    return results;
  };
  if (has_products)
    return running(
        b, xs, is_reverse,
        [&](const Values& left, const Values& right) {
          Values results = next(left, right);
          for (size_t i = 0; i < size; ++i)
            for (size_t j = 0; j < size; ++j) {
              Value terms;
              for (size_t m = 0; has[i][j] && m < size; ++m)
                if (has[i][m] && has[m][j])
                  terms =
                      sum(terms, apply(b, Fn::multiply, {left[places[m][j]], right[places[i][m]]}));
              if (has[i][j])
                results.push_back(terms ? terms : zeros(b, right[places[i][j]].getType()));
            }
          return results;
        },
        size);
  Values inits;
  Types types;
  for (Value row : u) {
    types.push_back(language::slice_type(b, row));
    inits.push_back(zeros(b, types.back()));
  }
  for (Value row : xs)
    types.push_back(language::slice_type(b, row));
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Values results = next(first_of(arguments, size),
                          Values(arguments.begin() + static_cast<int64_t>(size), arguments.end()));
    llvm::append_range(results, Values(results));
    return results;
  });
  Values made = language::scan(
      b, inits, xs, length,
      is_reverse ? language::Direction::reverse : language::Direction::forward, std::move(body));
  return Values(made.begin() + static_cast<int64_t>(size), made.end());
}

} // namespace kolam::transform::derive
