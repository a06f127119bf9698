wb_fuzz(fuzz_cubin test_support wb_lift)

# The checker of certificates, which ends its process: here it ends a run.
wb_fuzz(fuzz_checked_paths)
foreach(file cubin flow follow lanes launch loops numbers sha256 subject)
  target_sources(fuzz_checked_paths PRIVATE ${PROJECT_SOURCE_DIR}/check/${file}.c)
endforeach()
target_compile_definitions(fuzz_checked_paths PRIVATE exit=checker_exit calloc=checker_calloc
                           realloc=checker_realloc free=checker_free)
target_compile_options(fuzz_checked_paths PRIVATE -U_GNU_SOURCE) # its files say it themselves
