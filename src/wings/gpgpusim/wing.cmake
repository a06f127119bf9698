# A model of an SM after GPGPU-Sim 4, and machines of its configurations (docs/gpgpusim.md).
wb_folder(wings/gpgpusim LIBRARIES m)
