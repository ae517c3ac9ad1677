// Contexts are lent again where no program holds them.
#include "kolam/driver/compile.h"

#include <gtest/gtest.h>

#include <thread>

namespace kolam::driver {
namespace {

TEST(LendContext, LendsAgainWhatNobodyHolds) {
  mlir::MLIRContext* first = lend_context().get();
  EXPECT_EQ(lend_context().get(), first);
}

TEST(LendContext, KeepsContextsOfLivingProgramsApart) {
  std::shared_ptr<mlir::MLIRContext> held = lend_context();
  std::shared_ptr<mlir::MLIRContext> other = lend_context();
  EXPECT_NE(held, other);
  EXPECT_NE(lend_context(), held);
}

TEST(LendContext, GivesEachThreadItsOwn) {
  mlir::MLIRContext* mine = lend_context().get();
  mlir::MLIRContext* another = nullptr;
  std::thread([&] { another = lend_context().get(); }).join();
  EXPECT_NE(mine, another);
}

TEST(LendContext, ReplacesContextsInTheEnd) {
  std::weak_ptr<mlir::MLIRContext> first = lend_context();
  int loans = 0;
  while (!first.expired() && loans < 2000) {
    lend_context();
    ++loans;
  }
  EXPECT_TRUE(first.expired());
  EXPECT_GT(loans, 100);
}

} // namespace
} // namespace kolam::driver
