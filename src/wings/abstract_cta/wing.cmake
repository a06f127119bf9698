# Abstract CTA simulation of WCET 2014 (docs/abstract-cta.md).
wb_folder(wings/abstract_cta)
