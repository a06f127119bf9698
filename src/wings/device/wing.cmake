# What launches take on the GPU of this machine, by its driver, which is opened at run time
# (docs/measure.md).
wb_folder(wings/device LIBRARIES ${CMAKE_DL_LIBS})
