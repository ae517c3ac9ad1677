# Compile options of every Kolam target. Contraction stays off everywhere: results are defined bit by bit.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

find_program(KOLAM_CCACHE ccache)
if(KOLAM_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${KOLAM_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KOLAM_CCACHE})
endif()

add_library(kolam_options INTERFACE)
target_compile_options(kolam_options INTERFACE
  -Wall -Wextra -Werror -Wno-unused-parameter -ffp-contract=off -fno-math-errno)
target_include_directories(kolam_options INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Lets ccache share precompiled headers between build trees.
  target_compile_options(kolam_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  add_link_options(-fuse-ld=lld)
endif()
if(KOLAM_SANITIZE)
  add_compile_options(
    -fsanitize=${KOLAM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1
    # It looks for a type in front of every function that is called; those that we generate have none.
    -fno-sanitize=function)
  add_link_options(-fsanitize=${KOLAM_SANITIZE})
endif()
