# How tight bounds of kernels are, in tables: run by `make bench-tightness`, not by `make bench`.
file(GLOB tightness_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tightness/*.c)
add_executable(tightness ${tightness_sources})
target_compile_definitions(tightness PRIVATE _GNU_SOURCE)
target_link_libraries(tightness PRIVATE wb_report m)
