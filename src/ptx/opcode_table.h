/* One row per base opcode. Included with OPCODE defined by whoever needs a view of it. */
OPCODE(ADD, "add", "dss", INT_ADD, FP16, FP32, FP64)
