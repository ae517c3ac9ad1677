// Structs and maps of tensors as arguments, and arrays in files.
#include <kolam/kolam.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <string>

struct Model {
  kolam::Tensor w, b;
};
auto fields(Model& model) { return std::tie(model.w, model.b); }

int main() {
  auto predict = kolam::jit([](Model model, kolam::Tensor x) {
    return kolam::tanh(kolam::matmul(x, model.w) + model.b);
  });
  Model model{kolam::zeros({2, 1}), kolam::ones({1})};
  std::cout << predict(model, kolam::array<float>({{1, 2}, {3, 4}})) << "\n";

  const std::string path = "weights_of_the_example.npz";
  kolam::save_npz(path, {{"w", model.w}, {"b", model.b}});
  auto weights = kolam::load_npz(path); // a std::map from names to arrays
  std::remove(path.c_str());
  std::cout << weights["b"] << weights.contains("c") << "\n";

  auto total = kolam::jit([](std::map<std::string, kolam::Tensor> all) {
    return kolam::sum(all.at("w")) + kolam::sum(all.at("b"));
  });
  std::cout << total(weights) << "\n";
  try {
    weights["c"];
  } catch (const kolam::Error& error) {
    std::cout << error.message() << "\n";
  }
}
