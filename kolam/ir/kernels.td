// Kernels over blocks: mutable views of arrays, what reads and writes them, and the call that runs a kernel over a grid.
#ifndef KOLAM_IR_KERNELS
#define KOLAM_IR_KERNELS

include "kolam/ir/dialect.td"
include "mlir/IR/CommonAttrConstraints.td"

def Kolam_RefType : TypeDef<Kolam_Dialect, "Ref"> {
  let mnemonic = "ref";
  let summary = "a mutable view of elements of an array";
  let description = [{
    `!kolam.ref<tensor<8x128xf32>>` has the elements of a tensor of that type. Elements that lie outside of the array
    are read as the pad value of the array, and writes to them are dropped. Source: Pallas.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$value);
  let assemblyFormat = "`<` $value `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$value), [{
    return $_get(value.getContext(), value);
  }]>];
  let genVerifyDecl = 1;
}

def Kolam_Ref : Type<CPred<"::llvm::isa<::kolam::ir::RefType>($_self)">, "a ref", "::kolam::ir::RefType">;

// What is done to Refs happens in program order: none of these ops is pure but the views.
class Kolam_RefViewOp<string mnemonic, list<Trait> traits = []> : Kolam_PureOp<mnemonic, traits>;
class Kolam_RefOp<string mnemonic, list<Trait> traits = []> : Kolam_Op<mnemonic, traits>;

