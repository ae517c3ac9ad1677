/// The parts that ops' signatures are made of.
#pragma once

#include "kolam/ir/types.h"
#include "kolam/space/projection_forms.h"
#include "kolam/space/signature.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

namespace kolam::ir {

/// Map dims i0, i1, ... over the elements of a shape.
std::vector<space::IndexDim> map_dims(const Shape& shape);

/// The extents of a tensor; of a list its length, which only data knows, as a symbol.
Shape signature_shape(mlir::Value value);

space::Operand read(std::string name, mlir::Value value, space::Projection projection,
                    space::Policy policy = {});
/// Reads at places that data decides: the dims that `projection` owns whole.
space::Operand read_anywhere(std::string name, mlir::Value value, space::Projection projection,
                             space::Policy policy = {});
space::Operand write(std::string name, mlir::Value value, space::Projection projection);

/// Every point owns the whole tensor.
space::Projection whole(int64_t index_rank, mlir::Value value);
/// Every point owns its own element along dims where `direct`, and the whole extent elsewhere.
space::Projection direct_where(const std::vector<bool>& direct, mlir::Value value);

/// One term of a row: coefficient times an index dim.
struct Term {
  int64_t dim;
  int64_t coefficient = 1;
};
space::AffineRow row(int64_t index_rank, llvm::ArrayRef<Term> terms, const Extent& offset = 0);
/// One element for each point, row by row.
space::Projection cells(int64_t index_rank, std::vector<space::AffineRow> rows);

/// A map over the elements of the (only) result, which each point writes; the caller adds what it
/// reads in front of it.
space::Signature over_result(mlir::Operation* op, std::vector<space::Operand> reads);
/// Each point reads its own element of every operand and writes its own element of every result.
space::Signature cell_by_cell(mlir::Operation* op);
/// The signature of an op that runs whole.
space::Signature opaque_signature(mlir::Operation* op);

/// The op's name without its dialect.
std::string name_of(mlir::Operation* op);

/// The sum over a region's ops of flops for each point times points; symbols count as 1000.
double region_flops(mlir::Region& region);
/// The product of extents; symbols count as 1000.
double rough_count(const Shape& shape);

} // namespace kolam::ir
