// Pictures of programs on lists.
#include "kolam/driver/picture.h"

#include "kolam/driver/parse.h"
#include "test/analysis/stacked_scan.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

struct Drawn {
  Module program = parse(test::kStackedScan, "test").program;
  std::vector<Array> arguments{Array::zeros(DType::f32, {4}), Array::zeros(DType::f32, {3})};

  std::string text(Picture kind) { return picture(program, kind, arguments); }
  std::string dot(Picture kind) { return picture_as_dot(program, kind, arguments); }
};

TEST(Picture, CellsAreTrees) {
  EXPECT_EQ(Drawn().text(Picture::cells), R"(b0: fold i0 < L0, scan i1 < L1
  add
  |- divide
  |  |- add (1)
  |  |  |- constant | b0.0[i0][i1 - 1]
  |  |  `- multiply
  |  |     |- arg0[i1] | b0.0[i0 - 1][i1]
  |  |     `- arg1[i0]
  |  `- 2
  `- add (1) again
)");
}

TEST(Picture, CellsAsDot) {
  EXPECT_EQ(Drawn().dot(Picture::cells), R"(digraph cells {
  node [shape=box];
  subgraph cluster_b0 {
    label="b0";
    n0 [label="multiply"];
    n1 [label="add"];
    n2 [label="divide"];
    n3 [label="add"];
    n4 [label="arg0[i1] | b0.0[i0 - 1][i1]", shape=plaintext];
    n5 [label="arg1[i0]", shape=plaintext];
    n6 [label="constant | b0.0[i0][i1 - 1]", shape=plaintext];
    n7 [label="2", shape=plaintext];
  }
  n4 -> n0;
  n5 -> n0;
  n6 -> n1;
  n0 -> n1;
  n1 -> n2;
  n7 -> n2;
  n2 -> n3;
  n1 -> n3;
}
)");
}

TEST(Picture, DeepTreesGoOnBelow) {
  std::string text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n";
  std::string last = "%x";
  for (int i = 0; i < 5000; ++i) {
    std::string next = "%v" + std::to_string(i);
    text += next + " = kolam.elementwise \"exp\" " + last + " : (tensor<f32>) -> tensor<f32>\n";
    last = next;
  }
  Module program = parse(text + "return " + last + " : tensor<f32>\n}\n", "test").program;
  std::string drawn = picture(program, Picture::cells, {});
  EXPECT_NE(drawn.find("exp (1) again\n  exp (1)\n"), std::string::npos);
  EXPECT_LT(drawn.size(), 1000000u);
}

TEST(Picture, StructureIsBoxes) {
  EXPECT_EQ(Drawn().text(Picture::structure), R"(+- fold i0 < L0 ------------------+
| +- scan i1 < L1 --------------+ |
| | b0: multiply add divide add | |
| +-----------------------------+ |
+---------------------------------+
)");
}

TEST(Picture, StructureAsDot) {
  EXPECT_EQ(Drawn().dot(Picture::structure), R"(digraph structure {
  node [shape=box];
  subgraph cluster_0 {
    label="fold i0 < L0";
    p0 [style=invis, shape=point];
    subgraph cluster_1 {
      label="scan i1 < L1";
      p1 [style=invis, shape=point];
      b0 [label="b0: multiply add divide add"];
    }
  }
}
)");
}

TEST(Picture, BlocksAsDotHaveMapsOnEdges) {
  EXPECT_EQ(Drawn().dot(Picture::blocks), R"(digraph blocks {
  b0 [shape=box, label="b0\nfold i0 < L0, scan i1 < L1"];
  v0 [shape=ellipse, label="b0.0\nfloat32[]"];
  v1 [shape=ellipse, label="arg0\n[L1]float32[]"];
  v2 [shape=ellipse, label="arg1\n[L0]float32[]"];
  v3 [shape=ellipse, label="constant"];
  v4 [shape=ellipse, label="result0\n[L1]float32[]"];
  v1 -> b0 [label="[i1]\nwhere i0 = 0"];
  v0 -> b0 [label="[i0 - 1][i1]\nwhere i0 >= 1"];
  v2 -> b0 [label="[i0]"];
  v3 -> b0 [label="where i1 = 0"];
  v0 -> b0 [label="[i0][i1 - 1]\nwhere i1 >= 1"];
  b0 -> v0 [label="[i0][i1]"];
  b0 -> v4 [label="[i1]\nwhere i0 = L0 - 1"];
  v1 -> v4 [style=dashed, label="[k0]\nwhere L0 = 0"];
}
)");
}

TEST(Picture, DomainHasTheStepOfEachCell) {
  EXPECT_EQ(Drawn().text(Picture::domain), R"(b0: fold i0 < L0, scan i1 < L1
12 cells in 6 steps, as dependences allow: i0 + i1
i0 \ i1  0 1 2 3
      0  0 1 2 3
      1  1 2 3 4
      2  2 3 4 5
)");
}

TEST(Picture, DomainAsDotHasWaves) {
  std::string text = Drawn().dot(Picture::domain);
  EXPECT_NE(text.find("b0_1_2 [label=\"1, 2\\nstep 3\"];"), std::string::npos) << text;
  EXPECT_NE(text.find("b0_1_1 -> b0_1_2;"), std::string::npos) << text;
  EXPECT_NE(text.find("{ rank=same; b0_0_1; b0_1_0; }"), std::string::npos) << text;
}

TEST(Picture, LongDomainsAreCut) {
  Drawn drawn;
  drawn.arguments = {Array::zeros(DType::f32, {1000}), Array::zeros(DType::f32, {1})};
  std::string text = drawn.text(Picture::domain);
  EXPECT_NE(text.find("1000 cells in 1000 steps, as dependences allow: i0 + i1; the first 32 of "
                      "1000 along i1\n"),
            std::string::npos)
      << text;
}

TEST(Picture, DomainOfEmptyListsHasNoCells) {
  Drawn drawn;
  drawn.arguments[0] = Array::zeros(DType::f32, {0});
  EXPECT_NE(drawn.text(Picture::domain).find("0 cells in 0 steps"), std::string::npos);
}

TEST(Picture, ProgramsWithoutScansHaveNoDomain) {
  Module program =
      parse("func.func @main(%x: tensor<f32>) -> tensor<f32> {\nreturn %x : tensor<f32>\n}\n",
            "test")
          .program;
  std::vector<Array> arguments{Array::zeros(DType::f32, {})};
  EXPECT_EQ(picture(program, Picture::domain, arguments), "no scans that run in waves\n");
}

} // namespace
} // namespace kolam::driver
