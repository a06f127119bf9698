# Reordering of memory accesses and bounds of JCSE 2017 (docs/memory-bounds.md).
wb_folder(wings/jcse2017)
