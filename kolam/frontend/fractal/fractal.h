/// Programs over nested ragged lists: lists of lists of equal tensors.
///
///     namespace ops = kolam::fractal;
///     auto xs = ops::list<int>({{1, 2}, {3}});
///     ops::map([](ops::FractalTensor<Tensor> row) { return ops::fold(kolam::add, row); }, xs);
///
/// A program is compiled once for the types of its lists, not for their lengths. Source:
/// FractalTensor, "Parallel functions on FractalTensor: A demonstrating example".
#pragma once

#include "kolam/frontend/fractal/fractal_tensor.h"
#include "kolam/frontend/fractal/parallel.h"
#include "kolam/frontend/fractal/static_list.h"
#include "kolam/frontend/fractal/views.h"
