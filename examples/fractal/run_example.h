/// What surrounds a program on lists: where its arguments come from, and where its result goes.
#pragma once

#include <kolam/kolam.h>

#include <iostream>
#include <stdexcept>

/// Writes the tensors of a value to an `.npz` file, in order: of a list its leaves, then the
/// offsets of its levels.
template <class T> void save_tensors(const std::string& path, const T& value) {
  std::vector<kolam::Tensor> tensors;
  std::string structure;
  kolam::Pytree<T>::flatten(value, tensors, structure);
  std::vector<kolam::runtime::NamedArray> arrays;
  for (const kolam::Tensor& tensor : tensors)
    arrays.push_back({"arr_" + std::to_string(arrays.size()), tensor.array()});
  kolam::runtime::save_npz(path, arrays);
}

/// The opposite: a value that differs from `alike` in its tensors only.
template <class T> T load_tensors(const std::string& path, const T& alike) {
  std::vector<kolam::Tensor> expected, tensors;
  std::string structure;
  kolam::Pytree<T>::flatten(alike, expected, structure);
  for (const auto& [name, array] : kolam::runtime::load_npz(path))
    tensors.push_back(array);
  if (tensors.size() != expected.size())
    throw std::invalid_argument(path + ": expected " + std::to_string(expected.size()) +
                                " arrays, but got " + std::to_string(tensors.size()));
  const kolam::Tensor* next = tensors.data();
  return kolam::Pytree<T>::unflatten(alike, next);
}

template <class T> void print(const T& value) { std::cout << value << "\n"; }
template <class... T> void print(const std::tuple<T...>& values) {
  std::apply([](const T&... value) { (print(value), ...); }, values);
}

/// The main function of an example: runs a jitted program on `arguments` and prints the result.
///
///     stacked_rnn                               # on the arguments that stand in the example
///     stacked_rnn arguments.npz result.npz      # on those of a file; the result goes to another
template <class Program, class... Arguments>
int run_example(const Program& program, const std::tuple<Arguments...>& arguments, int count,
                char** words) {
  try {
    if (count == 1)
      print(std::apply(program, arguments));
    else if (count == 3)
      save_tensors(words[2], std::apply(program, load_tensors(words[1], arguments)));
    else
      throw std::invalid_argument("expected no arguments, or two files: arguments.npz result.npz");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << words[0] << ": " << error.what() << "\n";
    return 1;
  }
}
