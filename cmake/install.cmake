# What is installed, and where: folders below the prefix are those of GNUInstallDirs. A component is
# a package of `make deb`: command, library, development; what names none belongs to the command.
include(CMakePackageConfigHelpers)

install(TARGETS warpbound_cli warpbound-check RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# `make proofs` makes it, where Coq and OCaml are at hand.
install(PROGRAMS ${PROJECT_BINARY_DIR}/warpbound-check-extracted
        DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(NOT WB_DEB) # which has it under another name
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN __pycache__ EXCLUDE)
install(DIRECTORY machines kernels docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/warpbound
        PATTERN o1 EXCLUDE            # machine code for tests
        REGEX kernels/build$ EXCLUDE  # the scripts that make the kernels and their data
        REGEX make_graph$ EXCLUDE)

install(TARGETS warpbound ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
get_property(headers GLOBAL PROPERTY WB_HEADERS)
install(FILES include/warpbound.h ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development)
if(TARGET warpbound_shared)
  install(TARGETS warpbound_shared
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
              NAMELINK_COMPONENT development)
endif()

# ---- pkg-config: the file finds its prefix from its own place
# --------------------------------------------------------

get_property(WB_LINK_LIBRARIES GLOBAL PROPERTY WB_LINK_LIBRARIES)
set(WB_PRIVATE_LIBRARIES ${WB_LINK_LIBRARIES} ${OpenMP_C_FLAGS} m)
list(TRANSFORM WB_PRIVATE_LIBRARIES REPLACE "^([^-].*)$" "-l\\1" OUTPUT_VARIABLE libraries)
list(JOIN libraries " " WB_PC_LIBRARIES)
list(JOIN WB_PC_REQUIRES " " WB_PC_REQUIRES)
foreach(name LIBDIR INCLUDEDIR)
  set(WB_PC_${name} "\${prefix}/${CMAKE_INSTALL_${name}}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${name}}")
    set(WB_PC_${name} "${CMAKE_INSTALL_${name}}")
  endif()
endforeach()
file(RELATIVE_PATH WB_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/warpbound.pc.in warpbound.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/warpbound.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)

# ---- CMake package: find_package(warpbound)
# ---------------------------------------------------------------------------

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/warpbound)
configure_package_config_file(cmake/warpbound-config.cmake.in warpbound-config.cmake
                              INSTALL_DESTINATION ${package}
                              PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatible SameMinorVersion)
else()
  set(compatible SameMajorVersion)
endif()
write_basic_package_version_file(warpbound-config-version.cmake COMPATIBILITY ${compatible})
install(FILES ${PROJECT_BINARY_DIR}/warpbound-config.cmake
        ${PROJECT_BINARY_DIR}/warpbound-config-version.cmake
        DESTINATION ${package} COMPONENT development)

# ---- The list of what was installed, which `make uninstall` reads: the last rule
# ------------------------------------------

install(CODE "set(WB_LIST share/warpbound/installed-files)" COMPONENT uninstall)
install(SCRIPT cmake/list_installed.cmake COMPONENT uninstall)
