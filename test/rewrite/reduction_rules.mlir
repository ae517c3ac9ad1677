// RUN: kolam explain %s | FileCheck %s
// Large reductions to few elements: the chunks of parts are combined by a nest that threads share, then the parts.

// Parts of one chunk, 244 of them, and what is left.
// CHECK: nest0: [[PARTS:b[0-9]+]] = concat({{.*}}) over [0:245] with
// CHECK: nest1: {{.*}} = reduce([[PARTS]]) over [0:1]
// Parts of 32 chunks of 64 rows, all of them whole; sums of f16 are rounded once.
// CHECK: nest2: [[PARTS:b[0-9]+]] = reduce({{.*}}) over [0:128]
// CHECK: nest3: {{.*}} = cast([[PARTS]]) over [0:3] with reduce
// Few elements stay whole, and so does what gives many.
// CHECK: nest4: {{.*}} = reduce({{.*}}) over [0:1]
// CHECK: nest5: {{.*}} = reduce({{.*}}) over [0:1024]
// CHECK: {{%[0-9]+}} concat ({{.*}}) -> {{%[0-9]+}} reduce ({{.*}}): not fused: threads share its parts

func.func @main(%x: tensor<1000003xf32>, %y: tensor<512x512x3xf16>, %z: tensor<1000xf32>, %w: tensor<1024x1024xf32>) -> (tensor<f32>, tensor<3xf16>, tensor<f32>, tensor<1024xf32>) {
  %0 = kolam.reduce "add" %x dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<1000003xf32>) -> tensor<f32>
  %1 = kolam.reduce "add" %y dims [0, 1] commutative true <"chunk<64>"> : (tensor<512x512x3xf16>) -> tensor<3xf16>
  %2 = kolam.reduce "add" %z dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<1000xf32>) -> tensor<f32>
  %3 = kolam.reduce "add" %w dims [1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<1024x1024xf32>) -> tensor<1024xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<3xf16>, tensor<f32>, tensor<1024xf32>
}
