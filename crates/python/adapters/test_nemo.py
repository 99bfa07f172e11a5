"""NeMo Gym: its client, its agent and its collection of rollouts over `candor serve`; and its metrics of its own rollouts."""

import asyncio
import json
import os
import re
import socket
import subprocess
import time
import urllib.request
from collections import Counter

import pytest
import uvicorn
from aiohttp import ClientResponseError
from conftest import HERE
from fastapi import FastAPI
from nemo_gym import PARENT_DIR
from nemo_gym.base_resources_server import BaseVerifyResponse
from nemo_gym.config_types import BaseServerConfig
from nemo_gym.reward_profile import compute_aggregate_metrics
from nemo_gym.rollout_collection import RolloutCollectionConfig, RolloutCollectionHelper
from nemo_gym.server_utils import GlobalAIOHTTPAsyncClientConfig, ServerClient, get_response_json, set_global_aiohttp_client
from omegaconf import OmegaConf
from pydantic import ValidationError
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig, SimpleAgentVerifyRequest

TASK = json.loads((HERE.parents[2] / "fixtures/examples/service/task.json").read_text())

# What the model answers.
TEXT = {"type": "output_text", "text": "Done.", "annotations": []}
SAID = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [TEXT]}
RESPONSE = {"id": "r", "object": "response", "created_at": 1.0, "model": "m", "output": [SAID], "tools": []}
RESPONSE |= {"parallel_tool_calls": True, "tool_choice": "auto"}


def call(url, body, token):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=60) as answer:
        return json.load(answer)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The address of a service that holds the task, and an operator's key."""
    data = tmp_path_factory.mktemp("service")
    log = data / "log"
    made = subprocess.run([os.environ["CANDOR"], "keys", "create", "--data", data], check=True, capture_output=True, text=True)
    key = made.stdout.split()[-1]
    command = [os.environ["CANDOR"], "serve", "--data", data, "--listen", "127.0.0.1:0", "--allow-hosts", "127.0.0.1", "--nemo-open"]
    with log.open("w") as file:
        process = subprocess.Popen(command, stderr=file)
    try:
        until = time.monotonic() + 60
        while not (listening := re.search(r'"listen":"([^"]+)"', log.read_text())):
            assert process.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.02)
        url = f"http://{listening[1]}"
        call(f"{url}/tasks", TASK, key)
        yield url, key
    finally:
        process.terminate()
        process.wait()


class Client(ServerClient):
    """NeMo Gym's client, that of the agent. It keeps the answer of `seed_session`, which `SimpleAgent` does not read."""

    seeded: dict = {}

    async def post(self, server_name, url_path, **kwargs):
        answer = await super().post(server_name, url_path, **kwargs)
        if url_path == "/seed_session" and answer.ok:
            self.seeded = await get_response_json(answer)
        return answer


class Collection(RolloutCollectionHelper):
    """NeMo Gym's collection of rollouts, whose client does not ask a head server for its addresses."""

    client: ServerClient

    def setup_server_client(self, head_server_config=None):
        return self.client


