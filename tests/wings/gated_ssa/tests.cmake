wb_test(test_gates wb_gated_ssa)
wb_test(test_gates_random wb_gated_ssa)
wb_test(test_eta_divergence wb_gated_ssa)
wb_cli_test(test_cli_ssa)
