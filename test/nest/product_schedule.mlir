// RUN: env KOLAM_TARGET=haswell kolam run %s --stop-after nests | FileCheck %s
// Panels with tiles of their own heights; few rows whose sums wait in a tile while what is summed goes by parts, in chunks;
// rows that only the run knows; rows for which data chooses the columns.

// CHECK-LABEL: {{^}}nest0{{$}}
// CHECK-NEXT: {{^}}  ops y{{$}}
// CHECK-NEXT: {{^}}  dims i 200, j 100{{$}}
// CHECK-NEXT: {{^}}  for j0 in j by 48 parallel rest mask{{$}}
// CHECK-NEXT: {{^}}    for i0 in i by 48 parallel rest mask{{$}}
// CHECK-NEXT: {{^}}      for j1 in j0 by 24 rest next{{$}}
// CHECK-NEXT: {{^}}        y by packing lanes 8{{$}}
// CHECK-NEXT: {{^}}        for i1 in i0 by 4{{$}}
// CHECK-NEXT: {{^}}          y by products lanes 8{{$}}
// CHECK-NEXT: {{^}}      for j2 in j0 by 8 rest mask{{$}}
// CHECK-NEXT: {{^}}        y by packing lanes 8{{$}}
// CHECK-NEXT: {{^}}        for i2 in i0 by 8{{$}}
// CHECK-NEXT: {{^}}          y by products lanes 8{{$}}
// CHECK-LABEL: {{^}}nest1{{$}}
// CHECK-NEXT: {{^}}  ops y{{$}}
// CHECK-NEXT: {{^}}  dims i 8, j 192, k 1100{{$}}
// CHECK-NEXT: {{^}}  for j0 in j by 48 parallel rest mask{{$}}
// CHECK-NEXT: {{^}}    for j1 in j0 by 1008 rest mask{{$}}
// CHECK-NEXT: {{^}}      store y 8064 in tile{{$}}
// CHECK-NEXT: {{^}}      for k0 in k by 512 rest peeled{{$}}
// CHECK-NEXT: {{^}}        for k1 in k0 by 32 rest peeled{{$}}
// CHECK-NEXT: {{^}}          for j2 in j1 by 24{{$}}
// CHECK-NEXT: {{^}}            for i0 in i by 4{{$}}
// CHECK-NEXT: {{^}}              y by products lanes 8{{$}}
// CHECK-NEXT: {{^}}      for j3 in j1 by 24{{$}}
// CHECK-NEXT: {{^}}        for i1 in i by 4{{$}}
// CHECK-NEXT: {{^}}          y by elements lanes 8{{$}}
// CHECK-LABEL: {{^}}nest2{{$}}
// CHECK-NEXT: {{^}}  ops y{{$}}
// CHECK-NEXT: {{^}}  dims i m, j 192, k 1100{{$}}
// CHECK-NEXT: {{^}}  when i up to 96{{$}}
// CHECK-NEXT: {{^}}    for j0 in j by 48 parallel rest mask{{$}}
// CHECK-NEXT: {{^}}      for j1 in j0 by 48 rest mask{{$}}
// CHECK-NEXT: {{^}}        store y 4608 in tile{{$}}
// CHECK-NEXT: {{^}}        for k0 in k by 512 rest peeled{{$}}
// CHECK-NEXT: {{^}}          for k1 in k0 by 32 rest peeled{{$}}
// CHECK-NEXT: {{^}}            for j2 in j1 by 24{{$}}
// CHECK-NEXT: {{^}}              for i0 in i by 4 rest fewer{{$}}
// CHECK-NEXT: {{^}}                y by products lanes 8{{$}}
// CHECK-NEXT: {{^}}        for j3 in j1 by 24{{$}}
// CHECK-NEXT: {{^}}          for i1 in i by 4 rest fewer{{$}}
// CHECK-NEXT: {{^}}            y by elements lanes 8{{$}}
// CHECK-NEXT: {{^}}  when i over 96{{$}}
// CHECK-NEXT: {{^}}    for j4 in j by 48 parallel rest mask{{$}}
// CHECK-NEXT: {{^}}      for i2 in i by 96 parallel rest mask{{$}}
// CHECK-NEXT: {{^}}        for j5 in j4 by 24{{$}}
// CHECK-NEXT: {{^}}          y by packing lanes 8{{$}}
// CHECK-NEXT: {{^}}          for i3 in i2 by 4 rest fewer{{$}}
// CHECK-NEXT: {{^}}            y by products lanes 8{{$}}
// CHECK-LABEL: {{^}}nest3{{$}}
// CHECK-NEXT: {{^}}  ops y squeeze1 gather2{{$}}
// CHECK-NEXT: {{^}}  dims i 40, j 192, k 1100{{$}}
// CHECK-NEXT: {{^}}  for i0 in i by 96 parallel rest mask{{$}}
// CHECK-NEXT: {{^}}    for j0 in j by 96 parallel rest mask{{$}}
// CHECK-NEXT: {{^}}      for i1 in i0 runs{{$}}
// CHECK-NEXT: {{^}}        when i1 up to 1{{$}}
// CHECK-NEXT: {{^}}          for j1 in j0 by 8160 rest mask{{$}}
// CHECK-NEXT: {{^}}            store y 8160 in tile{{$}}
// CHECK-NEXT: {{^}}            for k0 in k by 512 rest peeled{{$}}
// CHECK-NEXT: {{^}}              for k1 in k0 by 8 rest peeled{{$}}
// CHECK-NEXT: {{^}}                for j2 in j1 by 48{{$}}
// CHECK-NEXT: {{^}}                  for i2 in i1{{$}}
// CHECK-NEXT: {{^}}                    y with all by products lanes 8{{$}}
// CHECK-NEXT: {{^}}            for j3 in j1 by 48{{$}}
// CHECK-NEXT: {{^}}              for i3 in i1{{$}}
// CHECK-NEXT: {{^}}                y by elements lanes 8{{$}}
// CHECK-NEXT: {{^}}        when i1 over 1{{$}}
// CHECK-NEXT: {{^}}          for j4 in j0 by 192 rest mask{{$}}
// CHECK-NEXT: {{^}}            store y 7680 in tile{{$}}
// CHECK-NEXT: {{^}}            for k2 in k by 512 rest peeled{{$}}
// CHECK-NEXT: {{^}}              for k3 in k2 by 32 rest peeled{{$}}
// CHECK-NEXT: {{^}}                for j5 in j4 by 24{{$}}
// CHECK-NEXT: {{^}}                  for i4 in i1 by 4 rest fewer{{$}}
// CHECK-NEXT: {{^}}                    y with all by products lanes 8{{$}}
// CHECK-NEXT: {{^}}            for j6 in j4 by 24{{$}}
// CHECK-NEXT: {{^}}              for i5 in i1 by 4 rest fewer{{$}}
// CHECK-NEXT: {{^}}                y by elements lanes 8{{$}}

