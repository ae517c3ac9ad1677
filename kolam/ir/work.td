// Ops that compute over many elements: contractions, reductions, the parallel patterns, sorting.
#ifndef KOLAM_IR_WORK
#define KOLAM_IR_WORK

include "kolam/ir/dialect.td"

def Kolam_ContractOp : Kolam_PureOp<"contract"> {
  let summary = "sum of products over shared dimensions (a two-operand einsum)";
  let description = [{
    `spec` names each dimension by a letter, "bij,bjk->bik". Letters missing from the result are summed, row-major in
    the first operand's dim order; none repeats within one operand. Products and sums are in f32 for bf16 and f16
    operands, in the result's dtype otherwise; the result is rounded once.

    `where` holds booleans, with letters of its own, "ij,jk,ij->ik": where one is false the term takes no part.
  }];
  let arguments = (ins Kolam_Tensor:$lhs, Kolam_Tensor:$rhs, StrAttr:$spec, Kolam_AccumulateAttr:$accumulate,
                       Optional<Kolam_Tensor>:$where);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = [{
    $spec $lhs `,` $rhs (`where` $where^)? $accumulate attr-dict `:` functional-type(operands, $result)
  }];
  let extraClassDeclaration = Kolam_DataDimRows # "double flops_per_point();";
}

def Kolam_ConvolutionOp : Kolam_PureOp<"convolution"> {
  let summary = "windows of the input times a filter";
  let description = [{
    input [n, x..., c], filter [k..., c / groups, o], result [n, y..., o]:
    `result[n, y, o] = sum_{k, c} input[n, strides y + dilation k - low, g c' + c] filter[k, c, o]`, where g is the
    group of o and cells outside the input are 0. Accumulates over k row-major, then c.
  }];
  let arguments = (ins Kolam_Tensor:$input, Kolam_Tensor:$filter, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilation, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       I64Attr:$groups, Kolam_AccumulateAttr:$accumulate);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$input `,` $filter $accumulate attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows # "double flops_per_point();";
}

def Kolam_AttentionOp : Kolam_PureOp<"attention", [IsolatedFromAbove, AttrSizedOperandSegments]> {
  let summary = "what queries find among keys: softmax(q k^T scale + mask) v, with an online softmax";
  let description = [{
    q [b..., i, d], k [b..., j, d], v [b..., j, e] of one float dtype, result [b..., i, e]. Along each of b the extent of
    an operand divides the result's, r: index x reads x floordiv (r / extent), which groups heads and repeats batches.
    Key j takes part for query i unless it is masked: j < i - left, j > i + right, `mask` [b..., i, j] (extents 1 where
    it repeats) is false or minus infinity, `segments` of i and of j differ, or `visible` (x, h, i, j, captures) gives
    false; h counts the last of b, x those before it, row-major. In f32 for narrow floats, with keys in blocks of 128
    from 0, m = -inf, l = o = +0, and for each block in which a key takes part, of these keys only:
      s_j = (chain<512> of fma(q[d], k[j, d], .)) scale, and + mask[i, j] where mask is of floats
      m' = max(m, s_j...),  t = m' if finite, else 0,  p_j = exp(s_j - t),  c = exp(m - t)
      l = l c + sum of p_j in lanes<64>,  o[e] = o[e] c + (chain of fma(p_j, v[j, e], .)),  m = m'
    result[i, e] = o[e] / l, rounded once; 0 where l is 0. Chains run left to right from +0, and are merged as
    those of contractions (support/accumulate.h); lanes count from the block's start.
    Where asked for, lse [b..., i], in f32 or f64, is m + log(l): what derivatives keep.
    Source: Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Dao and others, "FlashAttention",
    2022.
  }];
  let arguments = (ins Kolam_Tensor:$q, Kolam_Tensor:$k, Kolam_Tensor:$v, Kolam_Scalar:$scale,
                       Optional<Kolam_Tensor>:$mask, Optional<Kolam_Tensor>:$q_segments,
                       Optional<Kolam_Tensor>:$k_segments, Variadic<Kolam_Tensor>:$captures,
                       OptionalAttr<I64Attr>:$left, OptionalAttr<I64Attr>:$right);
  let results = (outs Kolam_Tensor:$result, Optional<Kolam_Tensor>:$lse);
  let regions = (region AnyRegion:$visible);
  let extraClassDeclaration = Kolam_DataDimRows # "double flops_per_point(); std::optional<::kolam::Extent> task_count();";
  let hasRegionVerifier = 1;
  let assemblyFormat = [{
    $q `,` $k `,` $v `scale` $scale (`mask` $mask^)? (`segments` $q_segments^ `,` $k_segments)?
    (`captures` `(` $captures^ `)`)? attr-dict `:` functional-type(operands, results) (`visible` $visible^)?
  }];
}

