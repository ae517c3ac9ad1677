/// Catches the Error that a call throws, so that a test can look at its words.
#pragma once

#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam {

/// The Error that `call` throws; a failure and an empty Error where it throws none.
template <class Call> Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an Error";
  return Error(ErrorKind::internal, "", "");
}

} // namespace kolam
