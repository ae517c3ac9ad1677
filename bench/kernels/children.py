"""Programs that write one number, each in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parent.parent / "peers"
# glibc gives and takes memory back page by page, so that what a call uses shows.
PLAIN_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"}


def number(program, *words, **environment):
    """What the program writes; nothing is read from Kolam's cache on disk."""
    path = os.pathsep.join([str(PEERS), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "KOLAM_CACHE": "off", "PYTHONPATH": path, **environment}
    done = subprocess.run([sys.executable, program, *words], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{program} {' '.join(words)}: {done.stderr.strip().splitlines()[-1:]}")
    return float(done.stdout.splitlines()[-1])
