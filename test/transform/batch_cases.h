/// Ops that are batched in tests, where random ones (test/ir/random_ops.h) are not enough.
#pragma once

#include "test/ir/random_ops.h"

#include <ostream>
#include <regex>

namespace kolam::transform::batch_cases {

/// One op on %a0, %a1, ... Types are short: f32[n, 4]. The symbol n is 3.
struct Case {
  const char* name;
  const char* operands;
  const char* results;
  const char* op;
  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }
};

/// tensor<?x4xf32, #kolam.extents<["n", "4"]>> for f32[n, 4].
inline std::string with_tensor_types(const std::string& text) {
  static const std::regex type(R"(\b(u?i\d+|b?f\d+)\[([^\]]*)\])"), comma(", *");
  std::string result;
  auto rest = text.cbegin();
  for (std::sregex_iterator match(text.begin(), text.end(), type), end; match != end; ++match) {
    result.append(rest, text.cbegin() + match->position());
    rest = text.cbegin() + match->position() + match->length();
    std::string dims = (*match)[2], sizes, extents, dtype = (*match)[1];
    bool is_static = true;
    for (std::sregex_token_iterator dim(dims.begin(), dims.end(), comma, -1), none;
         !dims.empty() && dim != none; ++dim) {
      bool is_number = dim->str().find_first_not_of("0123456789") == std::string::npos;
      sizes += (is_number ? dim->str() : "?") + "x";
      extents += (extents.empty() ? "\"" : ", \"") + dim->str() + "\"";
      is_static &= is_number;
    }
    result +=
        "tensor<" + sizes + dtype + (is_static ? ">" : ", #kolam.extents<[" + extents + "]>>");
  }
  return result + std::string(rest, text.cend());
}

inline std::vector<std::string> types(const std::string& text) {
  static const std::regex type(R"((u?i|b?f)\d+\[[^\]]*\])");
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), type), end; match != end; ++match)
    found.push_back(with_tensor_types(match->str()));
  return found;
}

/// A function of the op; its last argument says what n is.
inline std::string program(const Case& one) {
  std::vector<std::string> operands = types(one.operands);
  operands.push_back(with_tensor_types("i1[n]"));
  if (!*one.results)
    return "func.func @main(%a0: " + operands[0] + ", %a1: " + operands[1] + ") {\n  " +
           with_tensor_types(one.op) + "\n  return\n}\n";
  return ir::random_ops::program(operands, with_tensor_types(one.op), types(one.results));
}

inline constexpr Case kValues[] = {
    {"constant", "", "f32[2]", "kolam.constant dense<[1.5, 2.5]> : f32[2]"},
    {"extent", "", "i64[]", R"(kolam.extent "n + 1" : i64[])"},
    {"iota", "", "i32[3, 4]", "kolam.iota 1 : i32[3, 4]"},
    {"bitcast", "f32[n]", "i32[n]", "kolam.bitcast %a0 : f32[n] -> i32[n]"},
    {"bitcast_scalar", "i16[]", "bf16[]", "kolam.bitcast %a0 : i16[] -> bf16[]"},
    {"cast", "f32[3]", "bf16[3]", "kolam.cast %a0 : f32[3] -> bf16[3]"},
    {"random_bits", "ui32[2]", "ui8[5]", R"(kolam.random_bits "threefry" %a0 : ui32[2] -> ui8[5])"},
    {"random_bits_of_keys", "ui32[3, 2]", "ui64[3, 2, 2]",
     R"(kolam.random_bits "philox" %a0 : ui32[3, 2] -> ui64[3, 2, 2])"},
    {"random_block", "ui32[3, 2], ui32[3, 2]", "ui32[3, 2]",
     "kolam.random_block %a0, %a1 : ui32[3, 2], ui32[3, 2] -> ui32[3, 2]"},
    {"elementwise_where", "i1[n, 2], f32[n, 2], f32[n, 2]", "f32[n, 2]",
     R"(kolam.elementwise "where" %a0, %a1, %a2 : (i1[n, 2], f32[n, 2], f32[n, 2]) -> f32[n, 2])"},
    {"elementwise_scalar", "i32[], i32[]", "i32[]",
     R"(kolam.elementwise "floor_divide" %a0, %a1 : (i32[], i32[]) -> i32[])"},
};

