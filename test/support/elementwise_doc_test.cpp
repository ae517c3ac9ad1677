// Documentation of rows: what it says for each kind of row.
#include "kolam/support/elementwise_doc.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

TEST(ElementwiseDoc, OfAFunctionOfOneFloat) {
  EXPECT_EQ(elementwise_doc(Fn::sqrt),
            "square root.\n\n    result[i] = sqrt(x[i])\n\n"
            "Takes floats; integers and booleans become float32 first. Gives the operands' dtype.\n"
            "sqrt(-inf) = nan, sqrt(-0) = -0, sqrt(0) = 0, sqrt(inf) = inf, sqrt(nan) = nan.\n"
            "Floats are correctly rounded; float16 and bfloat16 are computed in float32.");
}

TEST(ElementwiseDoc, OfAFunctionWithSpecialCases) {
  EXPECT_EQ(elementwise_doc(Fn::less),
            "x < y.\n\n    result[i] = less(x[i], y[i])\n\n"
            "Takes operands of any dtype. Operands are promoted to one dtype and broadcast. Gives "
            "booleans.\nSpecial cases: false on NaN.");
}

TEST(ElementwiseDoc, SaysOfEveryRowWhatItTakesAndGives) {
  for (const ElementwiseRow& row : kElementwiseRows) {
    std::string doc = elementwise_doc(row.fn);
    EXPECT_NE(doc.find("\n    result[i] = " + std::string(row.name) + "("), doc.npos) << doc;
    EXPECT_NE(doc.find("Takes "), doc.npos) << doc;
    EXPECT_NE(doc.find("Gives "), doc.npos) << doc;
    bool has_accuracy = row.accuracy.f32 > 0;
    bool says_accuracy = doc.find("Errs by at most") != doc.npos ||
                         doc.find("Floats are correctly rounded") != doc.npos;
    EXPECT_EQ(says_accuracy, has_accuracy) << doc;
  }
}

} // namespace
} // namespace kolam