func.func @main(%x: tensor<200x64xf32>, %y: tensor<64x100xf32>, %u: tensor<8x1100xf32>, %v: tensor<1100x192xf32>, %m: tensor<?x1100xf32, #kolam.extents<["m", "1100"]>>, %w: tensor<5x1100x192xf32>, %g: tensor<40x1xi64>, %h: tensor<40x1100xf32>) -> (tensor<200x100xf32>, tensor<8x192xf32>, tensor<?x192xf32, #kolam.extents<["m", "192"]>>, tensor<40x192xf32>) {
  %0 = kolam.contract "ij,jk->ik" %x, %y <"chain<512>"> : (tensor<200x64xf32>, tensor<64x100xf32>) -> tensor<200x100xf32>
  %1 = kolam.contract "ij,jk->ik" %u, %v <"chain<512>"> : (tensor<8x1100xf32>, tensor<1100x192xf32>) -> tensor<8x192xf32>
  %2 = kolam.contract "ij,jk->ik" %m, %v <"chain<512>"> : (tensor<?x1100xf32, #kolam.extents<["m", "1100"]>>, tensor<1100x192xf32>) -> tensor<?x192xf32, #kolam.extents<["m", "192"]>>
  %3 = kolam.gather %w, %g "clip" dims [0] lengths [1] batched 0 : (tensor<5x1100x192xf32>, tensor<40x1xi64>) -> tensor<40x1x1100x192xf32>
  %4 = kolam.squeeze %3 [1] : tensor<40x1x1100x192xf32> -> tensor<40x1100x192xf32>
  %5 = kolam.contract "bj,bjk->bk" %h, %4 <"chain<512>"> : (tensor<40x1100xf32>, tensor<40x1100x192xf32>) -> tensor<40x192xf32>
  return %0, %1, %2, %5 : tensor<200x100xf32>, tensor<8x192xf32>, tensor<?x192xf32, #kolam.extents<["m", "192"]>>, tensor<40x192xf32>
}
