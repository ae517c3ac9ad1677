// `.npy` files: what NumPy writes is read, what we write is what NumPy writes, malformed files are
// refused by words.
#include "kolam/runtime/npy.h"

#include "expect_error.h"
#include "temporary_directory.h"

#include <algorithm>

namespace kolam::runtime {
namespace {

/// A file of version `major`.0 with this dict and these elements.
std::string npy_text(const std::string& dict, const std::string& elements, int major = 1) {
  const std::string header = dict + "\n";
  std::string text = "\x93NUMPY";
  text += static_cast<char>(major);
  text += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    text += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return text + header + elements;
}

Array read(const std::string& text) { return read_npy(std::as_bytes(std::span(text)), "x.npy"); }

std::string reason(const std::string& text) {
  const Error error = error_of([&] { read(text); });
  EXPECT_EQ(error.slug(), "bad-npy");
  EXPECT_EQ(error.kind(), ErrorKind::io);
  const std::string start = "'x.npy' is no valid .npy file: ";
  EXPECT_TRUE(error.message().starts_with(start)) << error.message();
  return error.message().substr(std::min(start.size(), error.message().size()));
}

std::string reason_of_dict(const std::string& dict) { return reason(npy_text(dict, "")); }

TEST(Npy, RoundTripsEveryDtypeAndShape) {
  const TemporaryDirectory directory;
  for (DType dtype : kDTypes)
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{}, {0}, {1}, {2, 3}, {2, 0, 3}, {1, 2, 3, 4}}) {
      Array array = Array::zeros(dtype, shape);
      auto* bytes = static_cast<uint8_t*>(array.mutable_data());
      for (int64_t i = 0; i < array.byte_count(); ++i)
        bytes[i] = static_cast<uint8_t>(dtype == DType::boolean ? i & 1 : i * 37);
      save(directory.file("x.npy"), array);
      EXPECT_TRUE(same_bits(load(directory.file("x.npy")), array)) << name(dtype);
      EXPECT_EQ(write_npy(array), read_file(directory.file("x.npy")));
      EXPECT_TRUE(same_bits(read_npy(write_npy(array), "memory"), array));
    }
}

TEST(Npy, WritesWhatNumpyWrites) {
  // numpy.save(file, numpy.zeros(3, ml_dtypes.bfloat16)), NumPy 2.4, ml_dtypes 0.6.
  std::string expected("\x93NUMPY\x01\x00v\x00", 10);
  expected += "{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }";
  expected += std::string(60, ' ') + "\n";
  EXPECT_EQ(npy_header(Array::zeros(DType::bf16, {3})), expected);
}

TEST(Npy, HeaderIsAligned) {
  for (int64_t extent = 0; extent < 200; ++extent) {
    const std::vector<int64_t> shape(static_cast<size_t>(extent), extent == 0 ? 1 : 0);
    EXPECT_EQ(npy_header(Array::zeros(DType::f32, shape)).size() % 64, 0u);
  }
}

TEST(Npy, LongHeadersUseVersion2) {
  const std::string header = npy_header(Array::zeros(DType::f32, std::vector<int64_t>(30000, 1)));
  EXPECT_EQ(header[6], 2);
  EXPECT_EQ(header.size() % 64, 0u);
}

TEST(Npy, ReadsAllVersions) {
  for (int major : {1, 2, 3}) {
    const Array array = read(npy_text("{'descr': '<i2', 'fortran_order': False, 'shape': (1,)}",
                                      std::string("\x05\x01", 2), major));
    EXPECT_EQ(array.item<int16_t>(), 0x105);
  }
}

TEST(Npy, ReadsOtherSpellings) {
  const std::string elements("\x01\x02", 2);
  for (const char* dict : {"{'shape': (2,), 'fortran_order': False, 'descr': '|u1', }",
                           "{\"descr\":\"|u1\",\"fortran_order\":False,\"shape\":(2L,)}",
                           "{ 'descr' : 'u1' , 'fortran_order' : True , 'shape' : ( 2 , ) } \t \n"})
    EXPECT_EQ(read(npy_text(dict, elements)).values<uint8_t>()[1], 2) << dict;
}

TEST(Npy, ReadsBigEndian) {
  const Array array = read(npy_text("{'descr': '>i4', 'fortran_order': False, 'shape': (2,)}",
                                    std::string("\0\0\0\1\0\0\1\0", 8)));
  EXPECT_TRUE(same_bits(array, Array::of<int32_t>({1, 256})));
}

TEST(Npy, ReadsFortranOrder) {
  const Array array =
      read(npy_text("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3)}", "\1\2\3\4\5\6"));
  EXPECT_TRUE(same_bits(array, Array::of<int8_t>({1, 3, 5, 2, 4, 6}, {2, 3})));
}

TEST(Npy, ReadsBothSpellingsOfBfloat16) {
  for (const char* descr : {"<V2", "|V2"})
    EXPECT_EQ(read(npy_text("{'descr': '" + std::string(descr) +
                                "', 'fortran_order': False, 'shape': ()}",
                            "\x80\x3f"))
                  .item<BFloat16>()
                  .bits,
              0x3f80);
}

