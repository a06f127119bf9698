# Gated SSA form, which `cfg --ssa` prints (docs/control-flow.md).
wb_folder(wings/gated_ssa)
