# Tasks of kernels, copies and work of the host (docs/task.md).
wb_folder(wings/task)
