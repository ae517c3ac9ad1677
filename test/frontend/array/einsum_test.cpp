// einsum on random subscripts against its definition, and what its forms mean.
#include "test/frontend/array/both_backends.h"
#include "test/frontend/array/random_array.h"

#include <algorithm>
#include <map>

namespace kolam {
namespace {

using test::run_both;

std::vector<int64_t> strides_of(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

/// A random call with every ellipsis written out in digits: "0" the last batch dim, "1" the one
/// before.
struct Case {
  std::string subscripts;
  std::vector<std::string> terms;
  std::string result;
  std::vector<Array> arrays;
  std::vector<TensorSpec> symbolic; ///< a symbol for each letter that does not stretch
};

/// The definition: a walk over all letters, each element of the result the sum of the products.
Array define(const Case& c) {
  std::map<char, int64_t> extents;
  for (size_t i = 0; i < c.terms.size(); ++i)
    for (size_t dim = 0; dim < c.terms[i].size(); ++dim) {
      int64_t& extent = extents.try_emplace(c.terms[i][dim], 1).first->second;
      if (c.arrays[i].shape()[dim] != 1)
        extent = c.arrays[i].shape()[dim];
    }
  std::vector<int64_t> shape;
  for (char letter : c.result)
    shape.push_back(extents[letter]);
  Array result = Array::zeros(DType::i32, shape);
  std::vector<int64_t> result_strides = strides_of(shape);
  std::map<char, int64_t> at;
  std::function<void(std::map<char, int64_t>::iterator)> walk = [&](auto letter) {
    if (letter != extents.end()) {
      for (int64_t i = 0; i < letter->second; ++i) {
        at[letter->first] = i;
        walk(std::next(letter));
      }
      return;
    }
    int32_t product = 1;
    for (size_t i = 0; i < c.terms.size(); ++i) {
      const auto& operand = c.arrays[i].shape();
      int64_t cell = 0;
      for (size_t dim = 0; dim < operand.size(); ++dim)
        cell = cell * operand[dim] + (operand[dim] == 1 ? 0 : at[c.terms[i][dim]]);
      product *= c.arrays[i].values<int32_t>()[cell];
    }
    int64_t cell = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      cell += result_strides[dim] * at[c.result[dim]];
    result.mutable_values<int32_t>()[cell] += product;
  };
  walk(extents.begin());
  return result;
}

class CaseMaker {
public:
  explicit CaseMaker(uint32_t seed) : random_(seed) {}

  Case make() {
    for (char letter : std::string("abcdXY"))
      extents_[letter] = pick(12) == 0 ? 0 : 1 + pick(3);
    for (char batch : std::string("01"))
      extents_[batch] = 1 + pick(3);
    Case c;
    int64_t operands = 1 + pick(4);
    int64_t longest = 0;
    for (int64_t i = 0; i < operands; ++i)
      longest = std::max(longest, add_operand(c));
    bool has_batch = c.subscripts.find('.') != std::string::npos;
    if (pick(3) == 0)
      imply_result(c, longest);
    else
      choose_result(c, longest, has_batch);
    return c;
  }

private:
  int64_t pick(int64_t below) { return static_cast<int64_t>(random_() % below); }

  /// Gives the number of dims that its ellipsis covers.
  int64_t add_operand(Case& c) {
    std::string term, text, letters = "abcdXY";
    int64_t rank = pick(4), covered = 0;
    int64_t ellipsis = pick(3) == 0 ? pick(rank + 1) : -1;
    for (int64_t i = 0; i <= rank; ++i) {
      if (i == ellipsis) {
        covered = pick(3);
        term += std::string("10").substr(2 - covered);
        text += "...";
      }
      if (i == rank)
        break;
      char letter = letters[pick(6)];
      term.push_back(letter);
      text.push_back(letter);
      if (pick(8) == 0)
        text.push_back(' ');
    }
    std::vector<int64_t> shape;
    Shape symbols;
    for (char letter : term) {
      bool repeated = std::count(term.begin(), term.end(), letter) > 1;
      bool stretches = !repeated && pick(5) == 0;
      shape.push_back(stretches ? 1 : extents_[letter]);
      // One that another operand stretches must be known to be 1.
      bool known = shape.back() == 1 || pick(4) == 0;
      symbols.push_back(known ? Extent(shape.back()) : Extent::symbol(std::string("n") + letter));
    }
    c.subscripts += (c.terms.empty() ? "" : ",") + text;
    c.terms.push_back(term);
    c.arrays.push_back(test::random_integers<int32_t>(shape, random_));
    c.symbolic.push_back({DType::i32, symbols});
    return covered;
  }

  void imply_result(Case& c, int64_t longest) {
    std::string all;
    for (const std::string& term : c.terms)
      all += term;
    std::string letters;
    for (const auto& [letter, extent] : extents_)
      if (std::isalpha(letter) && std::count(all.begin(), all.end(), letter) == 1)
        letters.push_back(letter);
    c.result = std::string("10").substr(2 - longest) + letters;
  }

  void choose_result(Case& c, int64_t longest, bool has_batch) {
    std::string letters;
    for (const auto& [letter, extent] : extents_)
      for (const std::string& term : c.terms)
        if (std::isalpha(letter) && term.find(letter) != std::string::npos) {
          letters.push_back(letter);
          break;
        }
    std::shuffle(letters.begin(), letters.end(), random_);
    letters.resize(pick(static_cast<int64_t>(letters.size()) + 1));
    size_t place = pick(static_cast<int64_t>(letters.size()) + 1);
    std::string text = letters;
    if (has_batch)
      text.insert(place, "...");
    c.subscripts += "->" + text;
    c.result = letters.insert(place, std::string("10").substr(2 - longest));
  }

  std::mt19937 random_;
  std::map<char, int64_t> extents_;
};

test::TensorFunction einsum_of(const std::string& subscripts) {
  return [subscripts](std::vector<Tensor> t) { return std::vector<Tensor>{einsum(subscripts, t)}; };
}

TEST(Einsum, IsItsDefinitionOnRandomSubscripts) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Case c = CaseMaker(seed).make();
    SCOPED_TRACE(c.subscripts);
    Array expected = define(c);
    // Compiling is the slow part: a part of the cases compile.
    Program program =
        trace(seed % 4 == 3 ? c.symbolic : test::static_specs(c.arrays), einsum_of(c.subscripts));
    Array result = program.run(c.arrays, Backend::interpret)[0];
    EXPECT_TRUE(same_bits(result, expected))
        << program.as_text() << result.to_string() << expected.to_string();
    if (seed % 8 == 0 || seed % 8 == 3)
      EXPECT_TRUE(same_bits(program.run(c.arrays, Backend::cpu)[0], expected)) << program.as_text();
  }
}

TEST(Einsum, TakesDiagonalsAndTraces) {
  Array x = Array::of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3});
  TensorSpec symbolic{DType::f32, {Extent::symbol("n"), Extent::symbol("n")}};
  for (const TensorSpec& spec : {symbolic, TensorSpec{DType::f32, {3, 3}}}) {
    EXPECT_EQ(run_both({spec}, {x}, einsum_of("ii"))[0].item<float>(), 15);
    EXPECT_TRUE(
        same_bits(run_both({spec}, {x}, einsum_of("ii->i"))[0], Array::of<float>({1, 5, 9})));
  }
  Array cube = Array::of<int32_t>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  EXPECT_TRUE(same_bits(run_both({cube}, einsum_of("iii->i"))[0], Array::of<int32_t>({1, 8})));
  Array none = Array::zeros(DType::f32, {0, 0});
  EXPECT_EQ(run_both({none}, einsum_of("ii"))[0].item<float>(), 0);
}