// What reduce, segment_reduce and zip_map_reduce share: a monoid (ir/reduction.h reads it). `monoid` is the name of an elementwise
// function of two arguments with an identity (add, multiply, minimum, maximum, logical_and, logical_or, bitwise_*),
// which combines the elements of each input on their own, narrow floats in f32 and rounded once at the end, and whose
// regions stay empty; or any other name, and then
//   zero: () -> state        wrap: (element...) -> state      merge: (state, state) -> state
//   unwrap: (state) -> result...     wrap_all (may be empty): (chunk of elements...) -> state
// all over rank-0 tensors; wrap_all takes rank-1 tensors whose extent is the symbol `chunk`, bound inside.
def Kolam_ReduceOp : Kolam_PureOp<"reduce", [IsolatedFromAbove]> {
  let summary = "combines elements along dimensions with a monoid";
  let description = [{
    `results = unwrap(merge(wrap(x_0), wrap(x_1), ...))` over the cells of `dims`, in the order that `accumulate`
    says; the reduced dims vanish. No cells give `unwrap(zero)`. Several inputs are wrapped together; several results
    come from one unwrap.
  }];
  let arguments = (ins Variadic<Kolam_Tensor>:$inputs, StrAttr:$monoid, BoolAttr:$commutative,
                       DenseI64ArrayAttr:$dims, Kolam_AccumulateAttr:$accumulate);
  let results = (outs Variadic<Kolam_Tensor>:$results);
  let regions = (region AnyRegion:$zero, AnyRegion:$wrap, AnyRegion:$merge, AnyRegion:$unwrap, AnyRegion:$wrap_all);
  let extraClassDeclaration = "double flops_per_point();";
  let hasRegionVerifier = 1;
  let assemblyFormat = [{
    $monoid $inputs `dims` $dims `commutative` $commutative $accumulate attr-dict `:` functional-type($inputs, $results)
    (`zero` $zero^ `wrap` $wrap `merge` $merge `unwrap` $unwrap)?
    (`wrap_all` $wrap_all^)?
  }];
}

// Segment s of x holds its elements offsets[s] .. offsets[s + 1] - 1 along the first dim. Offsets, [S + 1] of i64, start
// at 0, never decrease and end with the number of elements: lists are made so, and nothing looks again.
def Kolam_SegmentIdsOp : Kolam_PureOp<"segment_ids"> {
  let summary = "the segment of each element";
  let description = "`result[i]` is the s with `offsets[s] <= i < offsets[s + 1]`, i64.";
  let arguments = (ins Kolam_Tensor:$offsets);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$offsets attr-dict `:` functional-type($offsets, $result)";
}

def Kolam_CompressOp : Kolam_PureOp<"compress"> {
  let summary = "the elements where a mask is true, one behind the other";
  let description = [{
    `result[k] = operand[p(k)]`, p(k) the place of the true element of the mask, [n], in front of which k are true. Behind
    the last of them there are zeros, and what has no room is left out.
  }];
  let arguments = (ins Kolam_Tensor:$mask, Kolam_Tensor:$operand);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$mask `,` $operand attr-dict `:` functional-type(operands, $result)";
}

