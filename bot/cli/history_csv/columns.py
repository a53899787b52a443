"""The columns of a history, in their order. `reason` is what the newest evaluation said; it is read back by nobody."""

from __future__ import annotations

RUN_COLUMNS = (
    *("repository_id", "repository", "run_id", "run_attempt", "created_at", "started_at", "event", "head_branch"),
    *("workflow", "conclusion", "trusted", "measures", "head_sha", "partial_suites"),
)
JOB_COLUMNS = (
    *("job_id", "job_name", "job_attempt", "job_conclusion", "log_sha256", "dialect", "tested_sha", "carried_from"),
)
ROW_COLUMNS = (
    *("suite", "backend", "partition_id", "partition_size", "plan_index", "test_file", "status", "reason"),
    *("elapsed_s", "logged_est_s", "tries", "implicit", "runner_name", "blob_at_head", "note", "doubt"),
    *("plan_line", "timing_line", "status_line", "summary_line", "doubt_line"),
)
COLUMNS = (*RUN_COLUMNS, *JOB_COLUMNS, *ROW_COLUMNS)
