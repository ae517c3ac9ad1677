/// Several calls of a library's function that the user called once.
#pragma once

namespace kolam {

/// The open call is a part of the one with that number (CallScope::current_number()).
void continue_call(unsigned number);

} // namespace kolam
