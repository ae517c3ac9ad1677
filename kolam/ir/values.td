// Ops that make values, and those that act element by element.
#ifndef KOLAM_IR_VALUES
#define KOLAM_IR_VALUES

include "kolam/ir/dialect.td"

def Kolam_ConstantOp : Kolam_PureOp<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a literal";
  let description = "`result = value`. The shape is static.";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def Kolam_ExtentOp : Kolam_PureOp<"extent"> {
  let summary = "the value of an extent expression";
  let description = "`result = expression`, evaluated with the sizes of the call: an i64 scalar.";
  let arguments = (ins StrAttr:$expression);
  let results = (outs Kolam_Scalar:$result);
  let assemblyFormat = "$expression attr-dict `:` type($result)";
}

def Kolam_EmptyOp : Kolam_Op<"empty"> {
  let summary = "memory to be written";
  let description = [{
    A tensor whose cells something writes before anything reads them; until then they are unspecified. Not pure: each
    is memory of its own, which whoever writes it may take over.
  }];
  let results = (outs Res<Kolam_Tensor, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Kolam_BindExtentOp : Kolam_Op<"bind_extent"> {
  let summary = "gives a symbol the value of a scalar";
  let description = [{
    `symbol = max(size, 0)`: the size of what follows, known only to the running program. A symbol is bound by one op,
    inside a loop at each turn anew.
  }];
  let arguments = (ins Kolam_Scalar:$size, StrAttr:$symbol);
  let assemblyFormat = "$symbol `,` $size attr-dict `:` type($size)";
}

def Kolam_IotaOp : Kolam_PureOp<"iota"> {
  let summary = "the coordinate along one dimension";
  let description = "`result[i] = cast(i[dim])`, wrapping where the dtype is too narrow.";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
}

def Kolam_RandomBitsOp : Kolam_PureOp<"random_bits"> {
  let summary = "random bits as a function of key and position";
  let description = [{
    `result[k.., i..] = generator(key[k.., 0:2], ravel(i))`, row-major in the extents of i, for ui8 to ui64; a key of
    rank 1 is shared by all cells. `threefry` is JAX's partitionable threefry2x32-20 (jax/_src/prng.py); `philox` is
    philox4x32-10 with counter index/4.
  }];
  let arguments = (ins Kolam_Tensor:$key, StrAttr:$generator);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$generator $key attr-dict `:` type($key) `->` type($result)";
  let extraClassDeclaration = "double flops_per_point();";
}

def Kolam_RandomBlockOp : Kolam_PureOp<"random_block"> {
  let summary = "one block of the generator on given counters";
  let description = [{
    `result[.., 0:2] = threefry2x32(key[.., 0:2], counter[.., 0:2])`, all ui32: the primitive of `split` and `fold_in`.
  }];
  let arguments = (ins Kolam_Tensor:$key, Kolam_Tensor:$counter);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$key `,` $counter attr-dict `:` type($key) `,` type($counter) `->` type($result)";
  let extraClassDeclaration = "double flops_per_point();";
}

def Kolam_CastOp : Kolam_PureOp<"cast"> {
  let summary = "value conversion, element by element";
  let description = [{
    Float to integer saturates and NaN gives 0; integer to integer wraps; to bool is `x != 0`; to a narrower float
    rounds to nearest even, once.
  }];
  let arguments = (ins Kolam_Tensor:$operand);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = "double flops_per_point();";
}

def Kolam_BitcastOp : Kolam_PureOp<"bitcast"> {
  let summary = "the same bits as another dtype of the same width";
  let description = "From float, every NaN becomes the positive quiet one first.";
  let arguments = (ins Kolam_Tensor:$operand);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def Kolam_ElementwiseOp : Kolam_PureOp<"elementwise"> {
  let summary = "a function of the elementwise table, element by element";
  let description = [{
    `result[i] = fn(operands[0][i], ...)`. All operands have the result's extents. The table
    (support/elementwise.h) gives arity, dtype rule, meaning and accuracy of each function.
  }];
  let arguments = (ins StrAttr:$function, Variadic<Kolam_Tensor>:$operands);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$function $operands attr-dict `:` functional-type($operands, $result)";
  let extraClassDeclaration = "double flops_per_point();";
}

def Kolam_MaterializeOp : Kolam_PureOp<"materialize"> {
  let summary = "the same elements, in memory";
  let description = [{
    `result[i] = operand[i]`. What reads the result loads its elements; it never computes them again.
  }];
  let arguments = (ins Kolam_Tensor:$operand);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def Kolam_PinOp : Kolam_PureOp<"pin"> {
  let summary = "says which dim is the data dimension, and what dims are called";
  let description = [{
    `result = operand`, whose data dimension is `dim` (docs/data_dimension.md). `names` holds a name for each dim, `""`
    for none. The CPU stores the result with that dim last, or computes it in vectors along it.
  }];
  let arguments = (ins Kolam_Tensor:$operand, I64Attr:$dim, OptionalAttr<StrArrayAttr>:$names);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = "$operand $dim ($names^)? attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_TogetherOp : Kolam_PureOp<"together"> {
  let summary = "several values whose elements are computed by one loop nest";
  let description = [{
    `results[k][i] = operands[k][i]`. All have the same extents. The nest list has these ops; no front end makes them.
  }];
  let arguments = (ins Variadic<Kolam_Tensor>:$operands);
  let results = (outs Variadic<Kolam_Tensor>:$results);
  let assemblyFormat = "$operands attr-dict `:` functional-type($operands, $results)";
}

#endif
