wb_test(test_sweep_results wb_sweep)
wb_test(test_svg_pictures wb_sweep)
wb_cli_test(test_cli_sweep)
wb_cli_test(test_cli_slurm)

# Sweeps on a real Slurm, where Debian's slurm-wlm and munge are installed and root runs the tests;
# elsewhere skipped. They take minutes, most of them waiting.
if(NOT WB_SANITIZE)
  foreach(case array node nodes memory endless controller users moment accounts preemption)
    add_test(NAME slurm_${case}
             COMMAND tests/wings/sweep/slurm/sweep_test.sh $<TARGET_FILE:warpbound_cli> ${case}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(slurm_${case} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
                         RESOURCE_LOCK slurm)
  endforeach()
endif()
