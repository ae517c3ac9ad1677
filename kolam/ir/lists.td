// Nested ragged lists of equal tensors: their type, and the ops that make, read and run over them.
#ifndef KOLAM_IR_LISTS
#define KOLAM_IR_LISTS

include "kolam/ir/dialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Kolam_ListType : TypeDef<Kolam_Dialect, "List"> {
  let mnemonic = "list";
  let summary = "a list of tensors, or of lists, all of one type";
  let description = [{
    Depth and leaf type are part of the type, lengths are not: they may differ from list to list and from run to run.
    `!kolam.list<!kolam.list<tensor<1x64xf32>>>` has depth 2. Source: FractalTensor.
  }];
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t depth() const;
    ::mlir::RankedTensorType leaf() const;
  }];
}

def Kolam_List : Type<CPred<"::llvm::isa<::kolam::ir::ListType>($_self)">, "a list", "::kolam::ir::ListType">;
def Kolam_Value : AnyTypeOf<[Kolam_Tensor, Kolam_List], "a tensor or a list">;

// Lists may be found too short or unequal at run time, so no op on them is pure.
class Kolam_ListOp<string mnemonic, list<Trait> traits = []> : Kolam_Op<mnemonic, traits>;
class Kolam_ListBodyOp<string mnemonic, list<Trait> traits = []>
    : Kolam_ListOp<mnemonic, !listconcat([IsolatedFromAbove, AttrSizedOperandSegments], traits)> {
  let hasRegionVerifier = 1;
}

def Kolam_PackOp : Kolam_ListOp<"pack"> {
  let summary = "a list from its leaves and offsets";
  let description = [{
    leaves [n, leaf...]; offsets, outermost first, each an i64 vector: element i of a level begins at `offsets[i]` of the
    next and ends at `offsets[i + 1]`; depth is their number plus one. Raises `[list-offsets]` unless offsets begin with
    0, never decrease and end with the next level's count.
  }];
  let arguments = (ins Kolam_Tensor:$leaves, Variadic<Kolam_Tensor>:$offsets);
  let results = (outs Kolam_List:$result);
  let assemblyFormat = "$leaves (`offsets` `(` $offsets^ `)`)? attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_UnpackOp : Kolam_ListOp<"unpack"> {
  let summary = "the leaves and offsets of a list";
  let description = [{
    The opposite of `pack`. Binds a symbol for each level, outermost first: the number of its elements. So leaves have
    extents [last symbol, leaf...], offsets of level k [symbol k + 1].
  }];
  let arguments = (ins Kolam_List:$list, StrArrayAttr:$symbols);
  let results = (outs Kolam_Tensor:$leaves, Variadic<Kolam_Tensor>:$offsets);
  let assemblyFormat = "$list `symbols` $symbols attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_ListLengthOp : Kolam_ListOp<"list_length"> {
  let summary = "the number of elements of the outermost level, an i64 scalar";
  let arguments = (ins Kolam_List:$list);
  let results = (outs Kolam_Scalar:$result);
  let assemblyFormat = "$list attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_ListIndexOp : Kolam_ListOp<"list_index"> {
  let summary = "one element";
  let description = [{
    `result = list[i]`; an i below 0 counts from the end. Raises `[list-index]` outside. The index is an i64 scalar.
    With the attribute `or_zeros`, of a list of tensors, an element outside is zeros.
  }];
  let arguments = (ins Kolam_List:$list, Kolam_Scalar:$index);
  let results = (outs Kolam_Value:$result);
  let assemblyFormat = "$list `[` $index `]` attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_AccessOp : Kolam_ListOp<"access", [AttrSizedOperandSegments]> {
  let summary = "elements at places given by expressions";
  let description = [{
    `result[j0] = list[index(j0)]` or `result[j0][j1] = list[index(j0, j1)]`: one or two new outer dims in place of one or
    two of the list's (two indices: `list[index[0]][index[1]]`). `lengths[d]` is that of dim d, which may use the `j`
    before it; lengths below 0 are 0. Expressions are extents over `j0`, `j1`, `L` (the list's length), `N` (the number
    of elements two levels down) and `a0`, `a1`... (the i64 `scalars`). Outside the list an element is `pad`, a
    tensor or (with two indices never) nothing: then the op raises `[list-index]`, and for the second of two indices
    `[list-lengths]`.
  }];
  let arguments = (ins Kolam_List:$list, Variadic<Kolam_Scalar>:$scalars, Optional<Kolam_Tensor>:$pad,
                       StrArrayAttr:$lengths, StrArrayAttr:$index);
  let results = (outs Kolam_List:$result);
  let assemblyFormat = [{
    $list (`scalars` `(` $scalars^ `)`)? (`pad` `(` $pad^ `)`)? `lengths` $lengths `index` $index attr-dict `:`
    functional-type(operands, $result)
  }];
  let extraClassDeclaration = Kolam_DataDimRows # [{
    /// The expressions of an attribute; those of a verified op are well formed.
    static ::kolam::Shape expressions(::mlir::ArrayAttr attr);
  }];
}

