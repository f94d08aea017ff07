"""Linear models solved by HiGHS."""

import highspy


def optimum_of(path) -> float:
    """The least value of the file's objective, as HiGHS finds it."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return solver.getInfo().objective_function_value
