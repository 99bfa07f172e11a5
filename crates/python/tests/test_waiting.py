"""Work that takes long: the event loop goes on, a cancelled task stops it, Ctrl-C ends a call, processes have their own."""

import asyncio
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import candor
import pytest
from conftest import RIGHT, order_task


@pytest.fixture
def slow():
    """A sandbox whose portal is a server that never answers, and how many connections are open to it."""
    server = socket.create_server(("127.0.0.1", 0))
    connections = []

    def accept():
        while True:
            try:
                connections.append(server.accept()[0])
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()
    port = server.getsockname()[1]
    settings = f'[fhir]\nurl = "http://127.0.0.1:{port}/"\n[limits]\ntimeout = "1h"\n'
    box = candor.Sandbox(settings=settings)
    yield box, connections
    server.close()
    [connection.close() for connection in connections]


WAITS = {
    "id": "waits",
    "criteria": [{"id": "c", "assertion": {"assert": "fhir-resource-state", "resource_type": "Patient", "search": {"_id": "p"}}}],
}


def test_the_event_loop_goes_on(slow):
    box, connections = slow

    async def main():
        running = asyncio.create_task(candor.acheck(WAITS, box))
        beats = 0
        # A loop that waits for the server comes here after an hour.
        while not connections or beats < 20:
            await asyncio.sleep(0.01)
            beats += 1
        assert not running.done()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(running, 0.1)

    asyncio.run(main())


def test_the_event_loop_goes_on_while_a_file_is_read(tmp_path, task):
    """A task file that is slow to read: a pipe, which nobody has written yet."""
    file = tmp_path / "task.json"
    os.mkfifo(file)

    async def main():
        beats = 0
        running = asyncio.create_task(candor.acheck(file, candor.Sandbox(portal={"orders": RIGHT})))
        while beats < 20:
            await asyncio.sleep(0.01)
            beats += 1
        assert not running.done()
        with open(file, "w") as pipe:
            pipe.write(json.dumps(task))
        return await asyncio.wait_for(running, 600)

    assert asyncio.run(main()).verdict == "pass"


def test_many_at_once(task):
    async def main():
        box = candor.Sandbox(portal={"orders": RIGHT})
        return await asyncio.gather(*(candor.acheck(task, box) for _ in range(200)))

    assert {run.verdict for run in asyncio.run(main())} == {"pass"}


def test_a_program_that_ends_in_the_middle():
    """No thread of Candor's is in the interpreter when it ends."""
    program = """
import asyncio, sys, threading
sys.path.insert(0, {here!r})
import candor
from conftest import RIGHT, order_task
box, task = candor.Sandbox(portal={{"orders": RIGHT}}), candor.Task(order_task())
async def main():
    running = [asyncio.create_task(candor.acheck(task, box)) for _ in range(50)]
    await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
threading.Thread(target=lambda: candor.bench([(task, box)] * 500, progress=print), daemon=True).start()
asyncio.run(main())
"""
    here = os.path.dirname(os.path.abspath(__file__))
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program.format(here=here)], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr


def test_cancelling_stops_the_work(slow):
    box, connections = slow
    engine = candor.Engine(waiting=1)

    async def main():
        running = asyncio.create_task(candor.acheck(WAITS, box, engine=engine))
        while not connections:
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        # The only thread that waits for servers is free again, or replaced; by itself it is after an hour.
        return await candor.acheck(order_task(), candor.Sandbox(portal={"orders": RIGHT}), engine=engine)

    assert asyncio.run(main()).verdict == "pass"


@pytest.mark.parametrize("call", [candor.check, lambda task, box: candor.bench([(task, box)])])
def test_interrupt_ends_a_call(slow, call):
    box, connections = slow

    def interrupt():
        while not connections:
            time.sleep(0.01)
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    # By itself it ends after an hour.
    with pytest.raises(KeyboardInterrupt):
        call(WAITS, box)


def test_other_threads_run_during_a_call(slow):
    box, connections = slow
    counted = []

    def count():
        while not connections:
            time.sleep(0.001)
        while len(counted) < 2000:
            counted.append(None)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=count, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        candor.check(WAITS, box)
    # Without the interpreter the thread would have counted nothing, and interrupted nobody.
    assert len(counted) == 2000


def grade(given):
    task, box, engine = given
    return candor.check(task, box, engine=engine).verdict


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method, task):
    box, engine = candor.Sandbox(portal={"orders": RIGHT}), candor.Engine(threads=1)
    assert grade((task, box, engine)) == "pass"
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(grade, [(task, box, engine)] * 8).get(600) == ["pass"] * 8


def test_a_fork_that_shares_what_was_made(task):
    """The child uses objects of the parent's memory, whose threads it does not have."""
    box, engine, made = candor.Sandbox(portal={"orders": RIGHT}), candor.Engine(), candor.Task(task)
    assert candor.check(made, box, engine=engine).verdict == "pass"
    child = os.fork()
    if child == 0:
        verdict = candor.check(made, box, engine=engine).verdict
        os._exit(0 if verdict == "pass" else 1)
    until = time.monotonic() + 600
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert status == 0
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child hangs")
