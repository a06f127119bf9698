# The libraries of others: what is required and what is optional, in one place. What is missing is named in one message.
#
# Sets WB_PC_REQUIRES, the pkg-config names of those that the library needs, and WB_LINK_LIBRARIES, what a program needs
# besides these.
set(WB_CBC AUTO CACHE STRING "CBC, for the makespan methods ilp-*: ON, OFF, or AUTO (where it is found)")
set(WB_CADICAL AUTO CACHE STRING "CaDiCaL, for the makespan method sat: ON, OFF, or AUTO (where it is found)")
set_property(CACHE WB_CBC WB_CADICAL PROPERTY STRINGS AUTO ON OFF)

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
wb_find(SQLITE sqlite3)
wb_find(JANSSON jansson)
wb_find(Z zlib)
set(WB_PC_REQUIRES yaml-0.1 nettle sqlite3 jansson zlib)
set(WB_LINK_LIBRARIES "")
if(BUILD_TESTING)
  wb_find(CMOCKA cmocka)
endif()
find_package(OpenMP COMPONENTS C)
if(NOT OpenMP_C_FOUND)
  list(APPEND missing "OpenMP (of the C compiler)")
endif()

if(WB_CBC)
  pkg_check_modules(CBC QUIET IMPORTED_TARGET cbc)
  if(CBC_FOUND) # it is loaded when it is asked for: only its header is needed
    find_library(CBC_LIBRARY CbcSolver HINTS ${CBC_LIBRARY_DIRS})
    file(REAL_PATH ${CBC_LIBRARY} CBC_FILE)
    string(REGEX MATCH "[^/]+[.]so[.][0-9]+" CBC_SONAME ${CBC_FILE})
    add_library(wb_cbc INTERFACE)
    target_include_directories(wb_cbc SYSTEM INTERFACE ${CBC_INCLUDE_DIRS})
  elseif(NOT WB_CBC STREQUAL AUTO)
    list(APPEND missing cbc)
  endif()
endif()
if(WB_CADICAL)
  find_library(CADICAL_LIBRARY cadical) # has no pkg-config file
  find_path(CADICAL_INCLUDE ccadical.h)
  if(CADICAL_LIBRARY AND CADICAL_INCLUDE)
    set(CADICAL_FOUND TRUE)
    add_library(wb_cadical INTERFACE)
    target_link_libraries(wb_cadical INTERFACE ${CADICAL_LIBRARY} stdc++ m)
    target_include_directories(wb_cadical SYSTEM INTERFACE ${CADICAL_INCLUDE})
    list(APPEND WB_LINK_LIBRARIES cadical stdc++)
  elseif(NOT WB_CADICAL STREQUAL AUTO)
    list(APPEND missing "cadical (no pkg-config file: libcadical and ccadical.h)")
  endif()
endif()

if(missing)
  list(JOIN missing "\n  " missing)
  message(FATAL_ERROR "These libraries are missing, by their pkg-config names:\n  ${missing}\n"
                      "On Debian and Ubuntu scripts/install-packages build installs what is needed to build (test: to test).")
endif()
