// Makes loops over lists.
#include "kolam/transform/derive/list_loop.h"

#include "kolam/language/lists.h"

namespace kolam::transform::derive {
namespace {

using Types = llvm::SmallVector<mlir::Type>;

/// A list without elements: what a state is before the first.
Value empty_list(Builder& b, ir::ListType type) {
  Shape shape = ir::shape_of(mlir::Type(type.leaf()));
  shape.insert(shape.begin(), 0);
  Value leaves = zeros(b, language::tensor_type(b, ir::dtype_of(mlir::Type(type.leaf())), shape));
  Values offsets(static_cast<size_t>(type.depth()) - 1,
                 zeros(b, language::tensor_type(b, DType::i64, {1})));
  return language::pack(b, leaves, offsets);
}

} // namespace

Value anything(Builder& b, mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    return empty_list(b, list);
  return zeros(b, type);
}

ListResults run_over_lists(Builder& b, const Values& inits, const Values& lists,
                           const language::ListScan& options, const Types& others,
                           const std::function<Values(const Values&)>& body) {
  Types types(mlir::ValueRange(inits).getTypes());
  Types elements;
  for (Value list : lists)
    elements.push_back(language::element_type(list));
  if (inits.empty()) {
    ListResults given;
    given.stepwise = language::list_map(b, lists, language::make_body(b, elements, body));
    return given;
  }
  // Other values are states that no step reads.
  Values all = inits;
  for (mlir::Type type : others)
    all.push_back(anything(b, type));
  llvm::append_range(types, others);
  llvm::append_range(types, elements);
  language::Body made = language::make_body(b, types, [&](const Values& arguments) {
    Values own(arguments.begin(), arguments.begin() + static_cast<int64_t>(inits.size()));
    own.insert(own.end(), arguments.begin() + static_cast<int64_t>(all.size()), arguments.end());
    return body(own);
  });
  Values results = language::list_scan(b, all, lists, options, std::move(made));
  return {Values(results.begin(), results.begin() + static_cast<int64_t>(inits.size())),
          Values(results.begin() + static_cast<int64_t>(all.size()), results.end())};
}

} // namespace kolam::transform::derive
