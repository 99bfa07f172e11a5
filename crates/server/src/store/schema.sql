CREATE TABLE candor_keys (id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, created_at TEXT NOT NULL, revoked_at TEXT);
CREATE TABLE candor_sessions (id TEXT PRIMARY KEY, key_id TEXT NOT NULL, digest TEXT NOT NULL, expires_at TEXT NOT NULL);
CREATE TABLE candor_definitions (kind TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY (kind, id));
CREATE TABLE candor_worlds (digest TEXT PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE candor_benchmark_runs (id TEXT PRIMARY KEY, benchmark_id TEXT NOT NULL, benchmark_name TEXT, scored BIGINT NOT NULL, agent_id TEXT, phase TEXT NOT NULL, token_digest TEXT NOT NULL, token_expires_at TEXT NOT NULL, created_at TEXT NOT NULL, completed_at TEXT, result TEXT, touched BIGINT NOT NULL, pruned BIGINT NOT NULL);
CREATE TABLE candor_task_runs (id TEXT PRIMARY KEY, run_id TEXT NOT NULL, position BIGINT NOT NULL, task_id TEXT NOT NULL, task TEXT NOT NULL, world TEXT, outside TEXT, phase TEXT NOT NULL, expired BIGINT NOT NULL, created_at TEXT NOT NULL, started_at TEXT, deadline TEXT, frozen_at TEXT, completed_at TEXT, next_seq BIGINT NOT NULL, agent_digest TEXT, owner TEXT, lease_until TEXT, result TEXT, mllp_port BIGINT);
CREATE INDEX candor_task_runs_by_run ON candor_task_runs (run_id, position);
CREATE INDEX candor_task_runs_by_phase ON candor_task_runs (phase, deadline);
CREATE TABLE candor_writes (task_run_id TEXT NOT NULL, seq BIGINT NOT NULL, part TEXT NOT NULL, name TEXT NOT NULL, action TEXT NOT NULL, body BLOB NOT NULL, written_by TEXT NOT NULL, written_at TEXT NOT NULL, PRIMARY KEY (task_run_id, seq));
CREATE INDEX candor_writes_by_name ON candor_writes (task_run_id, part, name, seq);
CREATE TABLE candor_criterion_runs (id TEXT PRIMARY KEY, task_run_id TEXT NOT NULL, position BIGINT NOT NULL, record TEXT NOT NULL);
CREATE INDEX candor_criterion_runs_by_task_run ON candor_criterion_runs (task_run_id, position);
CREATE TABLE candor_answers (scope TEXT NOT NULL, idempotency_key TEXT NOT NULL, request TEXT NOT NULL, status BIGINT, headers TEXT, body BLOB, created_at TEXT NOT NULL, PRIMARY KEY (scope, idempotency_key));
CREATE TABLE candor_shares (id TEXT PRIMARY KEY, run_id TEXT NOT NULL, digest TEXT NOT NULL, expires_at TEXT NOT NULL)