def Kolam_ListPositionsOp : Kolam_ListOp<"list_positions"> {
  let summary = "0, 1, ... for the elements of a list: i64 scalars";
  let arguments = (ins Kolam_List:$list);
  let results = (outs Kolam_List:$result);
  let assemblyFormat = "$list attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_JoinOp : Kolam_ListOp<"join"> {
  let summary = "lists of one type, one after the other";
  let arguments = (ins Variadic<Kolam_List>:$lists);
  let results = (outs Kolam_List:$result);
  let assemblyFormat = "$lists attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_FlattenOp : Kolam_ListOp<"flatten"> {
  let summary = "the elements of all elements: the two outer levels become one";
  let arguments = (ins Kolam_List:$list);
  let results = (outs Kolam_List:$result);
  let assemblyFormat = "$list attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_ListFilterOp : Kolam_ListOp<"list_filter"> {
  let summary = "the elements whose mask is true, in order";
  let description = "`mask` is a list of bool scalars of the same length; else the op raises `[list-lengths]`.";
  let arguments = (ins Kolam_List:$list, Kolam_List:$mask);
  let results = (outs Kolam_List:$result);
  let assemblyFormat = "$list `,` $mask attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_ListMapOp : Kolam_ListBodyOp<"list_map"> {
  let summary = "a body for each element";
  let description = [{
    `results[i] = body(lists[i]..., captures...)`, instances independent. Lists of unequal lengths raise
    `[list-lengths]`.
  }];
  let arguments = (ins Variadic<Kolam_List>:$lists, Variadic<Kolam_Value>:$captures);
  let results = (outs Variadic<Kolam_List>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `over` `(` $lists `)` (`captures` `(` $captures^ `)`)? attr-dict `:` functional-type(operands, $results) $body
  }];
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_ListScanOp : Kolam_ListBodyOp<"list_scan"> {
  let summary = "a body for each element that carries a state";
  let description = [{
    `state = inits; for i: state = body(state..., lists[i]..., captures...)`, i from the first element on, or from the
    last with `reverse`. Results are the last states, then a list of all of each: place i holds the state after element i.
    Of an empty list the last states are the initial ones. `associative` lets chunks of 4096 elements start from the
    combination of those before (accumulate order of associative_scan). Unequal lengths raise `[list-lengths]`.
    `after_first`: the lists lack their first element (with `reverse` the last), which is the initial state; errors and
    chunks count it. A note for readers: `is_reduce`, written as a reduce whose state is of another type than its elements.
  }];
  let arguments = (ins Variadic<Kolam_Value>:$inits, Variadic<Kolam_List>:$lists, Variadic<Kolam_Value>:$captures,
                       BoolAttr:$reverse, BoolAttr:$associative, UnitAttr:$after_first, UnitAttr:$is_reduce);
  let results = (outs Variadic<Kolam_Value>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `carry` `(` $inits `)` `over` `(` $lists `)` (`captures` `(` $captures^ `)`)? `reverse` $reverse `associative`
    $associative attr-dict `:` functional-type(operands, $results) $body
  }];
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_ListReduceOp : Kolam_ListBodyOp<"list_reduce"> {
  let summary = "the elements combined by an associative body";
  let description = [{
    `body(state..., state..., captures...)` merges two states. Chunks of 64 elements are combined left to right and merged
    pairwise (2c, 2c + 1; an odd last one moves up); numbers that a body of one commutative function combines go by
    lanes, as those of kolam.reduce along the last dim (ir/reduction.h). The initial state, where there is one, comes
    first: `body(init, merged)`. Of an empty list the results are the initial states; without these it raises `[list-empty]`.
    Unequal lengths raise `[list-lengths]`.
  }];
  let arguments = (ins Variadic<Kolam_Value>:$inits, Variadic<Kolam_List>:$lists, Variadic<Kolam_Value>:$captures);
  let results = (outs Variadic<Kolam_Value>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `from` `(` $inits `)` `over` `(` $lists `)` (`captures` `(` $captures^ `)`)? attr-dict `:`
    functional-type(operands, $results) $body
  }];
  let extraClassDeclaration = Kolam_DataDimRows;
}

#endif
