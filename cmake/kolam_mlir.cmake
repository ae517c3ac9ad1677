# MLIR and LLVM as Debian packages them: shared libraries, no component archives.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(kolam_mlir_headers INTERFACE)
target_include_directories(kolam_mlir_headers SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(KOLAM_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_options(kolam_mlir_headers INTERFACE ${KOLAM_LLVM_DEFINITIONS} -Wno-unused-parameter)
