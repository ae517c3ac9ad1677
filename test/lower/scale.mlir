// REQUIRES: lm
// UNSUPPORTED: sanitized
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after assembly | FileCheck %s --check-prefix=ONE
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after assembly | FileCheck %s --check-prefix=TWO
// Powers of two are multiplied on by one instruction where a target has it, else in two steps; nothing calls a library
// (lm: an x86-64 processor; under the address sanitizer generated code calls it).

// ONE-NOT: callq
// ONE: vfmadd{{.*}}%zmm
// ONE: vscalefps %zmm{{.*}}
// ONE-NOT: vpslld
// ONE-NOT: callq
// ONE: retq
// TWO-NOT: vscalef
// TWO: vpslld
// TWO: vpslld
// TWO-NOT: callq
// TWO: retq

func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = kolam.elementwise "exp" %x : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
