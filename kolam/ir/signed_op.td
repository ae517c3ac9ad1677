// The interface that every op implements: which indices it has and which region of each tensor each index touches.
#ifndef KOLAM_IR_SIGNED_OP
#define KOLAM_IR_SIGNED_OP

include "mlir/IR/Interfaces.td"

def Kolam_SignedOpInterface : OpInterface<"SignedOp"> {
  let cppNamespace = "::kolam::ir";
  let description = [{
    Which indices an op has and which region of each operand and result each index touches.
    Whatever must know who touches what asks this and nothing else: tiling, fusion, dependences, sharding, checks, cost.
    Operands come in the op's order, then results.
  }];
  let methods = [
    InterfaceMethod<"The signature; extents may be symbolic. Needs a verified op.", "::kolam::space::Signature",
                    "signature", (ins)>,
    InterfaceMethod<"What is known of the op beside its signature: its row in `facts.cpp`.", "::kolam::ir::Facts",
                    "facts", (ins)>,
    InterfaceMethod<"Arithmetic operations for each index point, roughly: 0 for ops that only move elements.", "double",
                    "flops_per_point", (ins), "", "return 0;">,
    InterfaceMethod<[{
        What must hold between extents beyond what the signature says. Verifiers refuse what surely does not hold; what
        only the run can see is checked there.
      }], "::std::vector<::kolam::ir::SizePromise>", "size_promises", (ins), "", "return {};">,
    InterfaceMethod<[{
        The flat range of independent tasks into which an op that is emitted whole cuts its work. Nullopt: it is cut
        along the outermost dim of its result, where the signature allows it.
      }], "::std::optional<::kolam::Extent>", "task_count", (ins), "", "return ::std::nullopt;">,
    InterfaceMethod<[{
        Where the data dimension of operands, results and values of regions may lie, and what that costs. The default
        follows from the signature (ir/data_dim_rows.h): a row for each index dim that stands for the data dimension in
        what walks it. Its regions' own ops answer for themselves.
      }], "::std::vector<::kolam::space::DataDimTable>", "data_dim_rows",
                    (ins "const ::kolam::space::DataDimQuestion&":$question), "",
                    "return ::kolam::ir::data_dim_rows_by_signature($_op, question);">
  ];
}

#endif
