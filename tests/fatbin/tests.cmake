wb_test(test_fatbin_files wb_fatbin)
wb_test(test_fatbin_damaged wb_fatbin)
