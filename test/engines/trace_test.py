"""One KOLAM_TRACE has the tasks of all workers, and results that workers keep are found again."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import kolam as ko

PROGRAM = """
import sys
import kolam as ko
from kolam import engines

if __name__ == "__main__":
    x = ko.ones((512, 512))
    plan = ko.plan(lambda x: ko.tanh(x @ x) @ x, x, workers=4, steps=0)
    plan.run(x, engine=sys.argv[1], processes=2)
    engines.close()
"""


@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_spans_of_workers(engine, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = os.environ | {"KOLAM_TRACE": str(tmp_path / "trace.json")}
    subprocess.run([sys.executable, tmp_path / "program.py", engine], env=environment, check=True, timeout=300)
    spans = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    tasks = [span for span in spans if span["cat"] == "task"]
    assert len(tasks) >= 8 and all("piece" in span["name"] for span in tasks)
    own = {span["pid"] for span in spans} - {span["pid"] for span in tasks}
    assert len(own) == 1  # the driver's
    start, end = (function(span["ts"] for span in spans if span["pid"] in own) for function in (min, max))
    assert all(start <= span["ts"] <= end + 60e6 for span in tasks)  # microseconds of one clock


@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_kept_results(engine, tmp_path):
    x, kept = np.ones((256, 256), np.float32), ko.KeptResults("64MiB", tmp_path / "kept")
    f = lambda x: ko.tanh(x @ x)
    plan = ko.plan(f, x, workers=2, steps=0)
    for again in (False, True):
        result = plan.run(x, engine=engine, processes=2, kept=kept)
        assert np.asarray(result).tobytes() == np.asarray(ko.jit(f)(x)).tobytes()
        assert (plan.last_run.found == plan.last_run.tasks) == again
