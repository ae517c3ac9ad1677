/// Ops along dims, and bodies over elements, that are batched in tests.
#pragma once

#include "batch_cases.h"

namespace kolam::transform::batch_cases {

inline constexpr Case kReductions[] = {
    {"reduce_lanes", "bf16[2, 3, 37]", "bf16[2]",
     R"(kolam.reduce "add" %a0 dims [1, 2] commutative true <"lanes<4>, chunk<16>"> : (bf16[2, 3, 37]) -> bf16[2])"},
    {"reduce_kept", "f32[40, n]", "f32[n]",
     R"(kolam.reduce "multiply" %a0 dims [0] commutative true <"chunk<8>"> : (f32[40, n]) -> f32[n])"},
    {"reduce_two", "f32[3, 5], i8[3, 5]", "f32[3], i8[3]",
     R"(kolam.reduce "add" %a0, %a1 dims [1] commutative true <"lanes<64>, chunk<4096>"> : (f32[3, 5], i8[3, 5]) -> (f32[3], i8[3]))"},
    {"reduce_nothing", "f32[0, 2]", "f32[2]",
     R"(kolam.reduce "maximum" %a0 dims [0] commutative true <"chunk<64>"> : (f32[0, 2]) -> f32[2])"},
    {"reduce_monoid", "f32[3, n]", "f32[3]",
     R"(kolam.reduce "horner" %a0 dims [1] commutative false <"chunk<2>"> : (f32[3, n]) -> f32[3] zero {
    %z = kolam.constant dense<0.0> : f32[]
    %o = kolam.constant dense<1.0> : f32[]
    kolam.yield %z, %o : f32[], f32[]
  } wrap {
  ^bb0(%a: f32[]):
    %t = kolam.constant dense<3.0> : f32[]
    kolam.yield %a, %t : f32[], f32[]
  } merge {
  ^bb0(%a: f32[], %p: f32[], %b: f32[], %q: f32[]):
    %m = kolam.elementwise "multiply" %a, %q : (f32[], f32[]) -> f32[]
    %s = kolam.elementwise "add" %m, %b : (f32[], f32[]) -> f32[]
    %r = kolam.elementwise "multiply" %p, %q : (f32[], f32[]) -> f32[]
    kolam.yield %s, %r : f32[], f32[]
  } unwrap {
  ^bb0(%a: f32[], %p: f32[]):
    kolam.yield %a : f32[]
  } wrap_all {
  ^bb0(%c: f32[chunk]):
    %s = kolam.reduce "add" %c dims [0] commutative true <"chunk<64>"> : (f32[chunk]) -> f32[]
    %t = kolam.constant dense<5.0> : f32[]
    kolam.yield %s, %t : f32[], f32[]
  })"},
    {"cumulative_back", "bf16[3, 5]", "bf16[3, 5]",
     R"(kolam.cumulative "add" %a0 dim 1 {exclusive = true, reverse = true} : bf16[3, 5] -> bf16[3, 5])"},
    {"sort_down", "f32[n, 4]", "f32[n, 4], i32[n, 4]",
     "kolam.sort %a0 {descending = true} : (f32[n, 4]) -> (f32[n, 4], i32[n, 4])"},
    {"top_k", "i8[2, 5]", "i8[2, 3], i32[2, 3]",
     "kolam.top_k %a0 k 3 {largest = true} : (i8[2, 5]) -> (i8[2, 3], i32[2, 3])"},
    {"top_k_symbolic", "f32[n]", "f32[2], i64[2]",
     "kolam.top_k %a0 k 2 {largest = false} : (f32[n]) -> (f32[2], i64[2])"},
};

inline constexpr Case kPatterns[] = {
    {"zip_map_reduce_coordinates", "f32[n, 2], f32[], f32[2]", "f32[n, 2], i32[n, 2]",
     R"(kolam.zip_map_reduce (%a0) captures(%a1, %a2) space <["n", "2"]> dims [] commutative true <"chunk<64>"> : (f32[n, 2], f32[], f32[2]) -> (f32[n, 2], i32[n, 2]) {
  ^bb0(%x: f32[], %s: f32[], %t: f32[2]):
    %i = kolam.iter_index 0 : i32[]
    %j = kolam.iter_index 1 : i32[]
    %w = kolam.dynamic_slice %t[%j] : (f32[2], i32[]) -> f32[1]
    %c = kolam.squeeze %w [0] : f32[1] -> f32[]
    %p = kolam.elementwise "multiply" %x, %s : (f32[], f32[]) -> f32[]
    %q = kolam.elementwise "add" %p, %c : (f32[], f32[]) -> f32[]
    %k = kolam.elementwise "subtract" %i, %j : (i32[], i32[]) -> i32[]
    kolam.yield %q, %k : f32[], i32[]
  })"},
    {"zip_map_reduce_captures_alone", "f32[], f32[3], i32[]", "f32[4]",
     R"(kolam.zip_map_reduce () captures(%a0, %a1, %a2) space <["4", "n"]> monoid "add" dims [1] commutative true <"lanes<64>, chunk<4096>"> : (f32[], f32[3], i32[]) -> f32[4] {
  ^bb0(%s: f32[], %t: f32[3], %i: i32[]):
    %j = kolam.iter_index 1 : i32[]
    %k = kolam.elementwise "add" %i, %j : (i32[], i32[]) -> i32[]
    %w = kolam.dynamic_slice %t[%k] : (f32[3], i32[]) -> f32[1]
    %c = kolam.squeeze %w [0] : f32[1] -> f32[]
    %q = kolam.elementwise "add" %s, %c : (f32[], f32[]) -> f32[]
    kolam.yield %q : f32[]
  })"},
    {"zip_map_reduce_one_cell", "f32[], f32[]", "f32[]",
     R"(kolam.zip_map_reduce (%a0) captures(%a1) space <[]> dims [] commutative true <"chunk<64>"> : (f32[], f32[]) -> f32[] {
  ^bb0(%x: f32[], %s: f32[]):
    %q = kolam.elementwise "add" %x, %s : (f32[], f32[]) -> f32[]
    kolam.yield %q : f32[]
  })"},
    {"zip_map_reduce_monoid", "f32[3, 4]", "f32[3], i32[3]",
     R"(kolam.zip_map_reduce (%a0) space <["3", "4"]> monoid "largest" dims [1] commutative false <"chunk<64>"> : (f32[3, 4]) -> (f32[3], i32[3]) {
  ^bb0(%a: f32[]):
    %place = kolam.iter_index 1 : i32[]
    kolam.yield %a, %place : f32[], i32[]
  } zero {
    %y = kolam.constant dense<-9.0> : f32[]
    %z = kolam.constant dense<-1> : i32[]
    kolam.yield %y, %z : f32[], i32[]
  } wrap {
  ^bb0(%a: f32[], %p: i32[]):
    kolam.yield %a, %p : f32[], i32[]
  } merge {
  ^bb0(%a: f32[], %p: i32[], %b: f32[], %q: i32[]):
    %first = kolam.elementwise "greater_equal" %a, %b : (f32[], f32[]) -> i1[]
    %c = kolam.elementwise "where" %first, %a, %b : (i1[], f32[], f32[]) -> f32[]
    %r = kolam.elementwise "where" %first, %p, %q : (i1[], i32[], i32[]) -> i32[]
    kolam.yield %c, %r : f32[], i32[]
  } unwrap {
  ^bb0(%a: f32[], %p: i32[]):
    kolam.yield %a, %p : f32[], i32[]
  })"},
};

} // namespace kolam::transform::batch_cases