inline constexpr Case kShape[] = {
    {"broadcast_scalar", "f32[]", "f32[2, n]", "kolam.broadcast %a0 [] : f32[] -> f32[2, n]"},
    {"expand_dims_symbolic", "f32[n]", "f32[n, 1]",
     "kolam.expand_dims %a0 [1] : f32[n] -> f32[n, 1]"},
    {"reshape_symbolic", "f32[n, 4]", "f32[4*n]", "kolam.reshape %a0 : f32[n, 4] -> f32[4*n]"},
    {"reshape_no_cells", "f32[0, 4]", "f32[2, 0]", "kolam.reshape %a0 : f32[0, 4] -> f32[2, 0]"},
    {"slice_symbolic", "f32[n + 2]", "f32[n]",
     R"(kolam.slice %a0 <["1"]> [1] : f32[n + 2] -> f32[n])"},
    {"transpose_symbolic", "f32[n, 2]", "f32[2, n]",
     "kolam.transpose %a0 [1, 0] : f32[n, 2] -> f32[2, n]"},
    {"concat_symbolic", "f32[n, 2], f32[3, 2]", "f32[n + 3, 2]",
     "kolam.concat %a0, %a1 dim 0 : (f32[n, 2], f32[3, 2]) -> f32[n + 3, 2]"},
    {"pad_constant", "f32[n, 2], f32[]", "f32[n + 3, 4]",
     R"(kolam.pad %a0, %a1 "constant" low [1, 2] high [2, 0] : f32[n, 2], f32[] -> f32[n + 3, 4])"},
    {"pad_scalar", "f32[], f32[]", "f32[]",
     R"(kolam.pad %a0, %a1 "constant" low [] high [] : f32[], f32[] -> f32[])"},
    {"materialize", "f32[n, 2]", "f32[n, 2]", "kolam.materialize %a0 : f32[n, 2] -> f32[n, 2]"},
    {"pin", "f32[n, 2]", "f32[n, 2]", R"(kolam.pin %a0 1 ["time", ""] : f32[n, 2] -> f32[n, 2])"},
    {"together", "f32[n], i8[n]", "f32[n], i8[n]",
     "kolam.together %a0, %a1 : (f32[n], i8[n]) -> (f32[n], i8[n])"},
    {"pad_wrap", "i8[2], i8[]", "i8[7]",
     R"(kolam.pad %a0, %a1 "wrap" low [3] high [2] : i8[2], i8[] -> i8[7])"},
};

