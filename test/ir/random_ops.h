/// Random programs of one op, by op.
#pragma once

#include "llvm/ADT/StringExtras.h"

#include <random>
#include <string>
#include <vector>

namespace kolam::ir::random_ops {

using Sizes = std::vector<int64_t>;

inline std::string join(const Sizes& numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

inline std::string tensor(const Sizes& shape, const std::string& dtype = "f32") {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + dtype + ">";
}

inline std::string list(const std::vector<std::string>& words) { return llvm::join(words, ", "); }

/// A function whose arguments are the operands %0, %1, ... of one op, `line`, with one result or
/// two.
inline std::string program(const std::vector<std::string>& operands, const std::string& line,
                           const std::vector<std::string>& results) {
  std::vector<std::string> arguments, returned;
  for (size_t i = 0; i < operands.size(); ++i)
    arguments.push_back("%a" + std::to_string(i) + ": " + operands[i]);
  for (size_t i = 0; i < results.size(); ++i)
    returned.push_back(results.size() == 1 ? "%r" : "%r#" + std::to_string(i));
  std::string name = results.size() == 1 ? "%r" : "%r:" + std::to_string(results.size());
  return "func.func @main(" + list(arguments) + ") -> (" + list(results) + ") {\n  " + name +
         " = " + line + "\n  return " + list(returned) + " : " + list(results) + "\n}\n";
}

/// The usual form: kolam.NAME %0 ATTRIBUTES : T0 -> R.
inline std::string unary(const std::string& name, const Sizes& from, const std::string& attributes,
                         const Sizes& to) {
  return program({tensor(from)},
                 "kolam." + name + " %a0 " + attributes + " : " + tensor(from) + " -> " +
                     tensor(to),
                 {tensor(to)});
}

struct Random {
  std::mt19937& engine;
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % (high - low + 1));
  }
  Sizes shape(int64_t rank, int64_t least = 1) {
    Sizes result;
    for (int64_t dim = 0; dim < rank; ++dim)
      result.push_back(between(least, 4));
    return result;
  }
};

/// The text of a program of one op, made anew at each call.
struct RandomOp {
  const char* name;
  std::string (*text)(Random&);
  bool exact; ///< whether every element of a region decides the result, whatever the data
};

