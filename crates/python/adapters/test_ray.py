"""Ray: many small sandboxes, and the scores of `candor bench`. In small size, one worker grades two blocks, each of a batch and
the rest of one. In full size there are two nodes, and a worker is killed in the middle."""

import json
import os
import signal
import threading
import time

import candor
import pytest
import ray

from candor.ray import check_dataset, score

FULL = os.environ.get("CANDOR_TEST_SIZE") == "full"
# A batch has 256 rows.
COUNT, BLOCKS = (100_000, 8) if FULL else (600, 2)

TASK = {
    "id": "order",
    "criteria": [
        {
            "id": "sent",
            "assertion": {
                "assert": "portal-state-match",
                "correlate_by": {"resource": "orders", "key": "id", "value": 1},
                "assertions": [{"path": "status", "expected": "sent"}],
            },
        }
    ],
}


def rows():
    for number in range(COUNT):
        status = "draft" if number % 7 == 0 else "sent"
        yield {"id": f"{number:06}", "sandbox": json.dumps({"portal": {"orders": [{"id": 1, "status": status}]}})}


@pytest.fixture(scope="module")
def cluster():
    if not FULL:
        # Each node and each of its services imports Ray for seconds.
        ray.init(address="local", num_cpus=1, include_dashboard=False, object_store_memory=100_000_000, log_to_driver=False)
        yield
        ray.shutdown()
        return
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    yield
    ray.shutdown()
    made.shutdown()


def workers():
    """The processes that grade."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            name = open(f"/proc/{process}/cmdline").read()
        except OSError:
            continue
        if name.startswith("ray::") and "MapBatches" in name:
            yield int(process)


def test_the_scores_of_bench(cluster, tmp_path, capsys):
    killed, over = [], threading.Event()

    def kill():
        while not killed and not over.is_set():
            for process in workers():
                os.kill(process, signal.SIGKILL)
                killed.append(process)
                break
            time.sleep(0.002)

    if FULL:
        threading.Thread(target=kill, daemon=True).start()
    dataset = ray.data.from_items(list(rows()), override_num_blocks=BLOCKS)
    began = time.monotonic()
    graded = check_dataset(dataset, TASK).materialize()
    took = time.monotonic() - began
    over.set()
    assert killed or not FULL, "no worker was killed"
    assert graded.count() == COUNT
    by_ray = score(graded)
    made = candor.Task(TASK)
    began = time.monotonic()
    bench = candor.bench([(row["id"], made, candor.Sandbox(**json.loads(row["sandbox"]))) for row in rows()], jobs=2)
    alone = time.monotonic() - began
    with capsys.disabled():
        print(f"\n{COUNT} sandboxes: Ray {took:.1f} s, candor.bench with two jobs {alone:.1f} s, ratio {took / alone:.1f}")
    assert by_ray.score.exact == bench.score.exact
    assert 0 < by_ray.score < 1
    # Byte for byte what `candor score` makes of the same criterion runs.
    file = tmp_path / "runs.ndjson"
    file.write_text("".join(row["criterion_runs"] for row in sorted(graded.take_all(), key=lambda row: row["id"])))
    assert candor.score(file).to_json() == by_ray.to_json()


def test_what_is_done_is_not_done_again(cluster):
    some = list(rows())[:2_000]
    done = [row["id"] for row in some[:-5]]
    graded = check_dataset(ray.data.from_items(some, override_num_blocks=BLOCKS), TASK, done=done)
    assert sorted(row["id"] for row in graded.take_all()) == [row["id"] for row in some[-5:]]


def test_bundles_are_judged_by_the_task(cluster, tmp_path):
    other = json.loads(json.dumps(TASK))
    other["criteria"][0]["assertion"]["assertions"][0]["expected"] = "draft"
    given = []
    for number, status in enumerate(["sent", "draft"]):
        bundle = candor.check(other, candor.Sandbox(portal={"orders": [{"id": 1, "status": status}]}), bundle=True).bundle
        given.append({"id": status, "bundle": bundle})
    verdicts = {row["id"]: row["verdict"] for row in check_dataset(ray.data.from_items(given), TASK).take_all()}
    assert verdicts == {"sent": "pass", "draft": "fail"}
    changed = bytearray(given[0]["bundle"])
    changed[len(changed) // 2] ^= 1
    with pytest.raises(Exception, match="was changed|not an evidence bundle|bundle"):
        check_dataset(ray.data.from_items([{"id": "changed", "bundle": bytes(changed)}]), TASK).materialize()


def test_arrow_tables():
    run = candor.bench([(row["id"], TASK, candor.Sandbox(**json.loads(row["sandbox"]))) for row in list(rows())[:2]])
    criteria, fields = candor.frame(run, library="arrow")
    assert criteria.column("status").to_pylist() == ["failed", "passed"]
    assert fields.column("actual").to_pylist() == ['"draft"', '"sent"']
