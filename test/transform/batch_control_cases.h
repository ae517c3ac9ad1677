/// Loops, branches and checks that are batched in tests.
#pragma once

#include "batch_cases.h"

namespace kolam::transform::batch_cases {

inline constexpr Case kLoops[] = {
    {"for", "i32[], i32[], f32[n], i32[], f32[n]", "f32[n], i32[]",
     R"(kolam.for from %a0 to %a1 carry(%a2, %a3) captures(%a4) : (i32[], i32[], f32[n], i32[], f32[n]) -> (f32[n], i32[]) {
  ^bb0(%i: i32[], %s: f32[n], %t: i32[], %c: f32[n]):
    %f = kolam.cast %i : i32[] -> f32[]
    %g = kolam.broadcast %f [] : f32[] -> f32[n]
    %p = kolam.elementwise "multiply" %s, %c : (f32[n], f32[n]) -> f32[n]
    %q = kolam.elementwise "add" %p, %g : (f32[n], f32[n]) -> f32[n]
    %u = kolam.elementwise "add" %t, %i : (i32[], i32[]) -> i32[]
    kolam.yield %q, %u : f32[n], i32[]
  })"},
    {"for_fills", "i64[], i64[], f32[], f32[]", "f32[]",
     R"(kolam.for from %a0 to %a1 carry(%a2) captures(%a3) : (i64[], i64[], f32[], f32[]) -> f32[] {
  ^bb0(%i: i64[], %s: f32[], %x: f32[]):
    %zero = kolam.constant dense<0> : i64[]
    %e = kolam.empty : f32[1]
    %r = kolam.reshape %x : f32[] -> f32[1]
    %w = kolam.dynamic_update_slice %e, %r[%zero] : (f32[1], f32[1], i64[]) -> f32[1]
    %y = kolam.reshape %w : f32[1] -> f32[]
    %n = kolam.elementwise "add" %s, %y : (f32[], f32[]) -> f32[]
    kolam.yield %n : f32[]
  })"},
    {"for_passes_on", "i64[], i64[], i32[], i32[], i32[]", "i32[], i32[], i32[]",
     R"(kolam.for from %a0 to %a1 carry(%a2, %a3, %a4) : (i64[], i64[], i32[], i32[], i32[]) -> (i32[], i32[], i32[]) {
  ^bb0(%i: i64[], %x: i32[], %y: i32[], %z: i32[]):
    kolam.yield %y, %z, %z : i32[], i32[], i32[]
  })"},
    {"for_nested", "i32[], i32[], i32[], i32[]", "i32[]",
     R"(kolam.for from %a0 to %a1 carry(%a2) captures(%a3) : (i32[], i32[], i32[], i32[]) -> i32[] {
  ^bb0(%i: i32[], %s: i32[], %c: i32[]):
    %r = kolam.for from %c to %i carry(%s) : (i32[], i32[], i32[]) -> i32[] {
    ^bb0(%j: i32[], %t: i32[]):
      %two = kolam.constant dense<2> : i32[]
      %p = kolam.elementwise "multiply" %t, %two : (i32[], i32[]) -> i32[]
      %q = kolam.elementwise "add" %p, %j : (i32[], i32[]) -> i32[]
      kolam.yield %q : i32[]
    }
    kolam.yield %r : i32[]
  })"},
    {"while", "i32[], i32[], f32[n], f32[n]", "i32[], i32[], f32[n]",
     R"(kolam.while carry(%a0, %a1, %a2) captures(%a3) : (i32[], i32[], f32[n], f32[n]) -> (i32[], i32[], f32[n]) {
  ^bb0(%i: i32[], %k: i32[], %s: f32[n], %c: f32[n]):
    %zero = kolam.constant dense<0> : i32[]
    %holds = kolam.elementwise "greater" %i, %zero : (i32[], i32[]) -> i1[]
    kolam.yield %holds : i1[]
  } do {
  ^bb0(%i: i32[], %k: i32[], %s: f32[n], %c: f32[n]):
    %two = kolam.constant dense<2> : i32[]
    %j = kolam.elementwise "floor_divide" %i, %two : (i32[], i32[]) -> i32[]
    %l = kolam.elementwise "add" %k, %two : (i32[], i32[]) -> i32[]
    %p = kolam.elementwise "multiply" %s, %c : (f32[n], f32[n]) -> f32[n]
    kolam.yield %j, %l, %p : i32[], i32[], f32[n]
  })"},
    {"while_checked", "i32[], i32[], i32[]", "i32[], i32[]",
     R"(kolam.while carry(%a0, %a1) captures(%a2) : (i32[], i32[], i32[]) -> (i32[], i32[]) {
  ^bb0(%i: i32[], %s: i32[], %c: i32[]):
    %zero = kolam.constant dense<0> : i32[]
    %six = kolam.constant dense<6> : i32[]
    %ok = kolam.elementwise "not_equal" %i, %six : (i32[], i32[]) -> i1[]
    kolam.check %ok "bad-six" "expected no 6" : i1[]
    %holds = kolam.elementwise "greater" %i, %zero : (i32[], i32[]) -> i1[]
    kolam.yield %holds : i1[]
  } do {
  ^bb0(%i: i32[], %s: i32[], %c: i32[]):
    %one = kolam.constant dense<1> : i32[]
    %eight = kolam.constant dense<8> : i32[]
    %ok = kolam.elementwise "not_equal" %c, %eight : (i32[], i32[]) -> i1[]
    kolam.check %ok "bad-eight" "expected no 8" : i1[]
    %j = kolam.elementwise "subtract" %i, %one : (i32[], i32[]) -> i32[]
    %t = kolam.elementwise "add" %s, %c : (i32[], i32[]) -> i32[]
    kolam.yield %j, %t : i32[], i32[]
  })"},
    {"while_nested", "i32[], i32[], i32[], i32[]", "i32[], i32[]",
     R"(kolam.while carry(%a0, %a1) captures(%a2, %a3) : (i32[], i32[], i32[], i32[]) -> (i32[], i32[]) {
  ^bb0(%i: i32[], %count: i32[], %low: i32[], %more: i32[]):
    %zero = kolam.constant dense<0> : i32[]
    %least = kolam.elementwise "maximum" %low, %zero : (i32[], i32[]) -> i32[]
    %holds = kolam.elementwise "greater" %i, %least : (i32[], i32[]) -> i1[]
    kolam.yield %holds : i1[]
  } do {
  ^bb0(%i: i32[], %count: i32[], %low: i32[], %more: i32[]):
    %one = kolam.constant dense<1> : i32[]
    %m, %c = kolam.while carry(%i, %count) captures(%low, %more, %one) : (i32[], i32[], i32[], i32[], i32[]) -> (i32[], i32[]) {
    ^bb0(%j: i32[], %d: i32[], %l: i32[], %k: i32[], %step: i32[]):
      %holds = kolam.elementwise "greater" %j, %l : (i32[], i32[]) -> i1[]
      kolam.yield %holds : i1[]
    } do {
    ^bb0(%j: i32[], %d: i32[], %l: i32[], %k: i32[], %step: i32[]):
      %e = kolam.elementwise "subtract" %j, %step : (i32[], i32[]) -> i32[]
      %f = kolam.elementwise "add" %d, %k : (i32[], i32[]) -> i32[]
      kolam.yield %e, %f : i32[], i32[]
    }
    %next = kolam.elementwise "subtract" %i, %one : (i32[], i32[]) -> i32[]
    kolam.yield %next, %c : i32[], i32[]
  })"},
    {"while_some_go_on", "f32[n], f32[n]", "f32[n]",
     R"(kolam.while carry(%a0) captures(%a1) : (f32[n], f32[n]) -> f32[n] {
  ^bb0(%s: f32[n], %c: f32[n]):
    %on = kolam.elementwise "less" %s, %c : (f32[n], f32[n]) -> i1[n]
    %any = kolam.reduce "logical_or" %on dims [0] commutative true <"lanes<64>, chunk<4096>"> : (i1[n]) -> i1[]
    kolam.yield %any : i1[]
  } do {
  ^bb0(%s: f32[n], %c: f32[n]):
    %on = kolam.elementwise "less" %s, %c : (f32[n], f32[n]) -> i1[n]
    %one = kolam.constant dense<1.0> : f32[]
    %ones = kolam.broadcast %one [] : f32[] -> f32[n]
    %t = kolam.elementwise "add" %s, %ones : (f32[n], f32[n]) -> f32[n]
    %next = kolam.elementwise "where" %on, %t, %s : (i1[n], f32[n], f32[n]) -> f32[n]
    kolam.yield %next : f32[n]
  })"},
    {"while_in_condition", "i32[], i32[]", "i32[]",
     R"(kolam.while carry(%a0) captures(%a1) : (i32[], i32[]) -> i32[] {
  ^bb0(%i: i32[], %c: i32[]):
    %found = kolam.while carry(%c) captures(%i) : (i32[], i32[]) -> i32[] {
    ^bb0(%j: i32[], %k: i32[]):
      %holds = kolam.elementwise "less" %j, %k : (i32[], i32[]) -> i1[]
      kolam.yield %holds : i1[]
    } do {
    ^bb0(%j: i32[], %k: i32[]):
      %two = kolam.constant dense<2> : i32[]
      %l = kolam.elementwise "add" %j, %two : (i32[], i32[]) -> i32[]
      kolam.yield %l : i32[]
    }
    %holds = kolam.elementwise "not_equal" %found, %i : (i32[], i32[]) -> i1[]
    kolam.yield %holds : i1[]
  } do {
  ^bb0(%i: i32[], %c: i32[]):
    %one = kolam.constant dense<1> : i32[]
    %j = kolam.elementwise "add" %i, %one : (i32[], i32[]) -> i32[]
    kolam.yield %j : i32[]
  })"},
    {"scan", "f32[2], i32[], f32[n, 2], i8[n], f32[2]", "f32[2], i32[], f32[n, 2], i32[n], i8[n]",
     R"(kolam.scan carry(%a0, %a1) over(%a2, %a3) captures(%a4) length <["n"]> reverse true : (f32[2], i32[], f32[n, 2], i8[n], f32[2]) -> (f32[2], i32[], f32[n, 2], i32[n], i8[n]) {
  ^bb0(%s: f32[2], %k: i32[], %x: f32[2], %e: i8[], %c: f32[2]):
    %p = kolam.elementwise "multiply" %s, %c : (f32[2], f32[2]) -> f32[2]
    %q = kolam.elementwise "add" %p, %x : (f32[2], f32[2]) -> f32[2]
    %one = kolam.constant dense<1> : i32[]
    %l = kolam.elementwise "add" %k, %one : (i32[], i32[]) -> i32[]
    kolam.yield %q, %l, %s, %l, %e : f32[2], i32[], f32[2], i32[], i8[]
  })"},
    {"scan_checked", "i32[], i32[4]", "i32[], i32[4]",
     R"(kolam.scan carry(%a0) over(%a1) length <["4"]> reverse false : (i32[], i32[4]) -> (i32[], i32[4]) {
  ^bb0(%s: i32[], %x: i32[]):
    %t = kolam.elementwise "add" %s, %x : (i32[], i32[]) -> i32[]
    %seven = kolam.constant dense<7> : i32[]
    %ok = kolam.elementwise "not_equal" %t, %seven : (i32[], i32[]) -> i1[]
    kolam.check %ok "bad-seven" "expected no 7" : i1[]
    kolam.yield %t, %t : i32[], i32[]
  })"},
};

