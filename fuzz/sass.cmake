wb_fuzz(fuzz_sass wb_sass)
