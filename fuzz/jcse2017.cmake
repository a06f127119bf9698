# It asks for a bound under every scheme; some have bounds of this wing alone.
wb_fuzz(fuzz_grid wb_wings)
