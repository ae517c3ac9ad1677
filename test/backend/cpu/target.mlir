// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after assembly | FileCheck %s --check-prefix=HASWELL
// RUN: env KOLAM_TARGET=x86-64 kolam run %s --stop-after assembly | FileCheck %s --check-prefix=OLD
// RUN: not env KOLAM_TARGET=pentium-mmmx kolam run %s --stop-after assembly 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not env KOLAM_TARGET=i386 kolam run %s --stop-after assembly 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: env KOLAM_TARGET= kolam run %s --stop-after assembly | FileCheck %s --check-prefix=HOST
// KOLAM_TARGET names the processor that code is made for, in place of the one it runs on (lm: an x86-64 processor).

// HASWELL: vfmadd
// OLD-NOT: {{[[:space:]]v(fmadd|mulss|movss)}}
// OLD: mulss
// UNKNOWN: [unknown-target] KOLAM_TARGET: expected a CPU that LLVM knows, but got 'pentium-mmmx'
// NARROW: [unknown-target] KOLAM_TARGET: expected a CPU of 64 bits, but got 'i386'
// HOST: kolam_nest:

func.func @main(%x: tensor<8xf32>) -> tensor<f32> {
  %0 = kolam.contract "i,i->" %x, %x <"chain<8192>"> : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
