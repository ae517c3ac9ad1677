// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam explain %s | FileCheck %s
// explain: the nests, what each moves and computes, and for every pair of ops whether they were fused. By hand, in f32:
// nest0 reads 4 x 8 and writes 4 elements, 36 x 4 bytes; nest1 reads one of 4 and n and writes n, where an extent that only
// the run knows counts as 1000. Negating and adding 32 elements each are 64 flops, adding n is 1000; moving elements is none.
// How elements are walked depends on the target (lm: an x86-64 processor).

//      CHECK: arena: 0 bytes
// CHECK-NEXT: nest0: {{b[0-9]+}} = reduce({{b[0-9]+}}) over [0:4] with negative
// CHECK-NEXT: nest1: {{b[0-9]+}} = add({{b[0-9]+}}, {{b[0-9]+}}) over [0:n] with broadcast reshape slice
// CHECK-NEXT: {{^}}nest0
// CHECK-NEXT:   ops y negative1
// CHECK-NEXT:   dims i 4
// CHECK-NEXT:   for i0 in i parallel
// CHECK-NEXT:     y with negative1 by elements lanes 4
// CHECK-NEXT: {{^}}nest1
// CHECK:      {{^}}nest0 = %1 reduce (explain.mlir:[[# @LINE + 19]]): 144 bytes, 64 flops
// CHECK-NEXT: nest1 = %5 add (explain.mlir:[[# @LINE + 22]]): 8004 bytes, 1000 flops
// CHECK-NEXT: total: 8148 bytes, 1064 flops, 0 bytes of arena, 2 nests
// CHECK-NEXT: nest0 runs by 4 lanes
// CHECK-NEXT: nest1 runs by 8 lanes
// CHECK-NEXT: %0 negative (explain.mlir:[[# @LINE + 13]]) -> %1 reduce (explain.mlir:[[# @LINE + 14]]): fused
// CHECK-NEXT: %1 reduce {{.*}} -> %2 slice {{.*}}: not fused: it is a result
// CHECK-NEXT: %2 slice {{.*}} -> %3 reshape {{.*}}: fused
// CHECK-NEXT: %3 reshape {{.*}} -> %4 broadcast {{.*}}: fused
// CHECK-NEXT: %4 broadcast {{.*}} -> %5 add {{.*}}: fused
// CHECK-NEXT: refused, by reason:
// (Of rows of eight a vector has one element of each, loaded one by one.)
// CHECK-NEXT: {{^}}  1 time not fused: it is a result (explain.mlir:[[# @LINE + 7]])
// CHECK-NEXT: {{^}}  1 time one thread: it is less than 200000 operations (explain.mlir:[[# @LINE + 6]])
// CHECK-NEXT: compiled before: 0 in memory, none on disk: KOLAM_CACHE=off
//  CHECK-NOT: {{.}}

func.func @main(%x: tensor<4x8xf32>, %y: tensor<?xf32, #kolam.extents<["n"]>>) -> (tensor<4xf32>, tensor<?xf32, #kolam.extents<["n"]>>) {
  %0 = kolam.elementwise "negative" %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = kolam.reduce "add" %0 dims [1] commutative true <"chunk<64>"> : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = kolam.slice %1 <["0"]> [1] : tensor<4xf32> -> tensor<1xf32>
  %3 = kolam.reshape %2 : tensor<1xf32> -> tensor<f32>
  %4 = kolam.broadcast %3 [] : tensor<f32> -> tensor<?xf32, #kolam.extents<["n"]>>
  %5 = kolam.elementwise "add" %4, %y : (tensor<?xf32, #kolam.extents<["n"]>>, tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>>
  return %1, %5 : tensor<4xf32>, tensor<?xf32, #kolam.extents<["n"]>>
}