TEST(Npy, CleansBooleans) {
  const Array array =
      read(npy_text("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\x07\x01"));
  EXPECT_TRUE(same_bits(array, Array::of<bool>({true, true})));
}

TEST(NpyError, Start) {
  EXPECT_EQ(reason(""), "it ends within its first bytes");
  EXPECT_EQ(reason("PK\3\4aaaaaaaaaa"), "it does not start with \\x93NUMPY");
  EXPECT_EQ(reason(npy_text("{}", "", 4)), "expected version 1.0, 2.0 or 3.0, but got 4.0");
  EXPECT_EQ(reason(npy_text("{}", "").substr(0, 9)), "it ends within its first bytes");
  EXPECT_EQ(reason(npy_text("{}", "").substr(0, 11)), "it ends within its header");
  EXPECT_EQ(reason(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)),
            "its header claims 4294967295 bytes");
}

TEST(NpyError, Dict) {
  EXPECT_EQ(reason_of_dict(""), "the header is no dict");
  EXPECT_EQ(reason_of_dict("[1, 2]"), "the header is no dict");
  EXPECT_EQ(reason_of_dict("{"), "expected a key in quotes in the header");
  EXPECT_EQ(reason_of_dict("{'descr"), "expected a key in quotes in the header");
  EXPECT_EQ(reason_of_dict("{'descr' '<f4'}"), "expected ':' after 'descr' in the header");
  EXPECT_EQ(reason_of_dict("{'descr': '<f4' 'shape': ()}"), "expected ',' or '}' in the header");
  EXPECT_EQ(reason_of_dict("{'descr': '<f4'} 1"), "the header goes on after its dict");
  EXPECT_EQ(reason_of_dict("{'descr': '<f4', 'descr': '<f4'}"), "the header says 'descr' twice");
  EXPECT_EQ(reason_of_dict("{'other': 1}"), "unexpected key 'other' in the header");
  EXPECT_EQ(reason_of_dict("{'descr': '<f4'}"),
            "expected the keys 'descr', 'fortran_order' and 'shape' in the header");
  EXPECT_EQ(reason_of_dict("{'d\xc3\xa9scr': '<f4'}"),
            "the header holds bytes that are not ASCII text");
}

TEST(NpyError, Dtype) {
  EXPECT_EQ(reason_of_dict("{'descr': [('a', '<f4')]}"), "structured dtypes are not supported");
  EXPECT_EQ(reason_of_dict("{'descr': '|O'}"), "arrays of Python objects are not supported");
  EXPECT_EQ(reason_of_dict("{'descr': '<c8'}"), "dtype '<c8' is not supported");
  EXPECT_EQ(reason_of_dict("{'descr': ''}"), "dtype '' is not supported");
  EXPECT_EQ(reason_of_dict("{'descr': '" + std::string(1000, 'a') + "'}"),
            "dtype '" + std::string(40, 'a') + "...' is not supported");
  EXPECT_EQ(reason_of_dict("{'fortran_order': 1}"), "expected True or False as 'fortran_order'");
}

TEST(NpyError, Shape) {
  EXPECT_EQ(reason_of_dict("{'shape': 3}"), "expected a tuple as 'shape'");
  EXPECT_EQ(reason_of_dict("{'shape': (3)}"), "expected ',' or ')' in 'shape'");
  EXPECT_EQ(reason_of_dict("{'shape': (3, -1)}"), "an extent is negative");
  EXPECT_EQ(reason_of_dict("{'shape': (3, x)}"), "expected integers in 'shape'");
  EXPECT_EQ(reason_of_dict("{'shape': (9223372036854775808,)}"), "an extent is too large");
  std::string many = "{'shape': (";
  for (int i = 0; i < 65; ++i)
    many += "1,";
  EXPECT_EQ(reason_of_dict(many + ")}"), "the shape has more than 64 dims");
}

TEST(NpyError, LyingHeader) {
  const std::string start = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  EXPECT_EQ(reason(npy_text(start + "2,)}", "1234567")),
            "its header tells of 16 bytes of elements, but 7 follow");
  EXPECT_EQ(reason(npy_text(start + ")}", "123456789")),
            "its header tells of 8 bytes of elements, but 9 follow");
  EXPECT_EQ(reason(npy_text(start + "1000000000000000,)}", "")),
            "its header tells of 8000000000000000 bytes of elements, but 0 follow");
  EXPECT_NE(reason(npy_text(start + "4611686018427387904, 0)}", "")).find("2^63"),
            std::string::npos);
}

TEST(NpyError, NamesThePath) {
  const TemporaryDirectory directory;
  write_file(directory.file("broken.npy"), "nonsense");
  EXPECT_EQ(error_of([&] { load(directory.file("broken.npy")); }).message(),
            "'" + directory.file("broken.npy") +
                "' is no valid .npy file: it does not start with \\x93NUMPY");
  EXPECT_EQ(error_of([&] { load(directory.file("none.npy")); }).slug(), "io-read");
  EXPECT_EQ(error_of([] { save("/nowhere/x.npy", Array::scalar(1)); }).slug(), "io-write");
}

} // namespace
} // namespace kolam::runtime