class Gym:
    """NeMo Gym's agent and a model that says the same each time, in one event loop."""

    def __init__(self, url):
        self.sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        agent, model = (made.getsockname()[1] for made in self.sockets)
        host, port = url.removeprefix("http://").split(":")
        servers = {
            "candor": {"resources_servers": {"candor": {"host": host, "port": f"{port}/nemo"}}},
            "agent": {"responses_api_agents": {"simple_agent": {"host": host, "port": agent}}},
            "model": {"responses_api_models": {"model": {"host": host, "port": model}}},
        }
        self.client = Client(head_server_config=BaseServerConfig(host=host, port=1), global_config_dict=OmegaConf.create(servers))
        config = SimpleAgentConfig(
            name="agent",
            host=host,
            port=agent,
            entrypoint="app.py",
            resources_server={"type": "resources_servers", "name": "candor"},
            model_server={"type": "responses_api_models", "name": "model"},
        )
        own = SimpleAgent(config=config, server_client=self.client)
        self.apps = [own.setup_webserver(), FastAPI()]
        own.setup_exception_middleware(self.apps[0])
        self.apps[1].post("/v1/responses")(self.respond)

    def respond(self, body: dict) -> dict:
        """Books a visit for the patient whom the input names, and says that it is done."""
        patient = re.search(r"Patient/\w+", body["input"][-1]["content"])
        if patient:
            session = self.client.seeded["candor"]
            participant = {"actor": {"reference": patient[0]}, "status": "accepted"}
            visit = {"resourceType": "Appointment", "status": "booked", "participant": [participant]}
            call(f"{session['sandbox']['endpoints']['fhir']}/Appointment", visit, session["agent_token"])
        return RESPONSE

    async def start(self):
        self.http = set_global_aiohttp_client(GlobalAIOHTTPAsyncClientConfig())
        self.servers = [uvicorn.Server(uvicorn.Config(app, log_level="error")) for app in self.apps]
        self.tasks = [asyncio.create_task(server.serve([made])) for server, made in zip(self.servers, self.sockets)]

    async def stop(self):
        await self.http.close()
        for server in self.servers:
            server.should_exit = True
        await asyncio.gather(*self.tasks)

    async def collect(self, rows, folder, resume=False):
        """Lets NeMo Gym record rollouts of these rows in a folder."""
        given, out = folder / "rows.jsonl", folder / "rollouts.jsonl"
        given.write_text("".join(json.dumps(row) + "\n" for row in rows))
        config = RolloutCollectionConfig(
            agent_name="agent",
            input_jsonl_fpath=str(given),
            output_jsonl_fpath=str(out),
            num_samples_in_parallel=1,
            resume_from_cache=resume,
            upload_rollouts_to_wandb=False,
        )
        await asyncio.wait_for(Collection(client=self.client).run_from_config(config), 120)


@pytest.fixture(scope="module")
def gym(service):
    made = Gym(service[0])
    with asyncio.Runner() as runner:
        runner.run(made.start())
        yield made, runner.run
        runner.run(made.stop())


def row(content, candor):
    return {"responses_create_params": {"input": [{"role": "user", "content": content}]}, "_ng_task_index": 0, "candor": candor}


