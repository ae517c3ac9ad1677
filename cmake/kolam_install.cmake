# What `cmake --install` puts under a prefix: libkolam, its public headers, the tools, and find_package(Kolam).
# The Python module is a component of its own: see python/CMakeLists.txt.
include(CMakePackageConfigHelpers)

# libMLIR and libLLVM stay where Debian puts them, outside the linker's own path.
set_target_properties(kolam PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS kolam EXPORT KolamTargets)
foreach(tool kolam_tool kolam-opt)
  if(TARGET ${tool})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}"
      INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${tool})
  endif()
endforeach()

# public_headers.txt holds one pattern a line, `**` for any depth; a leading ! takes files away.
file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/public_headers.txt patterns REGEX "^!?kolam")
foreach(pattern ${patterns})
  string(REGEX REPLACE "^!" "" place ${pattern})
  if(place MATCHES "\\*\\*")
    string(REPLACE "**" "*" place ${place})
    file(GLOB_RECURSE matches CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/${place})
  else()
    file(GLOB matches CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/${place})
  endif()
  if(pattern MATCHES "^!")
    list(REMOVE_ITEM public_headers ${matches})
  else()
    list(APPEND public_headers ${matches})
  endif()
endforeach()
foreach(header ${public_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Kolam)
install(EXPORT KolamTargets NAMESPACE kolam:: DESTINATION ${config_folder})
configure_package_config_file(cmake/KolamConfig.cmake.in KolamConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(KolamConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/KolamConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/KolamConfigVersion.cmake
  DESTINATION ${config_folder})