def Kolam_SegmentReduceOp : Kolam_PureOp<"segment_reduce", [IsolatedFromAbove]> {
  let summary = "combines the elements of each segment with a monoid";
  let description = [{
    `results[s, ...] = unwrap(merge(wrap(x[offsets[s], ...]), wrap(x[offsets[s] + 1, ...]), ...))`, in the order that
    `accumulate` says, as kolam.reduce does over the elements of one segment; an empty one gives `unwrap(zero)`.
  }];
  let arguments = (ins Kolam_Tensor:$offsets, Variadic<Kolam_Tensor>:$inputs, StrAttr:$monoid, BoolAttr:$commutative,
                       Kolam_AccumulateAttr:$accumulate);
  let results = (outs Variadic<Kolam_Tensor>:$results);
  let regions = (region AnyRegion:$zero, AnyRegion:$wrap, AnyRegion:$merge, AnyRegion:$unwrap, AnyRegion:$wrap_all);
  let extraClassDeclaration = "double flops_per_point();";
  let hasRegionVerifier = 1;
  let assemblyFormat = [{
    $monoid `of` $offsets `over` $inputs `commutative` $commutative $accumulate attr-dict `:`
    functional-type(operands, $results) (`zero` $zero^ `wrap` $wrap `merge` $merge `unwrap` $unwrap)?
    (`wrap_all` $wrap_all^)?
  }];
}

def Kolam_ZipMapReduceOp : Kolam_PureOp<"zip_map_reduce", [IsolatedFromAbove, AttrSizedOperandSegments]> {
  let summary = "a scalar body over zipped elements, then an optional reduction";
  let description = [{
    All inputs have the extents of the iteration space. `body` gets one cell of each as rank-0 tensors, then the
    captures whole, and may ask `kolam.iter_index`; it yields e cells. Without `monoid` the results are those cells;
    with it they are reduced over `dims` as in `kolam.reduce`, and the reduced dims vanish.
    Source: SambaFlow, "Compose complex operations with parallel patterns".
  }];
  let arguments = (ins Variadic<Kolam_Tensor>:$inputs, Variadic<Kolam_Tensor>:$captures,
                       OptionalAttr<StrAttr>:$monoid, BoolAttr:$commutative, Kolam_ExtentsAttr:$space,
                       DenseI64ArrayAttr:$dims, Kolam_AccumulateAttr:$accumulate);
  let results = (outs Variadic<Kolam_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$zero, AnyRegion:$wrap, AnyRegion:$merge, AnyRegion:$unwrap,
                        AnyRegion:$wrap_all);
  let extraClassDeclaration = "double flops_per_point();";
  let hasRegionVerifier = 1;
  let assemblyFormat = [{
    `(` $inputs `)` (`captures` `(` $captures^ `)`)? `space` $space (`monoid` $monoid^)? `dims` $dims
    `commutative` $commutative $accumulate attr-dict `:` functional-type(operands, $results) $body
    (`zero` $zero^ `wrap` $wrap `merge` $merge `unwrap` $unwrap)?
    (`wrap_all` $wrap_all^)?
  }];
}

def Kolam_IterIndexOp : Kolam_PureOp<"iter_index", [ParentOneOf<["ZipMapReduceOp"]>]> {
  let summary = "the coordinate along a dimension of the iteration space";
  let description = "Counts over the space before the reduction, reduced dims included; wraps where the dtype is narrow.";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Kolam_Scalar:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
}

def Kolam_CumulativeOp : Kolam_PureOp<"cumulative"> {
  let summary = "running combination along a dimension, left to right";
  let description = [{
    `result[i] = x[0] fn ... fn x[i]` along `dim` (inclusive); from the other end with `reverse`; `exclusive` leaves
    out x[i] and starts with the identity. `function` names an elementwise row with an identity. The state of narrow
    floats is in f32 as in kolam.reduce; each result is rounded once.
  }];
  let arguments = (ins Kolam_Tensor:$operand, StrAttr:$function, I64Attr:$dim, BoolAttr:$reverse, BoolAttr:$exclusive);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$function $operand `dim` $dim attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = "double flops_per_point();";
}