def recorded(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def without_responses(rows):
    """The rows as NeMo Gym sends them to be aggregated."""
    for row in rows:
        usage = (row.get("response") or {}).get("usage")
        kept = {name: value for name, value in row.items() if name not in ("response", "responses_create_params")}
        yield {**kept, "response": {"usage": usage}} if usage else kept


# What an answer of `verify` says anew, whatever the row says of an earlier one.
OWN = {"candor", "reward", "reward_components", "mask_sample", "_ng_failure_class", "failure_kind", "failure_reason"}

# How many rollouts NeMo Gym expected of a task: as many as it sends.
EXPECTED = {"expected_num_rollouts", "missing_num_rollouts", "reward_profile_completion_pct"}


def figures(metrics):
    return {name: value for name, value in metrics.items() if isinstance(value, (int, float)) and name not in EXPECTED}


def compare(rows, ours):
    """The metrics of the service are those of NeMo Gym, and how many rows had no reward. Returns how many there are."""
    own = compute_aggregate_metrics(rows, get_key_metrics_fn=lambda metrics: {"mean/reward": metrics["mean/reward"]}).model_dump()
    of_all, key = figures(ours["agent_metrics"]), dict(ours["key_metrics"])
    assert (of_all.pop("masked"), key.pop("masked")) == (0, 0)
    assert of_all == pytest.approx(figures(own["agent_metrics"]), rel=1e-9, abs=1e-9)
    assert key == pytest.approx(own["key_metrics"])
    groups = [figures(group) for group in ours["group_level_metrics"]]
    assert len(groups) == len(own["group_level_metrics"])
    for group, expected in zip(groups, own["group_level_metrics"]):
        assert group == pytest.approx(figures(expected), rel=1e-9, abs=1e-9)
    return len(of_all) + sum(map(len, groups))


def test_rollouts_are_collected(gym, tmp_path):
    made, run = gym
    rows = [row(f"Book a visit for {patient}.", {"task_id": TASK["id"]}) for patient in ("Patient/p1", "Patient/p2")]
    run(made.collect(rows, tmp_path))
    rollouts = recorded(tmp_path / "rollouts.jsonl")
    rewards = {rollout["responses_create_params"]["input"][0]["content"][-3:-1]: rollout["reward"] for rollout in rollouts}
    assert rewards == {"p1": 1.0, "p2": 0.5}
    assert {rollout["_ng_rollout_index"] for rollout in rollouts} == {0, 1}
    for rollout in rollouts:
        assert rollout["response"]["output"][0]["content"][0]["text"] == "Done." and not rollout["mask_sample"]
        assert rollout["reward_components"] == {"correctness": 2 * rollout["reward"] - 1, "safety": 1.0}
    (metrics,) = json.loads((tmp_path / "rollouts_aggregate_metrics.json").read_text())
    assert metrics["key_metrics"]["mean/reward"] == 0.75
    compare(list(without_responses(rollouts)), metrics)


def test_an_outage_is_not_recorded(gym, service, tmp_path, capsys):
    made, run = gym
    url, key = service
    with socket.create_server(("127.0.0.1", 0)) as closed:
        down = f"http://127.0.0.1:{closed.getsockname()[1]}/fhir"
    call(f"{url}/tasks", {**TASK, "id": "down", "sandbox": down}, key)
    candor = {"task_id": "down"}
    given = row("Nothing is to be done.", candor)

    async def verified():
        return await get_response_json(await made.client.post("candor", "/verify", json={**given, "response": RESPONSE}))

    answer = run(verified())
    assert answer["reward"] is None and answer["mask_sample"] and answer["_ng_failure_class"] == "candor_inconclusive", answer
    with pytest.raises(ValidationError, match="reward"):
        BaseVerifyResponse.model_validate(answer)
    # It has no record of the row, not even 0.0. So it asks for it again when it resumes.
    for resume in (False, True):
        with pytest.raises(ClientResponseError, match="500"):
            run(made.collect([given], tmp_path, resume))
        assert recorded(tmp_path / "rollouts.jsonl") == recorded(tmp_path / "rollouts_failures.jsonl") == []
    assert "1 rows that still need to be run" in capsys.readouterr().out


def fixtures():
    """The rollouts that NeMo Gym's package has of its verifiers, by file. Some files have placeholders in place of rows."""
    for file in sorted((PARENT_DIR / "resources_servers").glob("*/data/*rollouts.jsonl")):
        if not file.read_text().startswith("<PLACEHOLDER"):
            yield recorded(file)


def test_its_rollouts_are_verified(service, capsys):
    url, key = service
    portal = {"portal": {"orders": [{"id": "7", "status": "open"}]}}
    assertion = {"assert": "portal-state-match", "correlate_by": {"resource": "orders", "key": "id", "value": "7"}}
    task = {"id": "order", "criteria": [{"id": "open", "axis": "correctness", "assertion": {**assertion, "count": 1}}]}
    count = left_out = 0
    for row in (row for rows in fixtures() for row in rows):
        try:
            asked = SimpleAgentVerifyRequest.model_validate({**row, "candor": {"task": task, "sandbox": portal, "baseline": portal}})
        except ValidationError:
            # It is not what its client sends now.
            left_out += 1
            continue
        sent = asked.model_dump()
        answer = call(f"{url}/nemo/verify", sent, key)
        assert BaseVerifyResponse.model_validate(answer).reward == 1.0
        assert all(answer[name] == value for name, value in sent.items() if name not in OWN)
        count += 1
    with capsys.disabled():
        print(f"\n{count} rollouts of NeMo Gym's verifiers are answered as they were sent, {left_out} left out")
    assert count > 400


def test_the_metrics_are_its_own(service, capsys):
    url, key = service
    files = numbers = 0
    for rows in fixtures():
        # Some of its verifiers give no reward.
        if any(row.get("reward") is None for row in rows):
            continue
        seen = Counter()
        for number, row in enumerate(rows):
            task = row.setdefault("_ng_task_index", number)
            row["_ng_rollout_index"] = seen[task]
            seen[task] += 1
        rows = list(without_responses(rows))
        numbers += compare(rows, call(f"{url}/nemo/aggregate_metrics", {"verify_responses": rows}, key))
        files += 1
    with capsys.disabled():
        print(f"\n{numbers} numbers of {files} files are those of NeMo Gym")
    assert files > 85
