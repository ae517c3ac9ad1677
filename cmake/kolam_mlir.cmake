# MLIR and LLVM as Debian packages them: their component archives, or on request their shared libraries. Whatever else is
# linked with kolam's code takes `kolam_llvm`, never libkolam.so as well: two copies of LLVM would not know each other.
option(KOLAM_SHARED_LLVM "Link libMLIR.so and libLLVM.so in place of their component archives" OFF)
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(kolam_mlir_headers INTERFACE)
target_include_directories(kolam_mlir_headers SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(KOLAM_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_options(kolam_mlir_headers INTERFACE ${KOLAM_LLVM_DEFINITIONS} -Wno-unused-parameter)

# The solver of clauses that finds conflicts of data dimensions: an archive of Debian's libcadical-dev.
find_library(KOLAM_CADICAL cadical REQUIRED)
add_library(kolam_llvm INTERFACE)
target_link_libraries(kolam_llvm INTERFACE ${KOLAM_CADICAL})
if(KOLAM_SHARED_LLVM)
  target_link_libraries(kolam_llvm INTERFACE MLIR LLVM)
else()
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  list(LENGTH archives count)
  if(count LESS 100)
    message(FATAL_ERROR "${LLVM_LIBRARY_DIR} has no component archives: install libmlir-22-dev and llvm-22-dev, or configure "
      "with -DKOLAM_SHARED_LLVM=ON")
  endif()
  # All of them: the linker takes the members that are used. This one alone would ask for libxml2.
  list(FILTER archives EXCLUDE REGEX "libLLVMWindowsManifest.a$")
  target_link_libraries(kolam_llvm INTERFACE ${archives} ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(kolam_llvm INTERFACE -Wl,--gc-sections)
  # Of a sanitizer's runtime, an archive too, shared libraries must see `malloc` and its kin.
  if(NOT KOLAM_SANITIZE)
    target_link_options(kolam_llvm INTERFACE -Wl,--exclude-libs,ALL)
  endif()
endif()
