// Checkpoints: composites with a policy.
#include "kolam/frontend/array/checkpoint.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/composite.h"

namespace kolam {
namespace detail {

Leaves checkpointed(const CallSite& call, const CheckpointPolicy& policy, const Leaves& arguments,
                    const LeavesFunction& body) {
  const std::vector<std::string_view> known{
      "everything_saveable",   "nothing_saveable",
      "dots_saveable",         "dots_with_no_batch_dims_saveable",
      "save_only_these_names", "save_anything_except_these_names"};
  if (!llvm::is_contained(known, policy.name))
    fail(ErrorKind::value, "bad-option",
         "checkpoint: option 'policy': expected one of kolam::checkpoint_policies, but got '" +
             policy.name + "'");
  if (policy.name == "everything_saveable")
    return body(arguments);
  return composite(call, arguments, body, {}, policy);
}

} // namespace detail

Tensor checkpoint_name(const Operand& x, const std::string& name) {
  if (name.empty())
    fail(ErrorKind::value, "bad-option",
         "checkpoint_name: argument 'name': expected a name, but got ''");
  return apply_one(
      "checkpoint_name", {x}, [&](language::Builder& b, const language::Values& values) {
        return language::composite(b, "checkpoint_name", values,
                                   {b.getNamedAttr("saved_name", b.getStringAttr(name))},
                                   [](const language::Values& own) { return own[0]; });
      });
}

} // namespace kolam