inline constexpr Case kPlaces[] = {
    {"dynamic_slice_scalar", "f32[]", "f32[]", "kolam.dynamic_slice %a0[] : (f32[]) -> f32[]"},
    {"dynamic_slice_full", "f32[n], i32[]", "f32[n]",
     "kolam.dynamic_slice %a0[%a1] : (f32[n], i32[]) -> f32[n]"},
    {"dynamic_slice_symbolic", "f32[n + 2, 3], i32[], i64[]", "f32[n, 2]",
     "kolam.dynamic_slice %a0[%a1, %a2] : (f32[n + 2, 3], i32[], i64[]) -> f32[n, 2]"},
    {"dynamic_slice_dtypes", "f32[5, 4, 3], i8[], ui64[], i64[]", "f32[2, 3, 3]",
     "kolam.dynamic_slice %a0[%a1, %a2, %a3] : (f32[5, 4, 3], i8[], ui64[], i64[]) -> "
     "f32[2, 3, 3]"},
    {"dynamic_update_slice_full", "f32[n], f32[n], i32[]", "f32[n]",
     "kolam.dynamic_update_slice %a0, %a1[%a2] : (f32[n], f32[n], i32[]) -> f32[n]"},
    {"dynamic_update_slice_symbolic", "f32[n + 2, 3], f32[n, 3], i32[], ui8[]", "f32[n + 2, 3]",
     "kolam.dynamic_update_slice %a0, %a1[%a2, %a3] : (f32[n + 2, 3], f32[n, 3], i32[], ui8[]) -> "
     "f32[n + 2, 3]"},
    {"gather_two_dims", "f32[n, 4, 3], i32[2, 2]", "f32[2, 1, 4, 2]",
     R"(kolam.gather %a0, %a1 "clip" dims [2, 0] lengths [2, 1] batched 0 : (f32[n, 4, 3], i32[2, 2]) -> f32[2, 1, 4, 2])"},
    {"gather_fill", "i32[4], ui8[3, 2, 1]", "i32[3, 2, 1]",
     R"(kolam.gather %a0, %a1 "fill" dims [0] lengths [1] batched 0 : (i32[4], ui8[3, 2, 1]) -> i32[3, 2, 1])"},
    {"gather_batched", "f32[n, 2, 5], i32[n, 2, 3, 1]", "f32[n, 2, 3, 2]",
     R"(kolam.gather %a0, %a1 "wrap" dims [0] lengths [2] batched 2 : (f32[n, 2, 5], i32[n, 2, 3, 1]) -> f32[n, 2, 3, 2])"},
    {"compress", "i1[9], f32[9]", "f32[6]",
     R"(kolam.compress %a0, %a1 : (i1[9], f32[9]) -> f32[6])"},
    {"scatter_in_order", "f32[5], f32[4, 2], i32[4, 1]", "f32[5]",
     R"(kolam.scatter "kUpdate" "drop" (%a0) updates(%a1) at %a2 dims [0] batched 0 unique false : (f32[5], f32[4, 2], i32[4, 1]) -> f32[5])"},
    {"scatter_two", "f32[n, 5], bf16[n, 5], f32[n, 3, 1], bf16[n, 3, 1], i32[n, 3, 1], f32[]",
     "f32[n, 5], bf16[n, 5]",
     R"(kolam.scatter "user" "clip" (%a0, %a1) updates(%a2, %a3) at %a4 captures(%a5) dims [0] batched 1 unique false : (f32[n, 5], bf16[n, 5], f32[n, 3, 1], bf16[n, 3, 1], i32[n, 3, 1], f32[]) -> (f32[n, 5], bf16[n, 5]) {
  ^bb0(%s: f32[], %t: bf16[], %u: f32[], %v: bf16[], %c: f32[]):
    %p = kolam.elementwise "multiply" %s, %c : (f32[], f32[]) -> f32[]
    %q = kolam.elementwise "add" %p, %u : (f32[], f32[]) -> f32[]
    %w = kolam.elementwise "add" %t, %v : (bf16[], bf16[]) -> bf16[]
    kolam.yield %q, %w : f32[], bf16[]
  })"},
};

inline constexpr Case kProducts[] = {
    {"contract_chain", "f32[3, 37], f32[37, 20]", "f32[3, 20]",
     R"(kolam.contract "ij,jk->ik" %a0, %a1 <"chain<8>"> : (f32[3, 37], f32[37, 20]) -> f32[3, 20])"},
    {"contract_turned", "f32[17, 9], f32[9, 20]", "f32[20, 17]",
     R"(kolam.contract "ij,jk->ki" %a0, %a1 <"chain<8192>"> : (f32[17, 9], f32[9, 20]) -> f32[20, 17])"},
    {"contract_batches", "f32[2, n, 9], f32[2, 9, 20]", "f32[2, n, 20]",
     R"(kolam.contract "bij,bjk->bik" %a0, %a1 <"chain<8192>"> : (f32[2, n, 9], f32[2, 9, 20]) -> f32[2, n, 20])"},
    {"contract_lanes", "bf16[5, 37], bf16[37]", "f32[5]",
     R"(kolam.contract "ij,j->i" %a0, %a1 <"lanes<4>, chunk<16>"> : (bf16[5, 37], bf16[37]) -> f32[5])"},
    {"contract_all", "f16[7], f16[7]", "f16[]",
     R"(kolam.contract "i,i->" %a0, %a1 <"lanes<64>, chunk<4096>"> : (f16[7], f16[7]) -> f16[])"},
    {"contract_cells", "i32[3, n], i32[3, n]", "i32[3, n]",
     R"(kolam.contract "ij,ij->ij" %a0, %a1 <"chain<8192>"> : (i32[3, n], i32[3, n]) -> i32[3, n])"},
    {"contract_alone", "f32[3, 4], f32[5]", "f32[5]",
     R"(kolam.contract "ab,c->c" %a0, %a1 <"chain<8192>"> : (f32[3, 4], f32[5]) -> f32[5])"},
    {"convolution_plane", "bf16[2, 5, 4, 4], bf16[3, 2, 2, 6]", "bf16[2, 5, 2, 6]",
     R"(kolam.convolution %a0, %a1 <"chain<8192>"> {strides = array<i64: 1, 2>, dilation = array<i64: 1, 1>, low = array<i64: 1, 0>, high = array<i64: 1, 0>, groups = 2 : i64} : (bf16[2, 5, 4, 4], bf16[3, 2, 2, 6]) -> bf16[2, 5, 2, 6])"},
    {"convolution_symbolic", "f32[n, 5, 4], f32[3, 4, 20]", "f32[n, 3, 20]",
     R"(kolam.convolution %a0, %a1 <"chain<8192>"> {strides = array<i64: 1>, dilation = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, groups = 1 : i64} : (f32[n, 5, 4], f32[3, 4, 20]) -> f32[n, 3, 20])"},
};

