// Linearises bodies.
#include "kolam/transform/derive/bodies.h"

#include "kolam/language/region.h"

namespace kolam::transform::derive {

language::Body make_body(Builder& b, mlir::TypeRange types,
                         const std::function<Values(const Values&)>& body) {
  auto region = language::make_region(b, types, body);
  Values captures = language::isolate(*region);
  return {std::move(region), std::move(captures)};
}

Apart linearise_apart(Builder& b, mlir::Region& body, const Flags& active,
                      const NewSymbol& new_symbol) {
  Apart made;
  llvm::SmallVector<mlir::Type> types(body.getArgumentTypes());
  made.primal = language::make_region(b, types, [&](const Values& arguments) {
    Linearised linearised = transform::linearise(b, body, arguments, active, new_symbol);
    made.linear = std::move(linearised.linear);
    Values results = linearised.results;
    for (Value residual : linearised.residuals) {
      auto argument = llvm::dyn_cast<mlir::BlockArgument>(residual);
      made.arguments.push_back(argument ? static_cast<int64_t>(argument.getArgNumber()) : -1);
      if (!argument) {
        results.push_back(residual);
        made.residuals.push_back(residual);
      }
    }
    return results;
  });
  return made;
}

Value result_of(const LinearProgram& program, mlir::ValueRange yielded, size_t number) {
  auto found = llvm::find(program.results, number);
  return found == program.results.end() ? Value() : yielded[found - program.results.begin()];
}

} // namespace kolam::transform::derive
