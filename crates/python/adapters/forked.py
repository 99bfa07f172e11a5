"""`python -m rewardkit`, in processes that are forked from one that imported it: the import takes seconds."""

import multiprocessing
import os
import runpy
import subprocess
import sys


def _becomes(words, said):
    with open(said, "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.argv[1:] = words
    runpy.run_module("rewardkit", run_name="__main__", alter_sys=True)


def rewardkit(words, said):
    """Runs it to its end, and writes what it says to a file. Returns its exit code. In full size it is a program of its own."""
    if os.environ.get("CANDOR_TEST_SIZE") == "full":
        with open(said, "wb") as file:
            command = [sys.executable, "-m", "rewardkit", *words]
            return subprocess.run(command, stdout=file, stderr=subprocess.STDOUT).returncode
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["rewardkit.runner"])
    process = context.Process(target=_becomes, args=(words, said))
    process.start()
    process.join()
    return process.exitcode
