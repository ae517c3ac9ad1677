// REQUIRES: lm
// UNSUPPORTED: sanitized
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after assembly | FileCheck %s --check-prefix=CODE
// Loops over elements: counters of known bounds are clipped nowhere, and LLVM knows the memory that steps change to be
// apart from all other (lm: an x86-64 processor).

// CHECK: func.func @kolam_nest({{.*}}) -> i32 attributes {passthrough = ["kolam-carries-memory"]}
// CHECK: %[[I:.*]] = arith.addi %[[K:.*]], %c1_i64
// CHECK-NOT: arith.maxsi
// CHECK-NOT: arith.extsi
// CHECK: llvm.getelementptr %[[STATE:.*]][%[[K]]]
// CHECK-NEXT: llvm.load %{{.*}} {alias_scopes = [#[[CHANGED:.*]]], noalias_scopes = [#[[OTHER:.*]]]}
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[I]]]
// CHECK-NEXT: llvm.load %{{.*}} {alias_scopes = [#[[OTHER]]], noalias_scopes = [#[[CHANGED]]]}
// CHECK: llvm.getelementptr %[[STATE]][%[[I]]]
// CHECK-NEXT: llvm.store {{.*}} {alias_scopes = [#[[CHANGED]]]

// The element in front stays in a register: a step reads the one that it adds alone.
// CODE: vaddss 4({{.*}}), %xmm0, %xmm0
// CODE-NEXT: vmovss %xmm0, 4(
// CODE-NEXT: incq
// CODE-NEXT: cmpq $39
// CODE-NEXT: jl

func.func @main(%x: tensor<40xf32>, %y: tensor<40xf32>) -> tensor<40xf32> {
  %from = kolam.constant dense<1> : tensor<i32>
  %to = kolam.constant dense<40> : tensor<i32>
  %0 = kolam.for from %from to %to carry(%x) captures(%y, %from) : (tensor<i32>, tensor<i32>, tensor<40xf32>, tensor<40xf32>, tensor<i32>) -> tensor<40xf32> {
  ^bb0(%i: tensor<i32>, %state: tensor<40xf32>, %added: tensor<40xf32>, %one: tensor<i32>):
    %before = kolam.elementwise "subtract" %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %last = kolam.dynamic_slice %state[%before] : (tensor<40xf32>, tensor<i32>) -> tensor<1xf32>
    %next = kolam.dynamic_slice %added[%i] : (tensor<40xf32>, tensor<i32>) -> tensor<1xf32>
    %sum = kolam.elementwise "add" %last, %next : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %set = kolam.dynamic_update_slice %state, %sum[%i] : (tensor<40xf32>, tensor<1xf32>, tensor<i32>) -> tensor<40xf32>
    kolam.yield %set : tensor<40xf32>
  }
  return %0 : tensor<40xf32>
}
