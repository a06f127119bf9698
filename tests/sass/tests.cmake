wb_test(test_sass_decode wb_sass)
wb_test(test_sass_words wb_sass)
