# Many analyses as a file names them, and their results in a database (docs/sweep.md).
wb_folder(wings/sweep LIBRARIES PkgConfig::SQLITE PkgConfig::JANSSON m)
wb_folder(wings/sweep/report LIBRARIES m)
