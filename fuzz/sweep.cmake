wb_fuzz(fuzz_sweep wb_sweep)
file(COPY ${PROJECT_SOURCE_DIR}/kernels/vecadd.ptx ${PROJECT_SOURCE_DIR}/kernels/vecadd.yaml
     DESTINATION ${CMAKE_CURRENT_BINARY_DIR}) # which its seeds name
