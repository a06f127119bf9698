# The libraries of others: what is required and what is optional, in one place. What is missing is
# named in one message.
#
# Sets WB_PC_REQUIRES, the pkg-config names of those that the library needs. Wings add what they
# require (src/wings/NAME/dependencies.cmake), and find what they can do without (wing.cmake).

find_package(PkgConfig REQUIRED)
set(missing "")

# wb_find(PREFIX MODULE): the library MODULE of pkg-config, as PkgConfig::PREFIX.
macro(wb_find prefix module)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module})
  if(NOT ${prefix}_FOUND)
    list(APPEND missing ${module})
  endif()
endmacro()

wb_find(YAML yaml-0.1)
wb_find(NETTLE nettle)
wb_find(Z zlib)
wb_find(LZ4 liblz4)
wb_find(ZSTD libzstd)
set(WB_PC_REQUIRES yaml-0.1 nettle zlib liblz4 libzstd)
# Without it init knows the sizes of structs, not their fields.
pkg_check_modules(DW QUIET IMPORTED_TARGET libdw)
if(DW_FOUND)
  list(APPEND WB_PC_REQUIRES libdw)
endif()
# Without it traces are to be unpacked.
pkg_check_modules(LZMA QUIET IMPORTED_TARGET liblzma)
if(LZMA_FOUND)
  list(APPEND WB_PC_REQUIRES liblzma)
endif()
if(BUILD_TESTING)
  wb_find(CMOCKA cmocka)
  wb_find(JANSSON jansson)
endif()
file(GLOB of_wings CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/wings/*/dependencies.cmake)
foreach(file IN LISTS of_wings)
  include(${file})
endforeach()
find_package(OpenMP COMPONENTS C)
if(NOT OpenMP_C_FOUND)
  list(APPEND missing "OpenMP (of the C compiler)")
endif()

if(missing)
  list(JOIN missing "\n  " missing)
  message(FATAL_ERROR "These libraries are missing, by their pkg-config names:\n  ${missing}\n"
                      "On Debian and Ubuntu scripts/install-packages build installs what is needed "
                      "to build (test: to test).")
endif()
