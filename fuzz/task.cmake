wb_fuzz(fuzz_task wb_task)
