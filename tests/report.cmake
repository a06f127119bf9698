wb_test(test_schedule wb_report)
wb_test(test_path_report wb_report)
wb_test(test_svg_chart wb_report)
wb_test(test_analyzer wb_report)
