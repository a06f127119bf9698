wb_fuzz(fuzz_recording wb_record)
