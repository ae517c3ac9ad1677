// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after nests | FileCheck %s
// Running combinations of neighbouring lines row by row, blocks of queries, windows of a scatter by vectors, an update too
// short for them.

// CHECK-LABEL: {{^}}nest0{{$}}
// CHECK-NEXT: {{^}}  ops y{{$}}
// CHECK-NEXT: {{^}}  dims t 5000{{$}}
// CHECK-NEXT: {{^}}  ahead 1 rows 1{{$}}
// CHECK-NEXT: {{^}}  for t0 in t parallel{{$}}
// CHECK-NEXT: {{^}}    for t1 in t0 by 2048 rest mask{{$}}
// CHECK-NEXT: {{^}}      y by whole lanes 8{{$}}
// CHECK-LABEL: {{^}}nest1{{$}}
// CHECK-NEXT: {{^}}  ops y{{$}}
// CHECK-NEXT: {{^}}  dims t 6, q 96{{$}}
// CHECK-NEXT: {{^}}  for t0 in t parallel{{$}}
// CHECK-NEXT: {{^}}    for q0 in q by 16 rest mask{{$}}
// CHECK-NEXT: {{^}}      y by whole lanes 8{{$}}
// CHECK-LABEL: {{^}}nest2{{$}}
// CHECK-NEXT: {{^}}  ops y{{$}}
// CHECK-NEXT: {{^}}  dims t 1000{{$}}
// CHECK-NEXT: {{^}}  for t0 in t parallel{{$}}
// CHECK-NEXT: {{^}}    y by whole{{$}}
// CHECK-LABEL: {{^}}nest3{{$}}
// CHECK-NEXT: {{^}}  ops y{{$}}
// CHECK-NEXT: {{^}}  dims t 500{{$}}
// CHECK-NEXT: {{^}}  for t0 in t parallel{{$}}
// CHECK-NEXT: {{^}}    y by whole lanes 8{{$}}

func.func @main(%x: tensor<100x5000xf32>, %q: tensor<2x200x16xf32>, %k: tensor<2x300x16xf32>, %s: tensor<f32>, %u: tensor<30x1x500xf32>, %i: tensor<30x1xi32>, %d: tensor<1000x500xf32>, %w: tensor<500x2xf32>, %t: tensor<i32>) -> (tensor<100x5000xf32>, tensor<2x200x16xf32>, tensor<1000x500xf32>, tensor<1000x500xf32>) {
  %0 = kolam.cumulative "add" %x dim 0 {exclusive = false, reverse = false} : tensor<100x5000xf32> -> tensor<100x5000xf32>
  %1 = kolam.attention %q, %k, %k scale %s : (tensor<2x200x16xf32>, tensor<2x300x16xf32>, tensor<2x300x16xf32>, tensor<f32>) -> tensor<2x200x16xf32>
  %2 = kolam.scatter "kAdd" "drop" (%d) updates(%u) at %i dims [0] batched 0 unique false : (tensor<1000x500xf32>, tensor<30x1x500xf32>, tensor<30x1xi32>) -> tensor<1000x500xf32>
  %3 = kolam.dynamic_update_slice %d, %w[%t, %t] : (tensor<1000x500xf32>, tensor<500x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1000x500xf32>
  return %0, %1, %2, %3 : tensor<100x5000xf32>, tensor<2x200x16xf32>, tensor<1000x500xf32>, tensor<1000x500xf32>
}
