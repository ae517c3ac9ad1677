// REQUIRES: lm
// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after assembly | FileCheck %s --check-prefix=EIGHT
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %s --stop-after assembly | FileCheck %s --check-prefix=SIXTEEN
// Tiles are turned by instructions that take two registers each, not element by element (lm: an x86-64 processor).

// EIGHT-NOT: vgather
// EIGHT: vunpcklps
// EIGHT: vunpckhps
// EIGHT-NOT: vgather
// EIGHT: vperm2f128
// SIXTEEN: vunpcklps {{.*}}%zmm
// SIXTEEN: vunpckhps {{.*}}%zmm
// SIXTEEN: vunpcklpd {{.*}}%zmm
// SIXTEEN: vshuff64x2 {{.*}}%zmm

func.func @main(%x: tensor<64x128xf32>) -> tensor<128x64xf32> {
  %0 = kolam.transpose %x [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}
