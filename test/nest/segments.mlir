// RUN: split-file %s %t
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %t/map.mlir --stop-after nests | FileCheck %s --check-prefix=MAP
// RUN: kolam run %t/sums.mlir --stop-after nests | FileCheck %s --check-prefix=SUMS
// RUN: kolam run %t/moved.mlir --stop-after nests | FileCheck %s --check-prefix=MOVED
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %t/rows.mlir --stop-after nests | FileCheck %s --check-prefix=ROWS
// RUN: env KOLAM_TARGET=skylake-avx512 kolam run %t/normalised.mlir --stop-after nests | FileCheck %s --check-prefix=WHOLE
// RUN: kolam run %t/apart.mlir --stop-after nests | FileCheck %s --check-prefix=APART
// RUN: kolam run %t/part.mlir --stop-after nests | FileCheck %s --check-prefix=PART
// Nests that go segment by segment: what an element reads by its id is the same for all of a segment.

// MAP: {{^}}nest0: {{.*}} = subtract({{.*}} with squeeze gather expand_dims segment_ids{{$}}
// MAP: {{^}}  for i0 in i parallel{{$}}
// MAP-NEXT: {{^}}    segments of i0 by segment_ids4{{$}}
// MAP-NEXT: {{^}}      y with all by elements lanes 16{{$}}

// A reduction of the same segments knows them too; it goes by itself, one segment after the other.
// SUMS: {{^}}nest0: {{.*}} = segment_reduce({{.*}} with subtract squeeze gather expand_dims segment_ids{{$}}
// SUMS: {{^}}nest1: {{.*}} = sqrt({{.*}}
// SUMS: {{^}}  for i0 in i parallel{{$}}
// SUMS-NEXT: {{^}}    y with all by elements{{$}}

// An element that reads its neighbour's id: ids lie in memory, written segment by segment.
// MOVED: {{^}}nest0: {{.*}} = segment_ids(
// MOVED: {{^}}nest1: {{.*}} = add(
// MOVED: {{^}}    segments of i0 by y{{$}}
// MOVED-NOT: segments

// Rows of some lanes: segments cut the dim in front, also where the root has several results.
// ROWS: {{^}}nest0: {{b[0-9]+, b[0-9]+}} = together(
// ROWS: {{^}}  for i0 in i parallel{{$}}
// ROWS-NEXT: {{^}}    segments of i0 by segment_ids{{[0-9]+}}{{$}}
// ROWS-NEXT: {{^}}      for i1 in i0{{$}}
// ROWS-NEXT: {{^}}        y with all by elements lanes 16{{$}}

// What elements read of the sums of their own segment is summed in front of them, in a nest that takes whole segments.
// WHOLE-NOT: segment_reduce(
// WHOLE: {{^}}nest0: {{.*}} = subtract({{.*}} with {{.*}}segment_reduce{{$}}
// WHOLE: {{^}}    segments of i0 by segment_ids4 whole{{$}}
// WHOLE-NEXT: {{^}}      segment_reduce5 by reduction{{$}}
// WHOLE-NEXT: {{^}}      y with squeeze1 gather2 expand_dims3 segment_ids4 by elements lanes 16{{$}}

// Where somebody reads ids otherwise they lie in memory, and the sums do too.
// APART: {{^}}nest0: {{.*}} = segment_reduce(
// APART: {{^}}nest1: {{.*}} = together({{.*}} segment_ids{{$}}

// Elements of segments that are a part of the nest's alone: the others are written, too.
// PART: {{^}}nest1: {{.*}} = concat(
// PART: {{^}}nest1{{$}}
// PART-NOT: segments of

//--- part.mlir
func.func @main(%offsets: tensor<41xi64>, %x: tensor<40xf32>, %y: tensor<5xf32>) -> tensor<905xf32> {
  %ids = kolam.segment_ids %offsets : (tensor<41xi64>) -> tensor<900xi64>
  %places = kolam.expand_dims %ids [1] : tensor<900xi64> -> tensor<900x1xi64>
  %rows = kolam.gather %x, %places "promise" dims [0] lengths [1] batched 0 : (tensor<40xf32>, tensor<900x1xi64>) -> tensor<900x1xf32>
  %own = kolam.squeeze %rows [1] : tensor<900x1xf32> -> tensor<900xf32>
  %z = kolam.concat %own, %y dim 0 : (tensor<900xf32>, tensor<5xf32>) -> tensor<905xf32>
  return %z : tensor<905xf32>
}

//--- normalised.mlir
func.func @main(%offsets: tensor<41xi64>, %x: tensor<900xf32>) -> tensor<900xf32> {
  %sums = kolam.segment_reduce "add" of %offsets over %x commutative true <"lanes<64>, chunk<4096>"> : (tensor<41xi64>, tensor<900xf32>) -> tensor<40xf32>
  %ids = kolam.segment_ids %offsets : (tensor<41xi64>) -> tensor<900xi64>
  %places = kolam.expand_dims %ids [1] : tensor<900xi64> -> tensor<900x1xi64>
  %rows = kolam.gather %sums, %places "promise" dims [0] lengths [1] batched 0 : (tensor<40xf32>, tensor<900x1xi64>) -> tensor<900x1xf32>
  %own = kolam.squeeze %rows [1] : tensor<900x1xf32> -> tensor<900xf32>
  %y = kolam.elementwise "subtract" %x, %own : (tensor<900xf32>, tensor<900xf32>) -> tensor<900xf32>
  return %y : tensor<900xf32>
}

