/* What can be claimed, and the theorem that Coq checked of it. */
#include "code.h"
#include "kernel.h"

static const struct method methods[] = {
    {"sib", .of_block = sib, .theorem = "block/IsolationPaths.v:SIB_at_bound"},
    {"fib", .of_block = fib, .theorem = "block/Bounds.v:fib_bound"},
    {"aln", .of_block = aln, .theorem = "block/AlnPaths.v:ALN_bound"},
    {"fifo", .of_block = fifo, .of_whole = true, .theorem = "block/FifoPaths.v:FIFO_bound"},
    {"elb", .of_block = elb, .several = true, .theorem = "block/Paths.v:ELB_bound"},
    {"chain", .of_block = chain, .theorem = "block/ChainBlock.v:chain_alone"},
    {"lower", .of_block = lower, .is_lower = true, .of_whole = true,
     .theorem = "check/CheckSchedule.v:valid_ok"},
    {"k-sm", .of_grid = k_one_sm, .theorem = "kernel/Kernel.v:k_sm_bound"},
    {"k-area", .of_grid = k_all_sms, .theorem = "kernel/Kernel.v:k_area_grid"},
    {"k-bal", .of_grid = k_balanced, .theorem = "kernel/Halves.v:k_bal_halves_ok"},
    {"k-sm-static", .of_grid = k_fixed, .theorem = "kernel/Kernel.v:k_sm_static_bound"},
    {"k-chain", .chains = true, .of_grid = k_one_sm, .theorem = "kernel/ChainCopies.v:k_chain_copies"},
    {"k-chain-area", .chains = true, .of_grid = k_all_sms, .theorem = "kernel/Chain.v:k_chain_area_grid"},
    {"k-chain-bal", .chains = true, .of_grid = k_balanced, .theorem = "kernel/Chain.v:k_chain_bal_grid"},
    {"k-chain-static", .chains = true, .of_grid = k_fixed,
     .theorem = "kernel/ChainCopies.v:k_chain_static_copies"},
    {"k-serial", .chains = true, .of_grid = k_serial, .theorem = "kernel/SerialGrid.v:k_serial_bound"},
    {"k-oldest", .chains = true, .of_grid = k_oldest, .theorem = "kernel/OldestGrid.v:k_oldest_bound"},
    {"k-wave-sib", .of_grid = k_wave_sib, .at_once = true, .of_whole = true,
     .theorem = "kernel/WaveCopies.v:k_wave_copies"},
    {"k-wave-aln", .of_grid = k_wave_aln, .at_once = true, .of_whole = true,
     .theorem = "kernel/WaveTeamPaths.v:k_wave_teams"},
    {"k-wave-fifo", .of_grid = k_wave_fifo, .at_once = true, .of_whole = true,
     .theorem = "kernel/WaveFifo.v:wave_fifo"},
    {"segment-sum", .of_grid = segment_sum, .at_once = true, .whole_proof = true,
     .theorem = "memory/SegmentSum.v:segment_sum"},
    {"turn-chain", .of_grid = turn_chain, .at_once = true, .of_scheme = true},
    {"reorder-chain", .of_grid = reorder_chain, .at_once = true, .of_scheme = true},
    {"code-elb", .of_block = code_elb, .of_code = true, .theorem = "sass/CodeElb.v:code_elb"},
    {"code-sib", .of_block = code_sib, .of_code = true, .theorem = "sass/CodeSpill.v:code_fib_sections"},
    {"code-fib", .of_block = code_fib, .of_code = true, .theorem = "sass/CodeSpill.v:code_fib_sections"},
    {"code-k-sm", .of_grid = k_one_sm, .of_code = true, .by_sums = "sass/CodeLedger.v:code_kernel"},
    {"code-k-area", .of_grid = k_all_sms, .of_code = true, .by_sums = "sass/CodeLedger.v:code_kernel"},
    {"code-k-bal", .of_grid = k_balanced, .of_code = true, .by_sums = "sass/CodeLedger.v:code_kernel"},
    {"code-k-sm-static", .of_grid = k_fixed, .of_code = true,
     .by_sums = "sass/CodeLedger.v:code_k_sm_static"},
    {"code-k-chain", .chains = true, .of_grid = k_one_sm, .of_code = true,
     .by_sums = "sass/CodeChainApart.v:chain_area_apart"},
    {"code-k-chain-area", .chains = true, .of_grid = k_all_sms, .of_code = true,
     .by_sums = "sass/CodeChainApart.v:chain_area_apart"},
    {"code-k-chain-bal", .chains = true, .of_grid = k_balanced, .of_code = true},
    {"code-k-chain-static", .chains = true, .of_grid = k_fixed, .of_code = true,
     .by_sums = "sass/CodeChainApart.v:chain_static_apart"},
};

const struct method *method_at(uint64_t number) {
    return number < sizeof methods / sizeof *methods ? &methods[number] : NULL;
}
