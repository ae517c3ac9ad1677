// RUN: env KOLAM_TARGET=skylake kolam run %s --stop-after nests | FileCheck %s
// REQUIRES: lm
// Where dims are cut, eight lanes.

// Of a padded row two elements lie in front of the operand and three behind it; each mode finds others there.
// CHECK-LABEL: nest0{{$}}
// CHECK: for i1 in i0
// CHECK-NEXT: {{^ *}}parts of j at 2, 102{{$}}
// CHECK-NEXT: {{^ *}}y {{.*}}by elements lanes 8

// The operands of a concat.
// CHECK-LABEL: nest1{{$}}
// CHECK: {{^ *}}parts of j at 30{{$}}

// Windows of three: what some reads of a part find outside, all of it asks for. Parts of one and two elements are one.
// CHECK-LABEL: nest2{{$}}
// CHECK: {{^ *}}parts of i0 at 2, 98{{$}}

// Sizes of the run move the last cut only.
// CHECK-LABEL: nest4{{$}}
// CHECK: {{^ *}}parts of i0 at 1, n + 1{{$}}

// Of an array that is turned round the places run backwards; every second one.
// CHECK-LABEL: nest5{{$}}
// CHECK: {{^ *}}parts of i0 at 5, 105{{$}}
// CHECK-LABEL: nest6{{$}}
// CHECK: {{^ *}}parts of i0 at 1, 51{{$}}

// More parts than five are none.
// CHECK-LABEL: nest7{{$}}
// CHECK-NOT: parts

func.func @main(%x: tensor<64x100xf32>, %y: tensor<100xf32>, %n: tensor<?xf32, #kolam.extents<["n"]>>, %v: tensor<f32>, %u: tensor<f32>, %w: tensor<f32>) -> (tensor<64x105xf32>, tensor<64x100xf32>, tensor<100xf32>, tensor<?xf32, #kolam.extents<["n + 2"]>>, tensor<110xf32>, tensor<53xf32>, tensor<160xf32>) {
  %0 = kolam.pad %x, %v "reflect" low [0, 2] high [0, 3] : tensor<64x100xf32>, tensor<f32> -> tensor<64x105xf32>
  %right = kolam.slice %x <["0", "70"]> [1, 1] : tensor<64x100xf32> -> tensor<64x30xf32>
  %left = kolam.slice %x <["0", "0"]> [1, 1] : tensor<64x100xf32> -> tensor<64x70xf32>
  %1 = kolam.concat %right, %left dim 1 : (tensor<64x30xf32>, tensor<64x70xf32>) -> tensor<64x100xf32>
  %p = kolam.pad %y, %v "edge" low [2] high [2] : tensor<100xf32>, tensor<f32> -> tensor<104xf32>
  %p0 = kolam.slice %p <["0"]> [1] : tensor<104xf32> -> tensor<100xf32>
  %p1 = kolam.slice %p <["1"]> [1] : tensor<104xf32> -> tensor<100xf32>
  %p4 = kolam.slice %p <["4"]> [1] : tensor<104xf32> -> tensor<100xf32>
  %s = kolam.elementwise "fma" %p0, %p1, %p4 : (tensor<100xf32>, tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
  %4 = kolam.pad %n, %v "wrap" low [1] high [1] : tensor<?xf32, #kolam.extents<["n"]>>, tensor<f32> -> tensor<?xf32, #kolam.extents<["n + 2"]>>
  %q = kolam.pad %y, %v "edge" low [5] high [5] : tensor<100xf32>, tensor<f32> -> tensor<110xf32>
  %5 = kolam.reverse %q [0] : tensor<110xf32> -> tensor<110xf32>
  %r = kolam.pad %y, %v "wrap" low [2] high [4] : tensor<100xf32>, tensor<f32> -> tensor<106xf32>
  %6 = kolam.slice %r <["0"]> [2] : tensor<106xf32> -> tensor<53xf32>
  %z0 = kolam.pad %y, %v "constant" low [10] high [10] : tensor<100xf32>, tensor<f32> -> tensor<120xf32>
  %z1 = kolam.pad %z0, %u "constant" low [10] high [10] : tensor<120xf32>, tensor<f32> -> tensor<140xf32>
  %7 = kolam.pad %z1, %w "constant" low [10] high [10] : tensor<140xf32>, tensor<f32> -> tensor<160xf32>
  return %0, %1, %s, %4, %5, %6, %7 : tensor<64x105xf32>, tensor<64x100xf32>, tensor<100xf32>, tensor<?xf32, #kolam.extents<["n + 2"]>>, tensor<110xf32>, tensor<53xf32>, tensor<160xf32>
}
