# What unmodified programs launch, by a library in front of the GPU's driver (docs/record.md). It
# needs the driver under a name of its own, for which an empty library stands while it is linked.
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/record_driver.c CONTENT "")
add_library(record_driver SHARED ${CMAKE_CURRENT_BINARY_DIR}/record_driver.c)
add_library(record_library MODULE wings/record/library/library.c)
target_include_directories(record_library PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
                                                  ${CMAKE_CURRENT_SOURCE_DIR}/wings/record/library)
target_compile_definitions(record_library PRIVATE _GNU_SOURCE)
target_link_libraries(record_library PRIVATE -Wl,--no-as-needed record_driver -pthread
                                             ${CMAKE_DL_LIBS})
set_target_properties(record_driver PROPERTIES OUTPUT_NAME warpbound-driver SUFFIX .so.1)
set_target_properties(record_library PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
                                                BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "")
foreach(target record_driver record_library) # they run in other programs
  if(WB_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
    target_link_options(${target} PRIVATE -fno-sanitize=all)
  endif()
endforeach()
set(record_library ${CMAKE_CURRENT_BINARY_DIR}/embedded_record_library.c)
add_custom_command(
  OUTPUT ${record_library}
  COMMAND ${CMAKE_COMMAND} -D FILES=$<TARGET_FILE:record_library> -D OUTPUT=${record_library}
          -D NAME=embedded_record_library -D HEADER=base/files.h
          -P ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
  DEPENDS record_library ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
  VERBATIM)
wb_folder(wings/record LIBRARIES ${CMAKE_DL_LIBS} GENERATED ${record_library})
