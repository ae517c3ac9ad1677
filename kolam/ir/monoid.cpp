// Reads, checks and describes the monoids of reductions.
#include "kolam/ir/monoid.h"

#include "kolam/ir/expectations.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {
namespace {

llvm::LogicalResult expect_no_regions(mlir::Operation* op, llvm::StringRef name,
                                      const MonoidRegions& regions) {
  for (mlir::Region* region :
       {&regions.zero, &regions.wrap, &regions.merge, &regions.unwrap, &regions.wrap_all})
    if (!region->empty())
      return op->emitOpError("expected no regions with the named monoid '") << name << "'";
  return mlir::success();
}

llvm::LogicalResult expect_named(mlir::Operation* op, llvm::StringRef name, Fn fn,
                                 mlir::TypeRange elements, mlir::TypeRange results) {
  for (mlir::Type element : elements)
    if (DType dtype = dtype_of(element); !accepts(fn, dtype))
      return op->emitOpError("expected a dtype that '")
             << name << "' takes, but got " << llvm::StringRef(kolam::name(dtype));
  if (results == elements)
    return mlir::success();
  return op->emitOpError("expected a result of the dtype of each input, (")
         << elements << "), but got (" << results << ")";
}

/// Arguments and yields of one region.
llvm::LogicalResult expect_map(mlir::Operation* op, mlir::Region& region, mlir::TypeRange from,
                               mlir::TypeRange to, llvm::StringRef what) {
  if (failed(expect_arguments(op, region, from, what)))
    return mlir::failure();
  return expect_yields(op, region, to, what);
}

llvm::SmallVector<mlir::Type> chunk_types(mlir::TypeRange elements) {
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Type type : elements)
    types.push_back(tensor_type(type.getContext(), dtype_of(type), {Extent::symbol("chunk")}));
  return types;
}

bool is_among(std::optional<Fn> fn, std::initializer_list<Fn> fns) {
  return fn && llvm::is_contained(fns, *fn);
}

} // namespace

std::optional<Fn> parse_monoid(llvm::StringRef name) {
  std::optional<Fn> fn = parse_fn(name);
  if (!fn || elementwise_row(*fn).arity != 2 || elementwise_row(*fn).identity == Identity::none)
    return std::nullopt;
  return fn;
}

llvm::LogicalResult expect_monoid(mlir::Operation* op, llvm::StringRef name,
                                  const MonoidRegions& regions, mlir::TypeRange elements,
                                  mlir::TypeRange results) {
  if (std::optional<Fn> fn = parse_monoid(name)) {
    if (failed(expect_no_regions(op, name, regions)))
      return mlir::failure();
    return expect_named(op, name, *fn, elements, results);
  }
  if (failed(expect_arguments(op, regions.zero, {}, "'zero'")))
    return mlir::failure();
  llvm::SmallVector<mlir::Type> state(yielded_types(regions.zero));
  if (state.empty() || state != scalar_types(state))
    return op->emitOpError("expected 'zero' to yield rank-0 tensors, but got (")
           << mlir::TypeRange(state) << ")";
  llvm::SmallVector<mlir::Type> both(state);
  both.append(state);
  if (failed(expect_map(op, regions.wrap, elements, state, "'wrap'")) ||
      failed(expect_map(op, regions.merge, both, state, "'merge'")) ||
      failed(expect_map(op, regions.unwrap, state, results, "'unwrap'")))
    return mlir::failure();
  if (regions.wrap_all.empty())
    return mlir::success();
  return expect_map(op, regions.wrap_all, chunk_types(elements), state, "'wrap_all'");
}

DType named_state(Fn fn, DType element) {
  bool rounds = !is_among(fn, {Fn::maximum, Fn::minimum});
  return rounds && is_narrow_float(element) ? DType::f32 : element;
}

bool is_exact(Fn fn, DType element) {
  return !is_float(element) || is_among(fn, {Fn::maximum, Fn::minimum});
}

space::Monoid monoid_descriptor(llvm::StringRef name, bool commutative,
                                const MonoidRegions& regions, mlir::TypeRange elements) {
  space::Monoid monoid{name.str(), {}};
  std::optional<Fn> fn = parse_monoid(name);
  if (!fn) {
    monoid.commutative = commutative;
    monoid.has_wrap_all = !regions.wrap_all.empty();
    for (mlir::Type type : yielded_types(regions.zero))
      monoid.state.push_back(dtype_of(type));
    return monoid;
  }
  monoid.exact = true;
  for (mlir::Type element : elements) {
    monoid.state.push_back(named_state(*fn, dtype_of(element)));
    monoid.exact &= is_exact(*fn, dtype_of(element));
  }
  monoid.idempotent = is_among(fn, {Fn::bitwise_and, Fn::bitwise_or, Fn::logical_and,
                                    Fn::logical_or, Fn::maximum, Fn::minimum});
  return monoid;
}

space::Monoid sum_monoid(DType factor, DType result) {
  space::Monoid monoid{"sum", {is_narrow_float(factor) ? DType::f32 : result}};
  monoid.exact = !is_float(result);
  return monoid;
}

double monoid_flops(llvm::StringRef name, const MonoidRegions& regions) {
  return parse_monoid(name) ? 1 : region_flops(regions.wrap) + region_flops(regions.merge);
}

llvm::SmallVector<mlir::Type> scalar_types(mlir::TypeRange types) {
  llvm::SmallVector<mlir::Type> result;
  for (mlir::Type type : types)
    result.push_back(tensor_type(type.getContext(), dtype_of(type), {}));
  return result;
}

} // namespace kolam::ir
