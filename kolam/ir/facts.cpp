// The facts of every op, a row each. An op without one does not link.
#include "kolam/ir/facts.h"

#include "kolam/ir/element_loop.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"

namespace kolam::ir {
namespace {

bool is_splat(ConstantOp op) {
  return llvm::cast<mlir::DenseElementsAttr>(op.getValue()).isSplat();
}

bool asks_for_index(ZipMapReduceOp op) {
  return op->walk([](IterIndexOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

/// A loop over single elements stands in a nest, or is one.
Runs runs_of(mlir::Operation* loop) {
  if (is_by_elements(loop))
    return Runs::elements;
  return pointwise(loop).why_not.empty() ? Runs::elements : Runs::step;
}

/// Of a loop, what the ops of its bodies do.
bool reads_index(mlir::Operation* loop) {
  return loop
      ->walk([&](mlir::Operation* op) {
        bool is_program = llvm::isa<ForOp, WhileOp, ScanOp, CondOp, YieldOp>(op);
        return !is_program && facts_of(op).reads_index ? mlir::WalkResult::interrupt()
                                                       : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// A window outside is filled or wrapped, or moved inside.
View window_of(GatherOp op) {
  return op.getMode() == "fill" || op.getMode() == "wrap" ? View::none : View::by_data;
}

} // namespace

// clang-format off
//                                             runs           view           order  reads index            bodies               again         factor effect          from lists          checked
Facts BroadcastOp::facts()           { return {Runs::elements,View::by_map,  false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ExpandDimsOp::facts()          { return {Runs::elements,View::by_map,  true,  false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts SqueezeOp::facts()             { return {Runs::elements,View::by_map,  true,  false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ReshapeOp::facts()             { return {Runs::elements,View::by_map,  true,  false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts TransposeOp::facts()           { return {Runs::elements,View::by_map,  false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts SliceOp::facts()               { return {Runs::elements,View::by_map,  false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ReverseOp::facts()             { return {Runs::elements,View::by_map,  false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ViewOp::facts()                { return {Runs::elements,View::by_map,  false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ConcatOp::facts()              { return {Runs::elements,View::none,    false, false,                 Bodies::none,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts PadOp::facts()                 { return {Runs::elements,View::none,    false, false,                 Bodies::none,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts DynamicSliceOp::facts()        { return {Runs::elements,View::by_data, false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::bounds}; }
Facts DynamicUpdateSliceOp::facts()  { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::bounds}; }
Facts ConstantOp::facts()            { return {Runs::elements,View::none,    false, !is_splat(*this),      Bodies::none,        Again::free,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ExtentOp::facts()              { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::free,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts IotaOp::facts()                { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::free,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts RandomBitsOp::facts()          { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts RandomBlockOp::facts()         { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts EmptyOp::facts()               { return {Runs::step,    View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::memory, FromLists::none,    Checked::nothing}; }
Facts BindExtentOp::facts()          { return {Runs::step,    View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::symbol, FromLists::none,    Checked::nothing}; }
Facts CastOp::facts()                { return {Runs::elements,View::none,    false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::overflow}; }
Facts BitcastOp::facts()             { return {Runs::elements,View::none,    false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts MaterializeOp::facts()         { return {Runs::elements,View::none,    false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts PinOp::facts()                 { return {Runs::elements,View::none,    false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts TogetherOp::facts()            { return {Runs::elements,View::none,    false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ElementwiseOp::facts()         { return {Runs::elements,View::none,    false, false,                 Bodies::none,        Again::cheap, false, Effect::none,   FromLists::none,    Checked::nan | Checked::overflow}; }
Facts ContractOp::facts()            { return {Runs::elements,View::none,    false, false,                 Bodies::none,        Again::dear,  true,  Effect::none,   FromLists::none,    Checked::nan | Checked::overflow}; }
Facts ConvolutionOp::facts()         { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::dear,  true,  Effect::none,   FromLists::none,    Checked::nan | Checked::overflow}; }
Facts AttentionOp::facts()           { return {Runs::elements,View::none,    false, true,                  Bodies::of_elements, Again::dear,  true,  Effect::none,   FromLists::none,    Checked::nan}; }
Facts ReduceOp::facts()              { return {Runs::elements,View::none,    false, false,                 Bodies::of_elements, Again::dear,  false, Effect::none,   FromLists::none,    Checked::nan | Checked::overflow}; }
Facts SegmentIdsOp::facts()          { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::free,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts SegmentReduceOp::facts()       { return {Runs::elements,View::none,    false, true,                  Bodies::of_elements, Again::dear,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ZipMapReduceOp::facts()        { return {Runs::elements,View::none,    false, asks_for_index(*this), Bodies::of_elements, Again::fair,  false, Effect::none,   FromLists::none,    Checked::nan | Checked::overflow}; }
Facts IterIndexOp::facts()           { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts CumulativeOp::facts()          { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::dear,  false, Effect::none,   FromLists::none,    Checked::nan | Checked::overflow}; }
Facts CompressOp::facts()            { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::dear,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts GatherOp::facts()              { return {Runs::elements,window_of(*this),false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::bounds}; }
Facts ScatterOp::facts()             { return {Runs::elements,View::none,    false, true,                  Bodies::of_elements, Again::dear,  false, Effect::none,   FromLists::none,    Checked::nan | Checked::overflow | Checked::bounds}; }
Facts SortOp::facts()                { return {Runs::step,    View::none,    false, true,                  Bodies::none,        Again::dear,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts TopKOp::facts()                { return {Runs::step,    View::none,    false, true,                  Bodies::none,        Again::dear,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ForOp::facts()                 { return {runs_of(*this), View::none, false, reads_index(*this),                  Bodies::in_turn,     Again::dear,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts WhileOp::facts()               { return {runs_of(*this), View::none, false, reads_index(*this),                  Bodies::in_turn,     Again::dear,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ScanOp::facts()                { return {runs_of(*this), View::none, false, reads_index(*this),                  Bodies::in_turn,     Again::dear,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts CondOp::facts()                { return {Runs::step,    View::none,    false, true,                  Bodies::once,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts CompositeOp::facts()           { return {Runs::composites,View::none,   false, true,                  Bodies::once,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts CheckOp::facts()               { return {Runs::elements,View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::check,  FromLists::none,    Checked::nothing}; }
Facts OpaqueCallOp::facts()          { return {Runs::step,    View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::host,   FromLists::none,    Checked::nothing}; }
Facts YieldOp::facts()               { return {Runs::ends,    View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts PackOp::facts()                { return {Runs::lists,   View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::other,   Checked::nothing}; }
Facts UnpackOp::facts()              { return {Runs::lists,   View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ListLengthOp::facts()          { return {Runs::lists,   View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::lengths, Checked::nothing}; }
Facts ListPositionsOp::facts()       { return {Runs::lists,   View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::lengths, Checked::nothing}; }
Facts ListIndexOp::facts()           { return {Runs::lists,   View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::part,    Checked::nothing}; }
Facts FlattenOp::facts()             { return {Runs::lists,   View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::part,    Checked::nothing}; }
Facts AccessOp::facts()              { return {Runs::lists,   View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::other,   Checked::nothing}; }
Facts JoinOp::facts()                { return {Runs::lists,   View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::other,   Checked::nothing}; }
Facts ListFilterOp::facts()          { return {Runs::lists,   View::none,    false, true,                  Bodies::none,        Again::fair,  false, Effect::none,   FromLists::other,   Checked::nothing}; }
Facts ListMapOp::facts()             { return {Runs::lists,   View::none,    false, true,                  Bodies::of_lists,    Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ListScanOp::facts()            { return {Runs::lists,   View::none,    false, true,                  Bodies::of_lists,    Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts ListReduceOp::facts()          { return {Runs::lists,   View::none,    false, true,                  Bodies::of_lists,    Again::fair,  false, Effect::none,   FromLists::none,    Checked::nothing}; }
Facts RefSliceOp::facts()            { return {Runs::kernels, View::none,    false, true,                  Bodies::none,         Again::fair,  false, Effect::none,    FromLists::none,    Checked::nothing}; }
Facts RefGatherOp::facts()           { return {Runs::kernels, View::none,    false, true,                  Bodies::none,         Again::fair,  false, Effect::none,    FromLists::none,    Checked::nothing}; }
Facts RefReshapeOp::facts()          { return {Runs::kernels, View::none,    false, true,                  Bodies::none,         Again::fair,  false, Effect::none,    FromLists::none,    Checked::nothing}; }
Facts RefTransposeOp::facts()        { return {Runs::kernels, View::none,    false, true,                  Bodies::none,         Again::fair,  false, Effect::none,    FromLists::none,    Checked::nothing}; }
Facts RefBitcastOp::facts()          { return {Runs::kernels, View::none,    false, true,                  Bodies::none,         Again::fair,  false, Effect::none,    FromLists::none,    Checked::nothing}; }
Facts RefSelectOp::facts()           { return {Runs::kernels, View::none,    false, true,                  Bodies::none,         Again::fair,  false, Effect::none,    FromLists::none,    Checked::nothing}; }
Facts RefReadOp::facts()             { return {Runs::kernels, View::none,    false, true,                  Bodies::none,         Again::fair,  false, Effect::memory,  FromLists::none,    Checked::nothing}; }
Facts RefWriteOp::facts()            { return {Runs::kernels, View::none,    false, true,                  Bodies::none,         Again::fair,  false, Effect::memory,  FromLists::none,    Checked::nothing}; }
Facts RefUpdateOp::facts()           { return {Runs::kernels, View::none,    false, true,                  Bodies::none,         Again::fair,  false, Effect::memory,  FromLists::none,    Checked::nothing}; }
Facts RefAllocOp::facts()            { return {Runs::kernels, View::none,    false, true,                  Bodies::none,         Again::fair,  false, Effect::memory,  FromLists::none,    Checked::nothing}; }
Facts KernelCallOp::facts()          { return {Runs::kernels, View::none,    false, true,                  Bodies::in_turn,      Again::fair,  false, Effect::none,    FromLists::none,    Checked::nothing}; }
// clang-format on

Facts facts_of(mlir::Operation* op) {
  if (auto signed_op = llvm::dyn_cast<SignedOp>(op))
    return signed_op.facts();
  return {Runs::ends,   View::none,      false,           true, Bodies::once, Again::fair, false,
          Effect::none, FromLists::none, Checked::nothing};
}

} // namespace kolam::ir
