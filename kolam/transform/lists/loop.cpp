// Makes loops.
#include "kolam/transform/lists/loop.h"

#include "kolam/language/control.h"
#include "kolam/language/region.h"

namespace kolam::transform::lists {

Values loop(Integers& integers, Value lower, Value upper, const Values& inits,
            const std::function<Values(Value, const Values&)>& body) {
  Builder& b = integers.b;
  llvm::SmallVector<mlir::Type> types{lower.getType()};
  llvm::append_range(types, mlir::ValueRange(inits).getTypes());
  auto region = language::make_region(b, types, [&](const Values& arguments) {
    return body(arguments[0], Values(arguments.begin() + 1, arguments.end()));
  });
  Values captures = language::isolate(*region);
  return language::for_loop(b, lower, upper, inits, {std::move(region), std::move(captures)});
}

} // namespace kolam::transform::lists
