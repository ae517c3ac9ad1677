// Ops with bodies that are whole programs, the terminator of every region, and checks.
#ifndef KOLAM_IR_CONTROL
#define KOLAM_IR_CONTROL

include "kolam/ir/kernels.td"
include "kolam/ir/lists.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

// An op with program bodies: as pure as what they hold (a check inside keeps it), and checked against their arguments.
class Kolam_ControlOp<string mnemonic, list<Trait> traits = []>
    : Kolam_Op<mnemonic, !listconcat([IsolatedFromAbove, RecursiveMemoryEffects], traits)> {
  let hasRegionVerifier = 1;
}

// What a body may use from outside: of a Ref the elements that it has then.
def Kolam_Captured : AnyTypeOf<[Kolam_Tensor, Kolam_List, Kolam_Ref], "a tensor, a list or a ref">;

def Kolam_YieldOp : Kolam_PureOp<"yield", [Terminator, ReturnLike]> {
  let summary = "gives a region's results";
  let arguments = (ins Variadic<Kolam_Value>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::ValueRange());">];
}

def Kolam_ForOp : Kolam_ControlOp<"for", [AttrSizedOperandSegments]> {
  let summary = "a counted loop that carries a state";
  let description = [{
    `state = inits; for i in [lower, upper): state = body(i, state..., captures...); results = state`. The bounds are
    i32 or i64 scalars of one type, which is the type of i. The attribute `late`, one text for each state, names symbols
    that the loop binds: the leading extent of that state, which may change from turn to turn. Of those states whose
    numbers are in the attribute `appended` a turn gives what comes behind: `state = concat(state, body(...))`.
    The attribute `independent` promises that each cell of a state is written by one turn and read by no other.
    Lists among the states may have other lengths at each turn.
  }];
  let arguments = (ins Kolam_Scalar:$lower, Kolam_Scalar:$upper, Variadic<Kolam_Value>:$inits,
                       Variadic<Kolam_Captured>:$captures);
  let results = (outs Variadic<Kolam_Value>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `from` $lower `to` $upper `carry` `(` $inits `)` (`captures` `(` $captures^ `)`)? attr-dict `:`
    functional-type(operands, $results) $body
  }];
  let extraClassDeclaration = Kolam_DataDimRows # [{
    /// Whether a turn gives what comes behind a state's rows.
    bool is_appended(size_t state);
    void set_appended(::llvm::ArrayRef<int64_t> states);
  }];
}

def Kolam_WhileOp : Kolam_ControlOp<"while", [AttrSizedOperandSegments]> {
  let summary = "a loop that runs while a condition on its state holds";
  let description = [{
    `while condition(state..., captures...): state = body(state..., captures...)`. The condition yields a bool scalar.
    Lists among the states may have other lengths at each turn; `late` and `appended` are as in `for`.
  }];
  let arguments = (ins Variadic<Kolam_Value>:$inits, Variadic<Kolam_Captured>:$captures);
  let results = (outs Variadic<Kolam_Value>:$results);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = [{
    `carry` `(` $inits `)` (`captures` `(` $captures^ `)`)? attr-dict `:` functional-type(operands, $results) $condition
    `do` $body
  }];
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_CondOp : Kolam_ControlOp<"cond"> {
  let summary = "one of several branches";
  let description = [{
    `results = branches[clip(selector)](captures...)`; a bool selector picks branch 0 for false, 1 for true. The attribute
    `late`, one text for each result, names symbols that the op binds: the leading extent of what the branch gives.
  }];
  let arguments = (ins Kolam_Scalar:$selector, Variadic<Kolam_Captured>:$captures);
  let results = (outs Variadic<Kolam_Value>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let assemblyFormat = [{
    $selector (`captures` `(` $captures^ `)`)? attr-dict `:` functional-type(operands, $results) $branches
  }];
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_ScanOp : Kolam_ControlOp<"scan", [AttrSizedOperandSegments]> {
  let summary = "a loop over slices that carries a state and stacks what each step gives";
  let description = [{
    `for t: (state..., y...) = body(state..., xs[t]..., captures...)`, t from 0 to length - 1, or down with `reverse`.
    Results are the last state, then the stacked y, whose leading extent is `length`, the leading extent of every x.
  }];
  let arguments = (ins Variadic<Kolam_Tensor>:$inits, Variadic<Kolam_Tensor>:$xs, Variadic<Kolam_Captured>:$captures,
                       Kolam_ExtentsAttr:$length, BoolAttr:$reverse);
  let results = (outs Variadic<Kolam_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `carry` `(` $inits `)` `over` `(` $xs `)` (`captures` `(` $captures^ `)`)? `length` $length `reverse` $reverse
    attr-dict `:` functional-type(operands, $results) $body
  }];
  let extraClassDeclaration = Kolam_DataDimRows;
}

def Kolam_CompositeOp : Kolam_ControlOp<"composite"> {
  let summary = "a part of a program that transformations know by its name";
  let description = [{
    `results = body(operands...)`. A transformation that knows `name` (derivatives, batches) takes the op as one, and reads
    its other attributes; all else reads the body. `rules` are the user's own derivatives: each takes the operands behind
    arguments of its own. No stage behind transforms sees the op: its body takes its place (`transform/custom_partitioning.h`).
  }];
  let arguments = (ins StrAttr:$name, Variadic<Kolam_Captured>:$operands);
  let results = (outs Variadic<Kolam_Value>:$results);
  let regions = (region SizedRegion<1>:$body, VariadicRegion<SizedRegion<1>>:$rules);
  let assemblyFormat = [{
    $name `(` $operands `)` attr-dict `:` functional-type($operands, $results) $body (`rules` $rules^)?
  }];
}

def Kolam_CheckOp : Kolam_Op<"check"> {
  let summary = "stops the program with an error where a condition is false";
  let description = [{
    Raises `[slug] message` with the lowest row-major index at which `condition` is false. Not pure: it is kept, and
    checks of a program are tried in program order.
  }];
  let arguments = (ins Kolam_Tensor:$condition, StrAttr:$slug, StrAttr:$message);
  let assemblyFormat = "$condition $slug $message attr-dict `:` type($condition)";
  let extraClassDeclaration = [{
    /// The two lists that the condition says to be of one length; none of another condition.
    ::llvm::SmallVector<::mlir::Value, 2> lists_of_one_length();
  }];
}

def Kolam_OpaqueCallOp : Kolam_Op<"opaque_call"> {
  let summary = "a call of a function of the process";
  let description = [{
    `results = callee(inputs)`, where `callee` is the name of a registered host function (runtime/host_functions.h).
    Nothing is known of it: it runs whole, is never dropped and keeps its place in program order.
  }];
  let arguments = (ins StrAttr:$callee, Variadic<Kolam_Tensor>:$inputs);
  let results = (outs Variadic<Kolam_Tensor>:$results);
  let assemblyFormat = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

#endif