/// A loop whose turns have sizes of their own, the same for all instances where the bounds are.
inline constexpr Case kSizesOfTurns{
    "for_sizes_of_turns", "i64[], i64[], i64[]", "i64[]",
    R"(kolam.for from %a0 to %a1 carry(%a2) : (i64[], i64[], i64[]) -> i64[] {
  ^bb0(%i: i64[], %s: i64[]):
    kolam.bind_extent "t", %i : i64[]
    %x = kolam.broadcast %s [] : i64[] -> i64[t]
    %y = kolam.iota 0 : i64[t]
    %z = kolam.elementwise "add" %x, %y : (i64[t], i64[t]) -> i64[t]
    %r = kolam.reduce "add" %z dims [0] commutative true <"chunk<64>"> : (i64[t]) -> i64[]
    kolam.yield %r : i64[]
  })"};

inline constexpr Case kBranches[] = {
    {"cond", "i1[], f32[n], f32[n]", "f32[n], f32[n]",
     R"(kolam.cond %a0 captures(%a1, %a2) : (i1[], f32[n], f32[n]) -> (f32[n], f32[n]) {
  ^bb0(%x: f32[n], %y: f32[n]):
    kolam.yield %x, %y : f32[n], f32[n]
  }, {
  ^bb0(%x: f32[n], %y: f32[n]):
    %z = kolam.reverse %x [0] : f32[n] -> f32[n]
    %w = kolam.elementwise "add" %z, %y : (f32[n], f32[n]) -> f32[n]
    kolam.yield %z, %w : f32[n], f32[n]
  })"},
    {"cond_of_three", "i8[], i32[]", "i32[]",
     R"(kolam.cond %a0 captures(%a1) : (i8[], i32[]) -> i32[] {
  ^bb0(%x: i32[]):
    kolam.yield %x : i32[]
  }, {
  ^bb0(%x: i32[]):
    %z = kolam.elementwise "negative" %x : (i32[]) -> i32[]
    kolam.yield %z : i32[]
  }, {
  ^bb0(%x: i32[]):
    %z = kolam.constant dense<42> : i32[]
    kolam.yield %z : i32[]
  })"},
    {"cond_unsigned", "ui64[], i32[]", "i32[]",
     R"(kolam.cond %a0 captures(%a1) : (ui64[], i32[]) -> i32[] {
  ^bb0(%x: i32[]):
    kolam.yield %x : i32[]
  }, {
  ^bb0(%x: i32[]):
    %z = kolam.elementwise "negative" %x : (i32[]) -> i32[]
    kolam.yield %z : i32[]
  })"},
    {"cond_of_one", "i32[], i32[]", "i32[]",
     R"(kolam.cond %a0 captures(%a1) : (i32[], i32[]) -> i32[] {
  ^bb0(%x: i32[]):
    %z = kolam.elementwise "negative" %x : (i32[]) -> i32[]
    kolam.yield %z : i32[]
  })"},
    {"cond_checked", "i1[], i32[]", "i32[]",
     R"(kolam.cond %a0 captures(%a1) : (i1[], i32[]) -> i32[] {
  ^bb0(%x: i32[]):
    %three = kolam.constant dense<3> : i32[]
    %ok = kolam.elementwise "less" %x, %three : (i32[], i32[]) -> i1[]
    kolam.check %ok "bad-large" "expected less than 3" : i1[]
    kolam.yield %x : i32[]
  }, {
  ^bb0(%x: i32[]):
    %three = kolam.constant dense<3> : i32[]
    %ok = kolam.elementwise "greater_equal" %x, %three : (i32[], i32[]) -> i1[]
    kolam.check %ok "bad-small" "expected 3 or more" : i1[]
    kolam.yield %three : i32[]
  })"},
    // The loop ends only where its branch is taken; the inner branch is asked for by few.
    {"cond_of_loops", "i32[], i32[], i32[]", "i32[]",
     R"(kolam.cond %a0 captures(%a1, %a2) : (i32[], i32[], i32[]) -> i32[] {
  ^bb0(%m: i32[], %n: i32[]):
    %two = kolam.constant dense<2> : i32[]
    %grows = kolam.elementwise "greater" %m, %two : (i32[], i32[]) -> i1[]
    %r = kolam.cond %grows captures(%m, %n, %two) : (i1[], i32[], i32[], i32[]) -> i32[] {
    ^bb0(%x: i32[], %y: i32[], %z: i32[]):
      %t = kolam.for from %x to %y carry(%z) : (i32[], i32[], i32[]) -> i32[] {
      ^bb0(%i: i32[], %s: i32[]):
        %five = kolam.constant dense<5> : i32[]
        %ok = kolam.elementwise "not_equal" %i, %five : (i32[], i32[]) -> i1[]
        kolam.check %ok "bad-five" "expected no 5" : i1[]
        %u = kolam.elementwise "add" %s, %i : (i32[], i32[]) -> i32[]
        kolam.yield %u : i32[]
      }
      kolam.yield %t : i32[]
    }, {
    ^bb0(%x: i32[], %y: i32[], %z: i32[]):
      %t = kolam.while carry(%y) captures(%x) : (i32[], i32[]) -> i32[] {
      ^bb0(%i: i32[], %step: i32[]):
        %most = kolam.constant dense<20> : i32[]
        %holds = kolam.elementwise "less" %i, %most : (i32[], i32[]) -> i1[]
        kolam.yield %holds : i1[]
      } do {
      ^bb0(%i: i32[], %step: i32[]):
        %j = kolam.elementwise "add" %i, %step : (i32[], i32[]) -> i32[]
        kolam.yield %j : i32[]
      }
      kolam.yield %t : i32[]
    }
    kolam.yield %r : i32[]
  }, {
  ^bb0(%m: i32[], %n: i32[]):
    kolam.yield %n : i32[]
  })"},
    {"check", "i1[2, n]", "", R"(kolam.check %a0 "bad-value" "expected truth" : i1[2, n])"},
    {"check_scalar", "i1[]", "", R"(kolam.check %a0 "bad-value" "expected truth" : i1[])"},
};

} // namespace kolam::transform::batch_cases
