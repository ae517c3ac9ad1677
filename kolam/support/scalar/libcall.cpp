// Defines the library functions: f32 computes in f64 and rounds once.
#include "kolam/support/scalar/libcall.h"

#include <cmath>

namespace {

template <class F> constexpr void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

/// std::lgamma writes the sign of gamma(x) to a global variable.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

} // namespace

extern "C" {
double kolam_sin_large_f64(double x) { return std::sin(x); }
double kolam_cos_large_f64(double x) { return std::cos(x); }
double kolam_tan_large_f64(double x) { return std::tan(x); }
double kolam_lgamma_f64(double x) { return log_gamma(x); }
double kolam_fmod_f64(double x, double y) { return std::fmod(x, y); }

float kolam_sin_large_f32(float x) { return float(std::sin(double(x))); }
float kolam_cos_large_f32(float x) { return float(std::cos(double(x))); }
float kolam_tan_large_f32(float x) { return float(std::tan(double(x))); }
float kolam_lgamma_f32(float x) { return float(log_gamma(double(x))); }
float kolam_fmod_f32(float x, float y) { return std::fmod(x, y); }
}

namespace kolam::scalar {
namespace {

const LibcallSymbol symbols[] = {
    {Libcall::sin_large, DType::f32, "kolam_sin_large_f32", address_of(kolam_sin_large_f32)},
    {Libcall::sin_large, DType::f64, "kolam_sin_large_f64", address_of(kolam_sin_large_f64)},
    {Libcall::cos_large, DType::f32, "kolam_cos_large_f32", address_of(kolam_cos_large_f32)},
    {Libcall::cos_large, DType::f64, "kolam_cos_large_f64", address_of(kolam_cos_large_f64)},
    {Libcall::tan_large, DType::f32, "kolam_tan_large_f32", address_of(kolam_tan_large_f32)},
    {Libcall::tan_large, DType::f64, "kolam_tan_large_f64", address_of(kolam_tan_large_f64)},
    {Libcall::lgamma, DType::f32, "kolam_lgamma_f32", address_of(kolam_lgamma_f32)},
    {Libcall::lgamma, DType::f64, "kolam_lgamma_f64", address_of(kolam_lgamma_f64)},
    {Libcall::fmod, DType::f32, "kolam_fmod_f32", address_of(kolam_fmod_f32)},
    {Libcall::fmod, DType::f64, "kolam_fmod_f64", address_of(kolam_fmod_f64)},
};
static_assert(std::size(symbols) == 2 * kLibcallCount);

} // namespace

std::span<const LibcallSymbol> libcall_symbols() { return symbols; }

const LibcallSymbol& libcall_symbol(Libcall function, DType dtype) {
  return symbols[2 * static_cast<int>(function) + (dtype == DType::f64)];
}

float call_libcall(Libcall function, float x, float y) {
  void* address = libcall_symbol(function, DType::f32).address;
  if (arity(function) == 1)
    return reinterpret_cast<float (*)(float)>(address)(x);
  return reinterpret_cast<float (*)(float, float)>(address)(x, y);
}

double call_libcall(Libcall function, double x, double y) {
  void* address = libcall_symbol(function, DType::f64).address;
  if (arity(function) == 1)
    return reinterpret_cast<double (*)(double)>(address)(x);
  return reinterpret_cast<double (*)(double, double)>(address)(x, y);
}

} // namespace kolam::scalar
