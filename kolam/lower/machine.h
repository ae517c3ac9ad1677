/// What lowering knows of the machine it makes code for.
#pragma once

namespace kolam::lower {

struct Machine {
  bool has_fma = false;
  int vector_bytes = 16; ///< of the widest registers
  friend bool operator==(const Machine&, const Machine&) = default;
};

} // namespace kolam::lower
