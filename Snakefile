"""The graph of the blog on a cluster: train -> measure -> draw -> site, over what the questions declare.

    python -m reproduce blog --scale paper --profile slurm         with the time left and a verdict
    snakemake --profile profiles/slurm --config scale=paper        on a cluster, one GPU for each training job

Outputs are markers runs/<scale>/<job>.done; see presswork.plan for why, and for the keys that say when to run again.
"""
import sys
from pathlib import Path

sys.path.insert(0, workflow.basedir)  # a started job has another current directory on its path
from presswork import plan

PYTHON = sys.executable
SCALE = config.get("scale", "laptop")
if "plan" in config:  # made once by `python -m reproduce blog`; each job that is started reads this file again
    JOBS = plan.read(Path(workflow.basedir) / config["plan"])
else:
    JOBS = plan.plan(SCALE, plan.blog_questions(config.get("questions", "")))
    if workflow.is_main_process:  # not in the jobs that it starts on other machines
        plan.drop_stale_markers(SCALE, JOBS)


localrules:
    site,


for _name, _job in reversed(JOBS.items()):  # the site comes first: what Snakemake makes when nothing is named

    rule:
        name: _name
        input: [plan.marker(SCALE, other) for other in _job.needs]
        output: plan.marker(SCALE, _name)
        log: plan.log(SCALE, _name)
        params: key=_job.key, command=_job.command(_name, SCALE)
        priority: _job.priority
        threads: _job.threads
        resources: **plan.resources(_name)
        shell: "{PYTHON:q} -m {params.command} > {log} 2>&1 && echo {params.key} > {output}"
