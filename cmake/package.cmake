# `make deb`: Debian packages of the command, the shared library, and what programs are compiled
# with. The package of the command needs no other: it has the library inside. Others add theirs to
# WB_PACKAGES, as COMPONENT=PACKAGE.
set(WB_MAINTAINER "The Warpbound authors <warpbound@localhost.localdomain>"
    CACHE STRING "Who answers for the packages")
option(WB_DEB "Install what Debian asks of packages, too: copyright and changelog" OFF)

set(soversion ${PROJECT_VERSION_MAJOR})
list(APPEND WB_PACKAGES command=warpbound library=libwarpbound${soversion}
     development=libwarpbound-dev)

if(WB_DEB)
  string(TIMESTAMP WB_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH
  configure_file(cmake/debian-changelog.in changelog @ONLY)
  # The kernels' machine code is that of GPUs.
  set(overrides "")
  foreach(tag arch-dependent-file-in-usr-share binary-from-other-architecture
          statically-linked-binary
              unstripped-binary-or-object)
    string(APPEND overrides "warpbound: ${tag} *.cubin*\n")
  endforeach()
  file(WRITE ${PROJECT_BINARY_DIR}/overrides "${overrides}")
  install(FILES ${PROJECT_BINARY_DIR}/overrides
          DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME warpbound)
  execute_process(COMMAND gzip -9nf changelog WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
set(CPACK_COMPONENTS_ALL "")
foreach(entry IN LISTS WB_PACKAGES)
  string(REGEX MATCH "^([^=]+)=(.+)$" entry "${entry}")
  set(component ${CMAKE_MATCH_1})
  set(package ${CMAKE_MATCH_2})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  if(WB_DEB)
    install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
            COMPONENT ${component})
    install(FILES ${PROJECT_BINARY_DIR}/changelog.gz
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
            COMPONENT ${component})
  endif()
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR Warpbound)
set(CPACK_PACKAGE_CONTACT "${WB_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own, in its first line
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "bounds on the worst-case execution time of GPU kernels
How long can a GPU kernel take at most? The answer is computed from its PTX or
machine code, a launch and a description of the GPU; every number is labelled
as exact, proven, witnessed, simulated or estimated. No GPU is needed.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "bounds on the execution time of GPU kernels - shared library
What the command warpbound does, for programs.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "bounds on the execution time of GPU kernels - development files
Header, static library, and files for pkg-config and CMake.")

# What is loaded when it is asked for nobody sees in the files.
get_property(loaded GLOBAL PROPERTY WB_LOADED_FILES)
if(loaded AND WB_DEB)
  execute_process(COMMAND dpkg-query --search ${loaded} OUTPUT_VARIABLE owner
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "^[^:]+" CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS ${owner})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS ${CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS})
endif()

set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)

# As many as warpbound.pc requires, without which pkg-config does not find it.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(needs "libwarpbound${soversion} (= ${PROJECT_VERSION})" libyaml-dev nettle-dev zlib1g-dev
          liblz4-dev libzstd-dev)
if(DW_FOUND)
  list(APPEND needs libdw-dev)
endif()
if(LZMA_FOUND)
  list(APPEND needs liblzma-dev)
endif()
get_property(more GLOBAL PROPERTY WB_DEVELOPMENT_PACKAGES)
list(APPEND needs ${more})
list(JOIN needs ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)

include(CPack)
