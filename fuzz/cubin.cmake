wb_fuzz(fuzz_cubin test_support wb_lift)

# The checker of certificates, which ends its process: it is made to end a run instead.
wb_fuzz(fuzz_checked_paths)
set(checker ${PROJECT_SOURCE_DIR}/check)
target_sources(fuzz_checked_paths PRIVATE ${checker}/cubin.c ${checker}/flow.c ${checker}/follow.c ${checker}/lanes.c
               ${checker}/launch.c ${checker}/numbers.c ${checker}/sha256.c ${checker}/subject.c)
target_compile_definitions(fuzz_checked_paths PRIVATE exit=checker_exit calloc=checker_calloc
                           realloc=checker_realloc free=checker_free)
