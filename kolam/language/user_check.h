/// Checks that users write, with values that their messages show.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// What is said of a check of the user's: the slug of those is always the same.
inline constexpr std::string_view kCheckFailed = "check-failed";

/// A check whose message shows `values`, which have the shape of the condition. A composite, whose
/// body calls `callee`, a function of the host of (condition, values...) that throws, where an
/// element of the condition is false. Transformations take it as one op.
struct UserCheck {
  Value condition;
  Values values;
  std::string message, callee;
};
void user_check(Builder& b, const UserCheck& check);

/// The check that an op is; none for another op.
std::optional<UserCheck> user_check_of(mlir::Operation* op);

} // namespace kolam::language
