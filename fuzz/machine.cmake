wb_fuzz(fuzz_machine wb_machine)
wb_fuzz(fuzz_gpgpusim_config wb_machine)
wb_fuzz(fuzz_launch wb_launch)
wb_fuzz(fuzz_facts wb_launch)
