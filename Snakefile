"""The graph of the blog: train -> measure -> draw -> site, over what the questions declare.

    python -m reproduce blog                                       here, under a lock; what `make reproduce` calls
    snakemake --profile profiles/slurm --config scale=paper        on a cluster, one GPU for each training job

Outputs are markers runs/<scale>/<job>.done; see reproduce/_press/plan.py for why, and for the keys that say when to run again.
"""
import sys
from pathlib import Path

sys.path.insert(0, workflow.basedir)  # a started job has another current directory on its path
from reproduce._press import plan

PYTHON = sys.executable
SCALE = config.get("scale", "laptop")
if "plan" in config:  # made once by `python -m reproduce blog`; each job that is started reads this file again
    JOBS = plan.read(Path(workflow.basedir) / config["plan"])
else:
    JOBS = plan.plan(SCALE, plan.blog_questions(config.get("questions", "")))
    if workflow.is_main_process:  # not in the jobs that it starts on other machines
        plan.drop_stale_markers(SCALE, JOBS)


def done(job):
    return plan.marker(SCALE, job)


def log_of(job):
    return plan.log(SCALE, job)


def needs(pattern):
    return lambda wildcards: [done(job) for job in JOBS[pattern.format(**wildcards)].needs]


def key(pattern):
    return lambda wildcards: JOBS[pattern.format(**wildcards)].key


wildcard_constraints:
    question="[A-Za-z0-9_]+",


localrules:
    site,


rule site:
    input: needs("site")
    output: done("site")
    log: log_of("site")
    params: key=key("site")
    shell: "{PYTHON:q} -m mkdocs build --strict > {log} 2>&1 && echo {params.key} > {output}"


rule draw:
    input: needs("draw-{question}")
    output: done("draw-{question}")
    log: log_of("draw-{question}")
    params: key=key("draw-{question}")
    shell: "{PYTHON:q} -m reproduce draw {wildcards.question} --scale {SCALE} > {log} 2>&1 && echo {params.key} > {output}"


rule measure: # one part, or several that wait for the same models
    input: needs("measure-{question}-{part}")
    output: done("measure-{question}-{part}")
    log: log_of("measure-{question}-{part}")
    params: key=key("measure-{question}-{part}"), parts=lambda w: ",".join(JOBS[f"measure-{w.question}-{w.part}"].parts)
    shell: "{PYTHON:q} -m reproduce run {wildcards.question} --part {params.parts} --go-on --scale {SCALE} > {log} 2>&1 && echo {params.key} > {output}"


rule train:
    output: done("train-{model}")
    log: log_of("train-{model}")
    params: key=key("train-{model}")
    threads: 2
    resources: gpu=1
    priority: 1  # the longest jobs begin first
    shell: "{PYTHON:q} -m reproduce train {wildcards.model} --scale {SCALE} > {log} 2>&1 && echo {params.key} > {output}"