inline constexpr Case kAttention[] = {
    {"attention_plain", "f32[n, 4], f32[5, 4], f32[5, 3], f32[]", "f32[n, 3]",
     "kolam.attention %a0, %a1, %a2 scale %a3 : (f32[n, 4], f32[5, 4], f32[5, 3], f32[]) -> "
     "f32[n, 3]"},
    {"attention_places", "f32[3, 2], f32[4, 2], f32[4, 1], f32[], i32[4], i32[]", "f32[3, 1]",
     R"(kolam.attention %a0, %a1, %a2 scale %a3 captures(%a4, %a5) : (f32[3, 2], f32[4, 2], f32[4, 1], f32[], i32[4], i32[]) -> f32[3, 1] visible {
  ^bb0(%x: i32[], %h: i32[], %i: i32[], %j: i32[], %t: i32[4], %s: i32[]):
    %w = kolam.dynamic_slice %t[%j] : (i32[4], i32[]) -> i32[1]
    %c = kolam.squeeze %w [0] : i32[1] -> i32[]
    %d = kolam.elementwise "add" %c, %h : (i32[], i32[]) -> i32[]
    %e = kolam.elementwise "add" %s, %x : (i32[], i32[]) -> i32[]
    %r = kolam.elementwise "less_equal" %e, %d : (i32[], i32[]) -> i1[]
    kolam.yield %r : i1[]
  })"},
    {"attention_heads", "f32[2, 3, 2], f32[1, 3, 2], f32[2, 3, 1], f32[], i64[2]", "f32[2, 3, 1]",
     R"(kolam.attention %a0, %a1, %a2 scale %a3 captures(%a4) : (f32[2, 3, 2], f32[1, 3, 2], f32[2, 3, 1], f32[], i64[2]) -> f32[2, 3, 1] visible {
  ^bb0(%x: i64[], %h: i64[], %i: i64[], %j: i64[], %t: i64[2]):
    %w = kolam.dynamic_slice %t[%h] : (i64[2], i64[]) -> i64[1]
    %c = kolam.squeeze %w [0] : i64[1] -> i64[]
    %d = kolam.elementwise "add" %c, %x : (i64[], i64[]) -> i64[]
    %r = kolam.elementwise "less_equal" %j, %d : (i64[], i64[]) -> i1[]
    kolam.yield %r : i1[]
  })"},
    {"attention_many_batches", "f32[n, 9, 2, 1, 1], f32[1, 1, 2, 3, 1], f32[n, 9, 1, 3, 1], f32[]",
     "f32[n, 9, 2, 1, 1]",
     R"(kolam.attention %a0, %a1, %a2 scale %a3 : (f32[n, 9, 2, 1, 1], f32[1, 1, 2, 3, 1], f32[n, 9, 1, 3, 1], f32[]) -> f32[n, 9, 2, 1, 1] visible {
  ^bb0(%x: i8[], %h: i8[], %i: i8[], %j: i8[]):
    %d = kolam.elementwise "add" %x, %h : (i8[], i8[]) -> i8[]
    %two = kolam.constant dense<2> : i8[]
    %m = kolam.elementwise "remainder" %d, %two : (i8[], i8[]) -> i8[]
    %r = kolam.elementwise "less_equal" %j, %m : (i8[], i8[]) -> i1[]
    kolam.yield %r : i1[]
  })"},
};

} // namespace kolam::transform::batch_cases
