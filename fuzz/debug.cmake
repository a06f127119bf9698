if(DW_FOUND)
  set(fuzz_limits -runs=3000 -max_len=16384)
  wb_fuzz(fuzz_types wb_report_flow)
endif()