def Kolam_GatherOp : Kolam_PureOp<"gather"> {
  let summary = "windows of the operand at places given by data";
  let description = [{
    operand [k..., s...], indices [k..., n..., D] of any integer dtype, k the first `batched_dims` dims, D the number of
    `dims`, which count from dim k. `result[k, n, o] = operand[k, start + o]`, `start[dims[c]] = indices[k, n, c]`, 0
    elsewhere; the window is `lengths[c]` along dims[c] and full elsewhere. Modes: `clip` moves the start into
    [0, s - length]; `fill` gives NaN, the lowest integer, the highest unsigned or true for a window not wholly inside;
    `wrap` takes each place modulo the extent; `promise` is `clip` whose caller promises; `check` must be inside.
    Source: SambaFlow sn_gather; reference/parallel_patterns sections 2 and 7.
  }];
  let arguments = (ins Kolam_Tensor:$operand, Kolam_Tensor:$indices, DenseI64ArrayAttr:$dims,
                       DenseI64ArrayAttr:$lengths, I64Attr:$batched_dims, StrAttr:$mode);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices $mode `dims` $dims `lengths` $lengths `batched` $batched_dims attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows # "std::vector<::kolam::ir::SizePromise> size_promises();";
}

def Kolam_ScatterOp : Kolam_PureOp<"scatter", [IsolatedFromAbove, AttrSizedOperandSegments]> {
  let summary = "the operands with windows combined in at places given by data";
  let description = [{
    destinations [k..., s...], updates [k..., n..., w...], indices [k..., n..., D] as in `gather`; the window w is the
    update's, full on dims that are not in `dims`. For each batch n in row-major order and each o:
    `result[k, start + o] = combine(result[k, start + o], update[k, n, o])`. A window not wholly inside is dropped
    (`drop`), or only its outside cells are (`element`); `clip`, `promise` and `check` as in gather. `combiner`: kUpdate,
    kAdd, kMul, kMin and kMax (insert only if smaller or larger), or `user` with a region (state..., update...,
    captures...) -> state... over rank-0 tensors and whole captures. Source: SambaFlow sn_scatter.
  }];
  let arguments = (ins Variadic<Kolam_Tensor>:$destinations, Variadic<Kolam_Tensor>:$updates, Kolam_Tensor:$indices,
                       Variadic<Kolam_Tensor>:$captures, DenseI64ArrayAttr:$dims, I64Attr:$batched_dims,
                       StrAttr:$combiner, BoolAttr:$unique_indices, StrAttr:$mode);
  let results = (outs Variadic<Kolam_Tensor>:$results);
  let regions = (region AnyRegion:$combine);
  let extraClassDeclaration = Kolam_DataDimRows # "double flops_per_point(); std::vector<::kolam::ir::SizePromise> size_promises();";
  let hasRegionVerifier = 1;
  let assemblyFormat = [{
    $combiner $mode `(` $destinations `)` `updates` `(` $updates `)` `at` $indices (`captures` `(` $captures^ `)`)?
    `dims` $dims `batched` $batched_dims `unique` $unique_indices attr-dict `:` functional-type(operands, $results) ($combine^)?
  }];
}

def Kolam_SortOp : Kolam_PureOp<"sort"> {
  let summary = "stable sort along the last dimension, with the places the elements came from";
  let description = "-0 equals +0, NaN counts as largest. Descending keeps equal elements in their order too.";
  let arguments = (ins Kolam_Tensor:$operand, BoolAttr:$descending);
  let results = (outs Kolam_Tensor:$values, Kolam_Tensor:$indices);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = "double flops_per_point();";
}

def Kolam_TopKOp : Kolam_PureOp<"top_k"> {
  let summary = "the k largest (or smallest) elements of the last dimension, in order, with their places";
  let description = "Equal elements come in the order of their places; NaN counts as largest.";
  let arguments = (ins Kolam_Tensor:$operand, I64Attr:$k, BoolAttr:$largest);
  let results = (outs Kolam_Tensor:$values, Kolam_Tensor:$indices);
  let assemblyFormat = "$operand `k` $k attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = "double flops_per_point(); std::vector<::kolam::ir::SizePromise> size_promises();";
}

#endif