def Kolam_RefSliceOp : Kolam_RefViewOp<"ref_slice"> {
  let summary = "the elements of a box, with steps";
  let description = [{
    `result[i] = ref[starts + steps * i]`, one integer scalar of `starts` for each dim. Elements outside of the ref are
    outside of the array.
  }];
  let arguments = (ins Kolam_Ref:$ref, Variadic<Kolam_Scalar>:$starts, DenseI64ArrayAttr:$steps);
  let results = (outs Kolam_Ref:$result);
  let assemblyFormat = "$ref `at` `(` $starts `)` `steps` $steps attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_RefGatherOp : Kolam_RefViewOp<"ref_gather"> {
  let summary = "the elements at places given by data";
  let description = [{
    `result[b..., rest...] = ref[...]`, where coordinate `dims[k]` of the ref is `indices[b..., k]` and the others are
    `rest`, in order. The last extent of `indices` is the number of dims.
  }];
  let arguments = (ins Kolam_Ref:$ref, Kolam_Tensor:$indices, DenseI64ArrayAttr:$dims);
  let results = (outs Kolam_Ref:$result);
  let assemblyFormat = "$ref `at` $indices `dims` $dims attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_RefReshapeOp : Kolam_RefViewOp<"ref_reshape"> {
  let summary = "the same elements in another shape";
  let arguments = (ins Kolam_Ref:$ref);
  let results = (outs Kolam_Ref:$result);
  let assemblyFormat = "$ref attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_RefTransposeOp : Kolam_RefViewOp<"ref_transpose"> {
  let summary = "the dims of a ref in another order";
  let description = "Dim d of the result is dim `permutation[d]` of the ref.";
  let arguments = (ins Kolam_Ref:$ref, DenseI64ArrayAttr:$permutation);
  let results = (outs Kolam_Ref:$result);
  let assemblyFormat = "$ref `permutation` $permutation attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_RefBitcastOp : Kolam_RefViewOp<"ref_bitcast"> {
  let summary = "the same bits as elements of another dtype of the same width";
  let arguments = (ins Kolam_Ref:$ref);
  let results = (outs Kolam_Ref:$result);
  let assemblyFormat = "$ref attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_RefSelectOp : Kolam_RefViewOp<"ref_select"> {
  let summary = "one of several refs of one type";
  let description = "`refs[clip(selector)]`";
  let arguments = (ins Kolam_Scalar:$selector, Variadic<Kolam_Ref>:$refs);
  let results = (outs Kolam_Ref:$result);
  let assemblyFormat = "$selector `of` $refs attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_RefReadOp : Kolam_RefOp<"ref_read", [AttrSizedOperandSegments]> {
  let summary = "the elements of a ref";
  let description = [{
    Where `mask` is false nothing is read and the element is that of `other`; without `other`, and outside of the array,
    it is the pad value of the array.
  }];
  let arguments = (ins Kolam_Ref:$ref, Optional<Kolam_Tensor>:$mask, Optional<Kolam_Tensor>:$other);
  let results = (outs Kolam_Tensor:$result);
  let assemblyFormat = [{
    $ref (`mask` $mask^)? (`other` $other^)? attr-dict `:` functional-type(operands, $result)
  }];
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_RefWriteOp : Kolam_RefOp<"ref_write"> {
  let summary = "sets the elements of a ref";
  let description = [{
    `ref[i] = value[i]` where `mask[i]` holds. Of several that are one element of the array the last in row-major order
    stays.
  }];
  let arguments = (ins Kolam_Ref:$ref, Kolam_Tensor:$value, Optional<Kolam_Tensor>:$mask);
  let assemblyFormat = "$ref `,` $value (`mask` $mask^)? attr-dict `:` type(operands)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_RefUpdateOp : Kolam_RefOp<"ref_update", [AttrSizedOperandSegments]> {
  let summary = "updates the elements of a ref one by one, and gives what they were";
  let description = [{
    In row-major order, where `mask` holds: `old[i] = ref[i]; ref[i] = kind(old[i], value[i])`. Kinds are add, max, min,
    and, or, xor, exchange, and compare_exchange, which sets the value where the old one is `compare`. Elsewhere the old
    value is the pad value of the array.
  }];
  let arguments = (ins StrAttr:$kind, Kolam_Ref:$ref, Kolam_Tensor:$value, Optional<Kolam_Tensor>:$compare,
                       Optional<Kolam_Tensor>:$mask);
  let results = (outs Kolam_Tensor:$old);
  let assemblyFormat = [{
    $kind $ref `,` $value (`compare` $compare^)? (`mask` $mask^)? attr-dict `:` functional-type(operands, $old)
  }];
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_RefAllocOp : Kolam_RefOp<"ref_alloc"> {
  let summary = "an array of zeros that lives as long as the region runs";
  let results = (outs Kolam_Ref:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_KernelCallOp : Kolam_Op<"kernel_call", [IsolatedFromAbove, AttrSizedOperandSegments]> {
  let summary = "runs a kernel for each point of a grid";
  let description = [{
    For each point of the grid, row-major, the last axis fastest: the kernel runs on Refs of blocks. Its arguments are the
    coordinates of the point (i32 scalars), the first `prefetch` inputs whole, then a block of each other input and of
    each result, the scratch arrays, and the captures, which are tensors.

    `blocks` has an entry for each input behind the prefetched ones and each result (ir/block_spec.h). Its map, one of
    `maps`, takes the coordinates, the prefetched inputs as Refs and the captures, and gives an integer for each dim of
    the block: its number, or of an `element` dim where it starts in the padded array.

    Results and scratch arrays hold zeros at first; a result whose entry in `aliases` is not -1 is the memory of that
    input. Scratch arrays live as long as the call.

    `semantics` are the user's claims: points that differ along a "parallel" axis may run in any order. The interpreter
    takes them by `order`: "given", "reversed" or "random", with that seed. With `checks` a run fails where the kernel
    breaks a claim, reads or writes outside of a ref, or gives what was never written; results and scratch arrays then
    hold poison at first. `ref_names` are how errors call the refs of blocks and scratch arrays. `cost` is what the user
    says that the call costs: flops, transcendentals and bytes.
  }];
  let arguments = (ins StrAttr:$name, Kolam_ExtentsAttr:$grid, Variadic<Kolam_Tensor>:$inputs,
                       Variadic<Kolam_Tensor>:$captures, I64Attr:$prefetch, ArrayAttr:$blocks, TypeArrayAttr:$scratch,
                       DenseI64ArrayAttr:$aliases, StrArrayAttr:$semantics, UnitAttr:$checks,
                       OptionalAttr<StrAttr>:$order, OptionalAttr<I64Attr>:$seed, OptionalAttr<StrArrayAttr>:$ref_names,
                       OptionalAttr<DenseI64ArrayAttr>:$cost);
  let results = (outs Variadic<Kolam_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body, VariadicRegion<SizedRegion<1>>:$maps);
  let assemblyFormat = [{
    $name `grid` $grid `(` $inputs `)` (`captures` `(` $captures^ `)`)? `prefetch` $prefetch `blocks` $blocks `scratch`
    $scratch `aliases` $aliases `semantics` $semantics attr-dict `:` functional-type(operands, $results) $body `maps`
    $maps
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = Kolam_DataDimRows;
}

#endif
