// The kolam dialect: its attributes, the constraint on values, and the classes every op is built from.
#ifndef KOLAM_IR_DIALECT
#define KOLAM_IR_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "kolam/ir/signed_op.td"

def Kolam_Dialect : Dialect {
  let name = "kolam";
  let cppNamespace = "::kolam::ir";
  let summary = "functional tensor operations that declare which region of each tensor each index touches";
  let description = [{
    A program is a module of `func.func` whose bodies hold these ops. Every op is total (defined for every input),
    regions are isolated (what a body captures is an operand), nothing is implicit (broadcasts and casts are ops),
    scalars are rank-0 tensors. Element types are real: `i32` is signed, `ui32` unsigned, `i1` boolean. Symbolic
    extents are in the type: `tensor<?x4xf32, #kolam.extents<["n + 1", "4"]>>`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def Kolam_ExtentsAttr : AttrDef<Kolam_Dialect, "Extents"> {
  let mnemonic = "extents";
  let summary = "extents or offsets, one expression over symbols per dimension, in normal form";
  let description = [{
    As the encoding of a tensor type it names the extents of all dimensions; the type's own sizes are `?` exactly
    where the expression is not a number. Expressions are written by `Extent::to_string`.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$dims);
  let assemblyFormat = "`<` $dims `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static ExtentsAttr of(::mlir::MLIRContext* context, const ::kolam::Shape& shape);
    ::kolam::Shape shape() const;
  }];
}

def Kolam_AccumulateAttr : AttrDef<Kolam_Dialect, "Accumulate"> {
  let mnemonic = "accumulate";
  let summary = "the order in which a reduction or contraction accumulates; part of the op's meaning";
  let description = [{
    `chunk<c>`: chunks of c elements, each left to right; chunks merge pairwise, an odd last one moves up.
    `lanes<l>, chunk<c>`: in a chunk element i goes to lane i mod l; lanes merge l with l + lanes/2, and so on.
    `chain<c>`: as `chunk`, each step a fused multiply-add from +0.0. `chain<c>, in order`: chunks merge left to right.
  }];
  let parameters = (ins "::kolam::Order":$order, "int64_t":$lanes, "int64_t":$chunk, "bool":$in_order);
  let hasCustomAssemblyFormat = 1;
}

// Any value of a program: a ranked tensor of one of the thirteen dtypes.
def Kolam_Tensor : Type<CPred<"::kolam::ir::is_program_type($_self)">,
    "a ranked tensor of bool, i8..i64, ui8..ui64, f16, bf16, f32 or f64", "::mlir::RankedTensorType">;
def Kolam_Scalar : Type<CPred<"::kolam::ir::is_program_type($_self) && ::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 0">,
    "a rank-0 tensor", "::mlir::RankedTensorType">;

// Of an op that says more than its signature about where the data dimension may lie.
defvar Kolam_DataDimRows = [{
  std::vector<::kolam::space::DataDimTable> data_dim_rows(const ::kolam::space::DataDimQuestion& question);
}];

// Every op signs, and has a verifier: no text that parses may crash a later stage.
class Kolam_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kolam_Dialect, mnemonic, !listconcat([DeclareOpInterfaceMethods<Kolam_SignedOpInterface>], traits)> {
  let hasVerifier = 1;
}

class Kolam_PureOp<string mnemonic, list<Trait> traits = []>
    : Kolam_Op<mnemonic, !listconcat([Pure], traits)>;

#endif
