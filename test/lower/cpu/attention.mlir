// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after lowered | FileCheck %s
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after assembly | FileCheck %s --check-prefix=ASM
// RUN: kolam explain %s | FileCheck %s --check-prefix=EXPLAIN
// kolam.attention: a row in each lane, products by tiles of registers, masks by bits; no scores in memory but a block's
// (lm: an x86-64 processor).

// Queries are turned in registers: 8 x 8. Then 4 keys by 2 vectors of rows: each key's element is loaded once for both.
// CHECK-LABEL: // nest0
// CHECK-NOT: masked.gather
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.shufflevector
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %c64_i64
// CHECK-COUNT-2: llvm.load %{{.*}} -> vector<8xf32>
// CHECK: llvm.load %{{.*}} -> f32
// CHECK-COUNT-2: math.fma {{.*}} : vector<8xf32>
// CHECK: llvm.load %{{.*}} -> f32
// CHECK-COUNT-2: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT: masked.gather

// Bits are made where the window ends only.
// CHECK-LABEL: // nest1
// CHECK: scf.if
// CHECK: llvm.bitcast %{{.*}} : vector<8xi1> to i8
// CHECK: llvm.bitcast %{{.*}} : i8 to vector<8xi1>

// Of fewer rows than a vector has, queries and results are turned in registers too: the last row stands for those behind
// it, which are not stored.
// CHECK-LABEL: // nest2
// CHECK-NOT: masked.gather
// CHECK: scf.for %{{.*}} to %c64_i64{{.*}} step %c8_i64
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<8xf32>
// CHECK: scf.for %{{.*}} to %c64_i64{{.*}} step %c8_i64
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<8xf32>
// CHECK-NOT: llvm.store %{{.*}} : vector<8xf32>
// CHECK-NOT: masked.gather
// CHECK: return

//     ASM-LABEL: // nest0
//       ASM-NOT: vgather
// ASM-COUNT-16: vfmadd231ps {{.*}}%zmm
//       ASM-NOT: vgather
//       ASM-NOT: exp
//     ASM-LABEL: // nest1
//           ASM: {%k{{[1-7]}}}

// EXPLAIN: arena: 0 bytes
// EXPLAIN: nest0: {{.*}} over [0:12]
// EXPLAIN: nest1: {{.*}} over [0:12]
// EXPLAIN: nest0 = {{.*}}: 1048576 bytes, 72351744 flops; an online softmax over blocks of 128 keys, 96 queries a task{{$}}
// EXPLAIN: nest1 = {{.*}}: 1048576 bytes, 36317184 flops; an online softmax over blocks of 128 keys, 96 queries a task; only blocks of the window from any to +0{{$}}

func.func @main(%q: tensor<4x256x64xf32>, %k: tensor<4x256x64xf32>, %v: tensor<4x256x64xf32>, %few: tensor<4x4x64xf32>) -> (tensor<4x256x64xf32>, tensor<4x256x64xf32>, tensor<4x4x64xf32>) {
  %c = kolam.constant dense<0.125> : tensor<f32>
  %0 = kolam.attention %q, %k, %v scale %c : (tensor<4x256x64xf32>, tensor<4x256x64xf32>, tensor<4x256x64xf32>, tensor<f32>) -> tensor<4x256x64xf32>
  %1 = kolam.attention %q, %k, %v scale %c {right = 0 : i64} : (tensor<4x256x64xf32>, tensor<4x256x64xf32>, tensor<4x256x64xf32>, tensor<f32>) -> tensor<4x256x64xf32>
  %2 = kolam.attention %few, %k, %v scale %c : (tensor<4x4x64xf32>, tensor<4x256x64xf32>, tensor<4x256x64xf32>, tensor<f32>) -> tensor<4x4x64xf32>
  return %0, %1, %2 : tensor<4x256x64xf32>, tensor<4x256x64xf32>, tensor<4x4x64xf32>
}