//--- apart.mlir
func.func @main(%offsets: tensor<41xi64>, %x: tensor<900xf32>) -> (tensor<900xf32>, tensor<899xi64>) {
  %sums = kolam.segment_reduce "add" of %offsets over %x commutative true <"lanes<64>, chunk<4096>"> : (tensor<41xi64>, tensor<900xf32>) -> tensor<40xf32>
  %ids = kolam.segment_ids %offsets : (tensor<41xi64>) -> tensor<900xi64>
  %places = kolam.expand_dims %ids [1] : tensor<900xi64> -> tensor<900x1xi64>
  %rows = kolam.gather %sums, %places "promise" dims [0] lengths [1] batched 0 : (tensor<40xf32>, tensor<900x1xi64>) -> tensor<900x1xf32>
  %own = kolam.squeeze %rows [1] : tensor<900x1xf32> -> tensor<900xf32>
  %y = kolam.elementwise "subtract" %x, %own : (tensor<900xf32>, tensor<900xf32>) -> tensor<900xf32>
  %behind = kolam.slice %ids <["1"]> [1] : tensor<900xi64> -> tensor<899xi64>
  return %y, %behind : tensor<900xf32>, tensor<899xi64>
}

//--- map.mlir
func.func @main(%offsets: tensor<41xi64>, %x: tensor<900xf32>, %m: tensor<40xf32>) -> tensor<900xf32> {
  %ids = kolam.segment_ids %offsets : (tensor<41xi64>) -> tensor<900xi64>
  %places = kolam.expand_dims %ids [1] : tensor<900xi64> -> tensor<900x1xi64>
  %rows = kolam.gather %m, %places "promise" dims [0] lengths [1] batched 0 : (tensor<40xf32>, tensor<900x1xi64>) -> tensor<900x1xf32>
  %own = kolam.squeeze %rows [1] : tensor<900x1xf32> -> tensor<900xf32>
  %y = kolam.elementwise "subtract" %x, %own : (tensor<900xf32>, tensor<900xf32>) -> tensor<900xf32>
  return %y : tensor<900xf32>
}

//--- sums.mlir
func.func @main(%offsets: tensor<41xi64>, %x: tensor<900xf32>, %m: tensor<40xf32>) -> tensor<40xf32> {
  %ids = kolam.segment_ids %offsets : (tensor<41xi64>) -> tensor<900xi64>
  %places = kolam.expand_dims %ids [1] : tensor<900xi64> -> tensor<900x1xi64>
  %rows = kolam.gather %m, %places "promise" dims [0] lengths [1] batched 0 : (tensor<40xf32>, tensor<900x1xi64>) -> tensor<900x1xf32>
  %own = kolam.squeeze %rows [1] : tensor<900x1xf32> -> tensor<900xf32>
  %y = kolam.elementwise "subtract" %x, %own : (tensor<900xf32>, tensor<900xf32>) -> tensor<900xf32>
  %sums = kolam.segment_reduce "add" of %offsets over %y commutative true <"lanes<64>, chunk<4096>"> : (tensor<41xi64>, tensor<900xf32>) -> tensor<40xf32>
  %roots = kolam.elementwise "sqrt" %sums : (tensor<40xf32>) -> tensor<40xf32>
  return %roots : tensor<40xf32>
}

//--- moved.mlir
func.func @main(%offsets: tensor<41xi64>, %x: tensor<899xi64>) -> tensor<899xi64> {
  %ids = kolam.segment_ids %offsets : (tensor<41xi64>) -> tensor<900xi64>
  %behind = kolam.slice %ids <["1"]> [1] : tensor<900xi64> -> tensor<899xi64>
  %y = kolam.elementwise "add" %x, %behind : (tensor<899xi64>, tensor<899xi64>) -> tensor<899xi64>
  return %y : tensor<899xi64>
}

//--- rows.mlir
func.func @main(%offsets: tensor<41xi64>, %x: tensor<900x32xf32>, %m: tensor<40x32xf32>) -> (tensor<900x32xf32>, tensor<900x32xf32>) {
  %ids = kolam.segment_ids %offsets : (tensor<41xi64>) -> tensor<900xi64>
  %places = kolam.expand_dims %ids [1] : tensor<900xi64> -> tensor<900x1xi64>
  %rows = kolam.gather %m, %places "promise" dims [0] lengths [1] batched 0 : (tensor<40x32xf32>, tensor<900x1xi64>) -> tensor<900x1x32xf32>
  %own = kolam.squeeze %rows [1] : tensor<900x1x32xf32> -> tensor<900x32xf32>
  %y = kolam.elementwise "subtract" %x, %own : (tensor<900x32xf32>, tensor<900x32xf32>) -> tensor<900x32xf32>
  %z = kolam.elementwise "multiply" %y, %y : (tensor<900x32xf32>, tensor<900x32xf32>) -> tensor<900x32xf32>
  return %y, %z : tensor<900x32xf32>, tensor<900x32xf32>
}
