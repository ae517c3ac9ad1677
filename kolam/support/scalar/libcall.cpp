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
double kolam_tan_f64(double x) { return std::tan(x); }
double kolam_asin_f64(double x) { return std::asin(x); }
double kolam_acos_f64(double x) { return std::acos(x); }
double kolam_atan_f64(double x) { return std::atan(x); }
double kolam_sinh_f64(double x) { return std::sinh(x); }
double kolam_cosh_f64(double x) { return std::cosh(x); }
double kolam_asinh_f64(double x) { return std::asinh(x); }
double kolam_acosh_f64(double x) { return std::acosh(x); }
double kolam_atanh_f64(double x) { return std::atanh(x); }
// The library's cbrt in f64 is 3 ulps off, of -27 too.
double kolam_cbrt_f64(double x) { return double(std::cbrt(static_cast<long double>(x))); }
double kolam_erfc_f64(double x) { return std::erfc(x); }
double kolam_lgamma_f64(double x) { return log_gamma(x); }
double kolam_atan2_f64(double x, double y) { return std::atan2(x, y); }
double kolam_pow_f64(double x, double y) { return std::pow(x, y); }
double kolam_hypot_f64(double x, double y) { return std::hypot(x, y); }
double kolam_fmod_f64(double x, double y) { return std::fmod(x, y); }

float kolam_sin_large_f32(float x) { return float(std::sin(double(x))); }
float kolam_cos_large_f32(float x) { return float(std::cos(double(x))); }
float kolam_tan_f32(float x) { return float(std::tan(double(x))); }
float kolam_asin_f32(float x) { return float(std::asin(double(x))); }
float kolam_acos_f32(float x) { return float(std::acos(double(x))); }
float kolam_atan_f32(float x) { return float(std::atan(double(x))); }
float kolam_sinh_f32(float x) { return float(std::sinh(double(x))); }
float kolam_cosh_f32(float x) { return float(std::cosh(double(x))); }
float kolam_asinh_f32(float x) { return float(std::asinh(double(x))); }
float kolam_acosh_f32(float x) { return float(std::acosh(double(x))); }
float kolam_atanh_f32(float x) { return float(std::atanh(double(x))); }
float kolam_cbrt_f32(float x) { return float(std::cbrt(double(x))); }
float kolam_erfc_f32(float x) { return float(std::erfc(double(x))); }
float kolam_lgamma_f32(float x) { return float(log_gamma(double(x))); }
float kolam_atan2_f32(float x, float y) { return float(std::atan2(double(x), double(y))); }
float kolam_pow_f32(float x, float y) { return float(std::pow(double(x), double(y))); }
float kolam_hypot_f32(float x, float y) { return float(std::hypot(double(x), double(y))); }
float kolam_fmod_f32(float x, float y) { return std::fmod(x, y); }
}

namespace kolam::scalar {
namespace {

const LibcallSymbol symbols[] = {
    {Libcall::sin_large, DType::f32, "kolam_sin_large_f32", address_of(kolam_sin_large_f32)},
    {Libcall::sin_large, DType::f64, "kolam_sin_large_f64", address_of(kolam_sin_large_f64)},
    {Libcall::cos_large, DType::f32, "kolam_cos_large_f32", address_of(kolam_cos_large_f32)},
    {Libcall::cos_large, DType::f64, "kolam_cos_large_f64", address_of(kolam_cos_large_f64)},
    {Libcall::tan, DType::f32, "kolam_tan_f32", address_of(kolam_tan_f32)},
    {Libcall::tan, DType::f64, "kolam_tan_f64", address_of(kolam_tan_f64)},
    {Libcall::asin, DType::f32, "kolam_asin_f32", address_of(kolam_asin_f32)},
    {Libcall::asin, DType::f64, "kolam_asin_f64", address_of(kolam_asin_f64)},
    {Libcall::acos, DType::f32, "kolam_acos_f32", address_of(kolam_acos_f32)},
    {Libcall::acos, DType::f64, "kolam_acos_f64", address_of(kolam_acos_f64)},
    {Libcall::atan, DType::f32, "kolam_atan_f32", address_of(kolam_atan_f32)},
    {Libcall::atan, DType::f64, "kolam_atan_f64", address_of(kolam_atan_f64)},
    {Libcall::sinh, DType::f32, "kolam_sinh_f32", address_of(kolam_sinh_f32)},
    {Libcall::sinh, DType::f64, "kolam_sinh_f64", address_of(kolam_sinh_f64)},
    {Libcall::cosh, DType::f32, "kolam_cosh_f32", address_of(kolam_cosh_f32)},
    {Libcall::cosh, DType::f64, "kolam_cosh_f64", address_of(kolam_cosh_f64)},
    {Libcall::asinh, DType::f32, "kolam_asinh_f32", address_of(kolam_asinh_f32)},
    {Libcall::asinh, DType::f64, "kolam_asinh_f64", address_of(kolam_asinh_f64)},
    {Libcall::acosh, DType::f32, "kolam_acosh_f32", address_of(kolam_acosh_f32)},
    {Libcall::acosh, DType::f64, "kolam_acosh_f64", address_of(kolam_acosh_f64)},
    {Libcall::atanh, DType::f32, "kolam_atanh_f32", address_of(kolam_atanh_f32)},
    {Libcall::atanh, DType::f64, "kolam_atanh_f64", address_of(kolam_atanh_f64)},
    {Libcall::cbrt, DType::f32, "kolam_cbrt_f32", address_of(kolam_cbrt_f32)},
    {Libcall::cbrt, DType::f64, "kolam_cbrt_f64", address_of(kolam_cbrt_f64)},
    {Libcall::erfc, DType::f32, "kolam_erfc_f32", address_of(kolam_erfc_f32)},
    {Libcall::erfc, DType::f64, "kolam_erfc_f64", address_of(kolam_erfc_f64)},
    {Libcall::lgamma, DType::f32, "kolam_lgamma_f32", address_of(kolam_lgamma_f32)},
    {Libcall::lgamma, DType::f64, "kolam_lgamma_f64", address_of(kolam_lgamma_f64)},
    {Libcall::atan2, DType::f32, "kolam_atan2_f32", address_of(kolam_atan2_f32)},
    {Libcall::atan2, DType::f64, "kolam_atan2_f64", address_of(kolam_atan2_f64)},
    {Libcall::pow, DType::f32, "kolam_pow_f32", address_of(kolam_pow_f32)},
    {Libcall::pow, DType::f64, "kolam_pow_f64", address_of(kolam_pow_f64)},
    {Libcall::hypot, DType::f32, "kolam_hypot_f32", address_of(kolam_hypot_f32)},
    {Libcall::hypot, DType::f64, "kolam_hypot_f64", address_of(kolam_hypot_f64)},
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
