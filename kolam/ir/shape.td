// Ops that only move elements: each result element is one operand element (or a pad value).
#ifndef KOLAM_IR_SHAPE
#define KOLAM_IR_SHAPE

include "kolam/ir/dialect.td"

class Kolam_UnaryShapeOp<string mnemonic, dag attributes> : Kolam_PureOp<mnemonic> {
  let arguments = !con((ins Kolam_Tensor:$operand), attributes);
  let results = (outs Kolam_Tensor:$result);
}

def Kolam_BroadcastOp : Kolam_UnaryShapeOp<"broadcast", (ins DenseI64ArrayAttr:$dims)> {
  let summary = "repeats along new or unit dimensions";
  let description = [{
    `result[i] = operand[j]`, `j[d] = i[dims[d]]`, or 0 where the operand's extent is 1. `dims` is strictly increasing.
  }];
  let assemblyFormat = "$operand $dims attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_ExpandDimsOp
    : Kolam_UnaryShapeOp<"expand_dims", (ins DenseI64ArrayAttr:$dims, UnitAttr:$keeps_dims)> {
  let summary = "inserts dimensions of extent 1";
  let description = [{
    `dims` are the places of the new dimensions in the result, strictly increasing. With `keeps_dims` they are those that
    the reduction of the same call took away, and the data dimension may be one of them (docs/data_dimension.md).
  }];
  let assemblyFormat = "$operand $dims (`keeps_dims` $keeps_dims^)? attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_SqueezeOp : Kolam_UnaryShapeOp<"squeeze", (ins DenseI64ArrayAttr:$dims)> {
  let summary = "removes dimensions of extent 1";
  let description = "`dims` are the places of the removed dimensions in the operand, strictly increasing.";
  let assemblyFormat = "$operand $dims attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_ReshapeOp : Kolam_UnaryShapeOp<"reshape", (ins)> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    `result[i] = operand[unravel(ravel(i))]`. The products of extents are equal, as expressions or, where only the
    run can see it, as checked then.
  }];
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = Kolam_DataDimRows # "std::vector<::kolam::ir::SizePromise> size_promises();";
}

def Kolam_TransposeOp : Kolam_UnaryShapeOp<"transpose", (ins DenseI64ArrayAttr:$permutation)> {
  let summary = "permutes dimensions";
  let description = "Dim d of the result is dim `permutation[d]` of the operand.";
  let assemblyFormat = "$operand $permutation attr-dict `:` type($operand) `->` type($result)";
}

def Kolam_SliceOp : Kolam_UnaryShapeOp<"slice", (ins Kolam_ExtentsAttr:$starts, DenseI64ArrayAttr:$steps)> {
  let summary = "a strided box of the operand";
  let description = "`result[i] = operand[starts + steps i]`. Steps are positive; the box lies inside the operand.";
  let assemblyFormat = "$operand $starts $steps attr-dict `:` type($operand) `->` type($result)";
}

def Kolam_ReverseOp : Kolam_UnaryShapeOp<"reverse", (ins DenseI64ArrayAttr:$dims)> {
  let summary = "reverses the order of elements along dimensions";
  let description = "`result[i] = operand[j]`, `j[d] = extent(d) - 1 - i[d]` for d in dims.";
  let assemblyFormat = "$operand $dims attr-dict `:` type($operand) `->` type($result)";
}

def Kolam_ViewOp : Kolam_UnaryShapeOp<"view", (ins Kolam_ExtentsAttr:$starts, DenseI64ArrayAttr:$coefficients)> {
  let summary = "elements at affine functions of the index";
  let description = [{
    `result[i] = operand[j]`, `j[d] = starts[d] + sum over e of coefficients[d rank(result) + e] i[e]`: windows that
    overlap, diagonals, slices whose steps are negative. All elements lie inside the operand.
  }];
  let assemblyFormat = "$operand $starts $coefficients attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = [{
    ::kolam::space::AffineMap map();
  }];
}

def Kolam_ConcatOp : Kolam_PureOp<"concat"> {
  let summary = "joins operands along a dimension";
  let description = "Each operand is a partial write into one result, at the sum of the extents before it.";
  let arguments = (ins Variadic<Kolam_Tensor>:$operands, I64Attr:$dim);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$operands `dim` $dim attr-dict `:` functional-type($operands, $result)";
  let extraClassDeclaration = [{
    /// The op as partial writes: piece p, indexed by its own elements, owns its part of the result.
    std::vector<::kolam::space::Signature> partial_writes();
  }];
}

def Kolam_PadOp : Kolam_PureOp<"pad"> {
  let summary = "adds elements around the operand";
  let description = [{
    `result[i] = operand[i - low]` where inside, else by `mode`: `constant` gives `value`, `edge` the nearest cell,
    `reflect` mirrors without repeating the edge (period 2n - 2; n = 1 repeats the cell), `wrap` continues
    periodically. `low` and `high` are >= 0; edge, reflect and wrap need a non-empty operand dim where they pad.
  }];
  let arguments = (ins Kolam_Tensor:$operand, Kolam_Scalar:$value, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       StrAttr:$mode);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$operand `,` $value $mode `low` $low `high` $high attr-dict `:` type($operand) `,` type($value) `->` type($result)";
  let extraClassDeclaration = "std::vector<::kolam::ir::SizePromise> size_promises();";
}

def Kolam_DynamicSliceOp : Kolam_PureOp<"dynamic_slice"> {
  let summary = "a box of the operand at a start known at run time";
  let description = [{
    `result[i] = operand[s + i]`, `s[d] = clip(starts[d], 0, extent(d) - size(d))`. One integer scalar per dimension.
  }];
  let arguments = (ins Kolam_Tensor:$operand, Variadic<Kolam_Scalar>:$starts);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$operand `[` $starts `]` attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows # "std::vector<::kolam::ir::SizePromise> size_promises();";
}

def Kolam_DynamicUpdateSliceOp : Kolam_PureOp<"dynamic_update_slice"> {
  let summary = "the operand with a box replaced, at a start known at run time";
  let description = "Starts clip as in `dynamic_slice`, so that the whole update lies inside.";
  let arguments = (ins Kolam_Tensor:$operand, Kolam_Tensor:$update, Variadic<Kolam_Scalar>:$starts);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$operand `,` $update `[` $starts `]` attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows # "std::vector<::kolam::ir::SizePromise> size_promises();";
}

#endif