TEST(Einsum, ChecksASymbolicDiagonalWhenItRuns) {
  TensorSpec spec{DType::f32, {Extent::symbol("m"), Extent::symbol("n")}};
  EXPECT_EQ(
      run_both({spec}, {Array::of<float>({1, 2, 3, 4}, {2, 2})}, einsum_of("ii"))[0].item<float>(),
      5);
  Error error = test::run_error({spec}, {Array::zeros(DType::f32, {2, 3})}, einsum_of("ii"));
  EXPECT_EQ(error.slug(), "shape-mismatch");
}

TEST(Einsum, OnlyPermutesWhereNothingIsSummed) {
  std::string text =
      trace(std::vector<TensorSpec>{{DType::f32, {2, 3}}}, einsum_of("ij->ji")).as_text();
  EXPECT_EQ(text.find("kolam.contract"), std::string::npos) << text;
  EXPECT_NE(text.find("kolam.transpose"), std::string::npos) << text;
}

TEST(Einsum, ContractsThreeMatricesFromTheCheapEnd) {
  std::vector<TensorSpec> specs{
      {DType::f32, {100, 100}}, {DType::f32, {100, 100}}, {DType::f32, {100, 1}}};
  std::string text = trace(specs, einsum_of("ij,jk,kl->il")).as_text();
  EXPECT_NE(text.find("\"jk,kl->jl\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"ij,jl->il\""), std::string::npos) << text;
}

TEST(Einsum, RoundsNarrowFloatsOnceAtTheEnd) {
  // The sum over i, 1 + 2^-8, is no bfloat16: rounded by itself it would be 1 and the result 3.
  Array x = Array::of<BFloat16>({{0x3f80}, {0x3b80}}), three = Array::of<BFloat16>({{0x4040}});
  Array result = run_both({x, three}, einsum_of("i,j->"))[0];
  EXPECT_EQ(result.item<BFloat16>().bits, 0x4041); // 3.015625, next to 3.01171875
}

TEST(Einsum, SumsInAWiderDtype) {
  Array x = Array::of(std::vector<int8_t>(300, 100), {300});
  Array result = run_both({x, x}, [](std::vector<Tensor> t) {
    return std::vector<Tensor>{einsum("i,i", {t[0], t[1]}, DType::i32)};
  })[0];
  EXPECT_EQ(result.item<int32_t>(), 3000000);
}

} // namespace
} // namespace kolam
