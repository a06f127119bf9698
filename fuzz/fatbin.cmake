set(fuzz_limits -runs=5000 -max_len=16384)
wb_fuzz(fuzz_fatbin wb_lift)
