/* The machine's instruction set: a row per opcode, and rows of the forms it is coded in. No include guard:
 * included with SASS_OPCODE(enumerator, ...) and SASS_FORM(...) defined by whoever needs a view of it. */
SASS_OPCODE(IADD3, "IADD3")
