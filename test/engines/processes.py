"""What the processes of an engine are and hold: workers, shared memory, listening sockets. Of our descendants alone."""

import os
import time

import psutil


def descendants(pid=None):
    """Live ones, as psutil's processes."""
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        if is_alive(process):
            found.append(process)
    return found


def is_alive(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def workers(engine):
    """Pids of the processes that run tasks; those that run one now first."""
    busy, idle = [], []
    for process in descendants():
        try:
            command = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if engine == "ray" and command.startswith("ray::_run"):
            busy.append(process.pid)
        elif (engine == "ray" and command.startswith("ray::IDLE")) or (engine == "dask" and "spawn_main" in command):
            idle.append(process.pid)
    return busy or idle


def shared_memory(processes):
    """Files of /dev/shm that these processes map."""
    found = set()
    for process in processes:
        try:
            with open(f"/proc/{process.pid}/maps") as maps:
                found |= {line.split(maxsplit=5)[5].strip() for line in maps if " /dev/shm/" in line}
        except OSError:
            continue
    return found


def listening(processes):
    """(address, port) of sockets on which these processes wait for others; addresses as /proc writes them, in hex."""
    inodes = set()
    for process in processes:
        try:
            for name in os.listdir(f"/proc/{process.pid}/fd"):
                target = os.readlink(f"/proc/{process.pid}/fd/{name}")
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
        except OSError:
            continue
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not os.path.exists(table):
            continue
        with open(table) as lines:
            for line in list(lines)[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in inodes:
                    found.append(tuple(fields[1].split(":")))
    return found


def until(condition, seconds):
    """Whether it holds at some moment of the next seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True