inline std::string make_elementwise(Random& r) {
  Sizes s = r.shape(r.between(0, 3), 0);
  std::string t = tensor(s);
  return program({t, t}, "kolam.elementwise \"add\" %a0, %a1 : (" + t + ", " + t + ") -> " + t,
                 {t});
}
inline std::string make_cast(Random& r) {
  Sizes s = r.shape(2);
  return program({tensor(s)}, "kolam.cast %a0 : " + tensor(s) + " -> " + tensor(s, "i32"),
                 {tensor(s, "i32")});
}
inline std::string make_broadcast(Random& r) {
  Sizes to = r.shape(3);
  return unary("broadcast", {to[0], 1}, "[0, 2]", to);
}
inline std::string make_expand_dims(Random& r) {
  Sizes s = r.shape(2);
  return unary("expand_dims", s, "[0, 2]", {1, s[0], 1, s[1]});
}
inline std::string make_squeeze(Random& r) {
  Sizes s = r.shape(2);
  return unary("squeeze", {1, s[0], 1, s[1]}, "[0, 2]", s);
}
inline std::string make_reshape(Random& r) {
  int64_t a = r.between(1, 3), b = r.between(1, 3), c = r.between(1, 3), keep = r.between(1, 2);
  return r.between(0, 1) ? unary("reshape", {a * b, c, keep}, "", {a, b * c, keep})
                         : unary("reshape", {keep, a, b * c}, "", {keep, a * b * c});
}
inline std::string make_transpose(Random& r) {
  Sizes s = r.shape(3);
  return unary("transpose", s, "[2, 0, 1]", {s[2], s[0], s[1]});
}
inline std::string make_slice(Random& r) {
  int64_t start = r.between(0, 2), step = r.between(1, 3), count = r.between(0, 3);
  int64_t extent = start + step * std::max<int64_t>(count - 1, 0) + 1 + r.between(0, 2);
  return unary("slice", {extent, 3},
               "<[\"" + std::to_string(start) + "\", \"1\"]> [" + std::to_string(step) + ", 1]",
               {count, 2});
}
inline std::string make_pin(Random& r) {
  Sizes s = r.shape(3);
  return unary("pin", s, "1 [\"rows\", \"\", \"depth\"]", s);
}
inline std::string make_reverse(Random& r) {
  Sizes s = r.shape(3);
  return unary("reverse", s, "[0, 2]", s);
}
inline std::string make_view(Random& r) {
  if (r.between(0, 3) == 0) // one element
    return unary("view", {3, 2}, "<[\"2\", \"1\"]> []", {});
  // x[start + step i + j, width - 1 - j]: windows, of which the second coordinate counts backwards.
  int64_t start = r.between(0, 2), step = r.between(0, 2), count = r.between(1, 3),
          width = r.between(1, 3);
  int64_t extent = start + step * (count - 1) + width + r.between(0, 2);
  return unary("view", {extent, width},
               "<[\"" + std::to_string(start) + "\", \"" + std::to_string(width - 1) + "\"]> [" +
                   std::to_string(step) + ", 1, 0, -1]",
               {count, width});
}
inline std::string make_concat(Random& r) {
  Sizes a = r.shape(2, 0), b{a[0], r.between(0, 3)}, c{a[0], r.between(0, 3)};
  Sizes sum{a[0], a[1] + b[1] + c[1]};
  return program({tensor(a), tensor(b), tensor(c)},
                 "kolam.concat %a0, %a1, %a2 dim 1 : (" + list({tensor(a), tensor(b), tensor(c)}) +
                     ") -> " + tensor(sum),
                 {tensor(sum)});
}
inline std::string make_pad(Random& r) {
  const char* modes[] = {"constant", "edge", "reflect", "wrap"};
  Sizes s = r.shape(2), low{r.between(0, 5), r.between(0, 2)}, high{r.between(0, 5), 0};
  Sizes to{s[0] + low[0] + high[0], s[1] + low[1]};
  return program({tensor(s), tensor({})},
                 "kolam.pad %a0, %a1 \"" + std::string(modes[r.between(0, 3)]) + "\" low " +
                     join(low) + " high " + join(high) + " : " + tensor(s) + ", tensor<f32> -> " +
                     tensor(to),
                 {tensor(to)});
}
inline std::string make_dynamic_slice(Random& r) {
  Sizes s = r.shape(2, 2), to{s[0] - 1, s[1]};
  return program({tensor(s), tensor({}, "i32"), tensor({}, "i32")},
                 "kolam.dynamic_slice %a0[%a1, %a2] : (" + tensor(s) +
                     ", tensor<i32>, tensor<i32>) -> " + tensor(to),
                 {tensor(to)});
}
inline std::string make_dynamic_update_slice(Random& r) {
  Sizes s = r.shape(2, 2), update{s[0] - 1, s[1]};
  return program({tensor(s), tensor(update), tensor({}, "i32"), tensor({}, "i32")},
                 "kolam.dynamic_update_slice %a0, %a1[%a2, %a3] : (" + tensor(s) + ", " +
                     tensor(update) + ", tensor<i32>, tensor<i32>) -> " + tensor(s),
                 {tensor(s)});
}
inline std::string make_contract(Random& r) {
  Sizes s = r.shape(4);
  Sizes lhs{s[0], s[1], s[2]}, rhs{s[3], s[0], s[2]}, to{s[0], s[3], s[1]};
  return program({tensor(lhs), tensor(rhs)},
                 "kolam.contract \"bik,jbk->bji\" %a0, %a1 <\"chain<8192>\"> : (" + tensor(lhs) +
                     ", " + tensor(rhs) + ") -> " + tensor(to),
                 {tensor(to)});
}
inline std::string make_convolution(Random& r) {
  int64_t groups = r.between(1, 2), c = r.between(1, 2), o = groups * r.between(1, 2);
  int64_t x = r.between(3, 6), k = r.between(1, 3), stride = r.between(1, 2);
  int64_t dilation = r.between(1, 2), low = r.between(-1, 2), high = r.between(0, 2);
  int64_t window = (k - 1) * dilation + 1, room = x + low + high - window;
  Sizes input{2, x, groups * c}, filter{k, c, o}, to{2, room < 0 ? 0 : room / stride + 1, o};
  auto attr = [](const char* name, int64_t value) {
    return std::string(name) + " = array<i64: " + std::to_string(value) + ">, ";
  };
  return program({tensor(input), tensor(filter)},
                 "kolam.convolution %a0, %a1 <\"chain<8192>\"> {" + attr("strides", stride) +
                     attr("dilation", dilation) + attr("low", low) + attr("high", high) +
                     "groups = " + std::to_string(groups) + " : i64} : (" + tensor(input) + ", " +
                     tensor(filter) + ") -> " + tensor(to),
                 {tensor(to)});
}
inline std::string make_attention(Random& r) {
  int64_t batch = r.between(1, 2), heads = r.between(1, 2), group = r.between(1, 2);
  int64_t rows = r.between(1, 3), keys = r.between(1, 3), depth = r.between(1, 2);
  Sizes q{batch, heads * group, rows, depth}, k{1, heads, keys, depth}, v{batch, 1, keys, 2};
  Sizes mask{1, heads * group, r.between(0, 1) ? rows : 1, keys};
  Sizes to{batch, heads * group, rows, 2};
  std::vector<std::string> operands{tensor(q),
                                    tensor(k),
                                    tensor(v),
                                    tensor({}),
                                    tensor(mask),
                                    tensor({batch, 1, rows}, "i32"),
                                    tensor({1, 1, keys}, "i32")};
  return program(operands,
                 "kolam.attention %a0, %a1, %a2 scale %a3 mask %a4 segments %a5, %a6 {left = " +
                     std::to_string(r.between(1, 3)) + " : i64} : (" + list(operands) + ") -> " +
                     tensor(to),
                 {tensor(to)});
}
inline std::string make_reduce(Random& r) {
  Sizes s = r.shape(3), to{s[1]};
  return program({tensor(s)},
                 "kolam.reduce \"add\" %a0 dims [0, 2] commutative true <\"lanes<64>, "
                 "chunk<4096>\"> : (" +
                     tensor(s) + ") -> " + tensor(to),
                 {tensor(to)});
}
inline std::string make_zip_map_reduce(Random& r) {
  Sizes s = r.shape(2), to{s[1]};
  return program({tensor(s), tensor(s), tensor({3})},
                 "kolam.zip_map_reduce (%a0, %a1) captures(%a2) space <[\"" + std::to_string(s[0]) +
                     "\", \"" + std::to_string(s[1]) +
                     "\"]> monoid \"add\" dims [0] commutative true <\"chunk<64>\"> : (" +
                     list({tensor(s), tensor(s), tensor({3})}) + ") -> " + tensor(to) +
                     R"( {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %c: tensor<3xf32>):
    %s = kolam.reduce "add" %c dims [0] commutative true <"chunk<64>"> : (tensor<3xf32>) -> tensor<f32>
    %t = kolam.elementwise "add" %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %u = kolam.elementwise "add" %s, %t : (tensor<f32>, tensor<f32>) -> tensor<f32>
    kolam.yield %u : tensor<f32>
  })",
                 {tensor(to)});
}
inline std::string make_cumulative(Random& r) {
  Sizes s = r.shape(2);
  std::string reverse = r.between(0, 1) ? "true" : "false";
  return unary("cumulative \"add\"", s, "dim 0 {exclusive = false, reverse = " + reverse + "}", s);
}
inline std::string make_gather(Random& r) {
  const char* modes[] = {"clip", "fill", "wrap", "promise"};
  Sizes s{2, r.between(2, 5), r.between(1, 3)}, indices{2, 3, 1}, to{2, 3, 2, s[2]};
  return program({tensor(s), tensor(indices, "i32")},
                 "kolam.gather %a0, %a1 \"" + std::string(modes[r.between(0, 3)]) +
                     "\" dims [0] lengths [2] batched 1 : (" + tensor(s) + ", " +
                     tensor(indices, "i32") + ") -> " + tensor(to),
                 {tensor(to)});
}
inline std::string make_scatter(Random& r) {
  const char* modes[] = {"drop", "element", "clip", "promise"};
  Sizes s{2, r.between(2, 5), r.between(1, 3)}, indices{2, 3, 1}, updates{2, 3, 2, s[2]};
  return program({tensor(s), tensor(updates), tensor(indices, "i32")},
                 "kolam.scatter \"kAdd\" \"" + std::string(modes[r.between(0, 3)]) +
                     "\" (%a0) updates(%a1) at %a2 dims [0] batched 1 unique false : (" +
                     list({tensor(s), tensor(updates), tensor(indices, "i32")}) + ") -> " +
                     tensor(s),
                 {tensor(s)});
}
inline std::string make_sort(Random& r) {
  Sizes s = r.shape(2);
  return program({tensor(s)},
                 "kolam.sort %a0 {descending = false} : (" + tensor(s) + ") -> (" + tensor(s) +
                     ", " + tensor(s, "i32") + ")",
                 {tensor(s), tensor(s, "i32")});
}
inline std::string make_scan(Random& r) {
  Sizes s = r.shape(2);
  std::string t = tensor(s), slice = tensor({s[1]}), n = std::to_string(s[0]);
  return program({slice, t},
                 "kolam.scan carry(%a0) over(%a1) length <[\"" + n + "\"]> reverse " +
                     (r.between(0, 1) ? "true" : "false") + " : (" + slice + ", " + t + ") -> (" +
                     slice + ", " + t + ") {\n  ^bb0(%s: " + slice + ", %x: " + slice +
                     "):\n    %y = kolam.elementwise \"add\" %s, %x : (" + slice + ", " + slice +
                     ") -> " + slice + "\n    kolam.yield %y, %y : " + slice + ", " + slice +
                     "\n  }",
                 {slice, t});
}

inline constexpr RandomOp kRandomOps[] = {
    {"attention", make_attention, false}, // a weight of 0 hides its value
    {"broadcast", make_broadcast, true},
    {"cast", make_cast, true},
    {"concat", make_concat, true},
    {"contract", make_contract, false}, // a factor of 0 hides the other
    {"convolution", make_convolution, false},
    {"cumulative", make_cumulative, true},
    {"dynamic_slice", make_dynamic_slice, false},
    {"dynamic_update_slice", make_dynamic_update_slice, false},
    {"elementwise", make_elementwise, true},
    {"expand_dims", make_expand_dims, true},
    {"gather", make_gather, false},
    {"pad", make_pad, false}, // the value may not be read
    {"pin", make_pin, true},
    {"reduce", make_reduce, true},
    {"reshape", make_reshape, true},
    {"reverse", make_reverse, true},
    {"scan", make_scan, false},
    {"scatter", make_scatter, false},
    {"slice", make_slice, true},
    {"sort", make_sort, false},
    {"squeeze", make_squeeze, true},
    {"transpose", make_transpose, true},
    {"view", make_view, true},
    {"zip_map_reduce", make_zip_map_reduce, true},
};

} // namespace kolam::ir::random_ops
