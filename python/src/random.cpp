// kolam.random: random numbers as functions of a key.
#include "bind.h"
#include "modules.h"

namespace kolam::python {

template <> struct FromPython<Generator> : Converted<Generator> {
  FromPython(nb::handle object, const char* argument) {
    std::string name = FromPython<std::string>(object, argument).get();
    auto generator = parse_generator(name == "threefry2x32" ? "threefry"
                                     : name == "philox4x32" ? "philox"
                                                            : name);
    if (!generator)
      fail_argument(ErrorKind::value, "unknown-mode", argument, "'threefry' or 'philox'", object);
    value = *generator;
  }
};

void bind_random(nb::module_& parent) {
  nb::module_ module = parent.def_submodule("random");
  bind(module, "random::bernoulli", "key, p=0.5, shape=None",
       [](const Operand& key, const Operand& p, const std::optional<Shape>& shape) {
         return shape ? random::bernoulli(key, p, *shape) : random::bernoulli(key, p);
       });
  bind(module, "random::bits", &random::bits);
  bind(module, "random::categorical", &random::categorical);
  bind(module, "random::choice", &random::choice);
  bind(module, "random::exponential", &random::exponential);
  bind(module, "random::gumbel", &random::gumbel);
  bind(module, "random::permutation", &random::permutation);
  bind(module, "random::truncated_normal", &random::truncated_normal);
  bind(module, "random::dropout", &random::dropout);
  bind(module, "random::fold_in", &random::fold_in);
  bind(module, "random::key", &random::key);
  bind(module, "random::normal", &random::normal);
  bind(module, "random::randint", &random::randint);
  bind(module, "random::split", "key, num=2", [](const Operand& key, const Shape& num) {
    if (num.size() == 1)
      return random::split(key, num[0]);
    Shape shape = num;
    shape.push_back(2);
    return reshape(random::split(key, element_count(num)), shape);
  });
  bind(module, "random::uniform", &random::uniform);
}

} // namespace kolam::python
