"""What is left of an engine when its driver is killed, and where it listens."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from processes import descendants, is_alive, listening, shared_memory, until
from programs import has_its_bits, product

LOOPBACK = ("0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F")
#: Seconds until the shared memory and the processes of a driver that was killed are gone.
MEMORY_SECONDS, PROCESS_SECONDS = 5, 90


@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_listens_on_loopback_alone(engine):
    assert has_its_bits(product, engine)
    found = listening([*descendants(), psutil.Process()])
    assert found
    assert [address for address, _ in found if address not in LOOPBACK] == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_driver_killed(engine):
    driver = subprocess.Popen([sys.executable, Path(__file__).with_name("driver.py"), engine], stdout=subprocess.PIPE, text=True)
    try:
        for _ in range(3):
            assert driver.stdout.readline() == "ran\n"
        processes = descendants(driver.pid)
        files = shared_memory(processes)
        assert processes
        assert engine == "dask" or files
    finally:
        driver.kill()
        driver.wait()
    left = lambda: shared_memory(process for process in processes if is_alive(process)) | set(filter(os.path.exists, files))
    assert until(lambda: not left(), MEMORY_SECONDS), left()
    alive = lambda: [process for process in processes if is_alive(process)]
    assert until(lambda: not alive(), PROCESS_SECONDS), alive()
