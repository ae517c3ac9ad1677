// RUN: env KOLAM_TARGET=skylake kolam run %s --stop-after nests | FileCheck %s
// REQUIRES: lm
// Where dims in front of the vectors' own are cut, so that rows inside ask for nothing.

// A row above and below each operand's.
// CHECK-LABEL: nest0{{$}}
// CHECK: for i0 in i parallel
// CHECK-NEXT: {{^ *}}parts of i0 at 1, 101{{$}}
// CHECK-NEXT: {{^ *}}for i1 in i0{{$}}
// CHECK-NEXT: {{^ *}}parts of j at 2, 102{{$}}
// CHECK-NEXT: {{^ *}}y {{.*}}by elements lanes 8

// Rows outside that are rows elsewhere are no parts.
// CHECK-LABEL: nest1{{$}}
// CHECK: for i0 in i parallel
// CHECK-NEXT: {{^ *}}for i1 in i0{{$}}

// Of a concat.
// CHECK-LABEL: nest2{{$}}
// CHECK: {{^ *}}parts of i0 at 60{{$}}

// Sizes of the run move the last cut only.
// CHECK-LABEL: nest3{{$}}
// CHECK: {{^ *}}parts of i0 at 2, n + 2{{$}}

// Two dims in front.
// CHECK-LABEL: nest4{{$}}
// CHECK: {{^ *}}parts of i0 at 1, 31{{$}}
// CHECK-NEXT: {{^ *}}for i1 in i0{{$}}
// CHECK-NEXT: {{^ *}}parts of j at 1, 41{{$}}
// CHECK-NEXT: {{^ *}}for j0 in j{{$}}
// CHECK-NEXT: {{^ *}}parts of k at 1, 51{{$}}

// Few rows are one part.
// CHECK-LABEL: nest5{{$}}
// CHECK: for i0 in i parallel
// CHECK-NEXT: {{^ *}}for i1 in i0{{$}}

func.func @main(%x: tensor<100x100xf32>, %y: tensor<?x100xf32, #kolam.extents<["n", "100"]>>, %z: tensor<30x40x50xf32>, %s: tensor<4x100xf32>, %v: tensor<f32>) -> (tensor<102x104xf32>, tensor<103x104xf32>, tensor<100x100xf32>, tensor<?x100xf32, #kolam.extents<["n + 4", "100"]>>, tensor<32x42x52xf32>, tensor<6x100xf32>) {
  %0 = kolam.pad %x, %v "constant" low [1, 2] high [1, 2] : tensor<100x100xf32>, tensor<f32> -> tensor<102x104xf32>
  %1 = kolam.pad %x, %v "wrap" low [1, 2] high [2, 2] : tensor<100x100xf32>, tensor<f32> -> tensor<103x104xf32>
  %below = kolam.slice %x <["40", "0"]> [1, 1] : tensor<100x100xf32> -> tensor<60x100xf32>
  %above = kolam.slice %x <["0", "0"]> [1, 1] : tensor<100x100xf32> -> tensor<40x100xf32>
  %c = kolam.concat %below, %above dim 0 : (tensor<60x100xf32>, tensor<40x100xf32>) -> tensor<100x100xf32>
  %2 = kolam.elementwise "add" %c, %x : (tensor<100x100xf32>, tensor<100x100xf32>) -> tensor<100x100xf32>
  %3 = kolam.pad %y, %v "constant" low [2, 0] high [2, 0] : tensor<?x100xf32, #kolam.extents<["n", "100"]>>, tensor<f32> -> tensor<?x100xf32, #kolam.extents<["n + 4", "100"]>>
  %4 = kolam.pad %z, %v "constant" low [1, 1, 1] high [1, 1, 1] : tensor<30x40x50xf32>, tensor<f32> -> tensor<32x42x52xf32>
  %5 = kolam.pad %s, %v "constant" low [1, 0] high [1, 0] : tensor<4x100xf32>, tensor<f32> -> tensor<6x100xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<102x104xf32>, tensor<103x104xf32>, tensor<100x100xf32>, tensor<?x100xf32, #kolam.extents<["n + 4", "100"]>>, tensor<32x42x52xf32>, tensor<6x100xf32>
}
