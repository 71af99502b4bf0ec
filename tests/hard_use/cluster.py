"""A page of the blog on a real Slurm cluster of one node, disturbed; its rows must be those of a run without a cluster.

    make slurm-test        needs root, and of Debian: apt-get install slurmctld slurmd slurm-client munge

All of the cluster lies in a temporary folder and ends with the test. Its node has a GPU by name alone, so that trainings
wait for it in turn as they would for a real one. One training is cancelled, then the node is drained and resumed; the run
says what failed, and the same command again completes it.
"""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.hard_use import copies

PAGE = "reproduction"  # two trainings, of which several parts wait, and drawing
BLOG = ("blog", "--page", PAGE, "--profile", "slurm")
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel", "scontrol", "squeue")
NODE = socket.gethostname().split(".")[0]
SETTINGS = f"""\
ClusterName=test
SlurmctldHost={NODE}(127.0.0.1)
SlurmctldPort=17817
SlurmdPort=17818
SlurmUser=root
AuthInfo=socket={{folder}}/munge/socket
StateSaveLocation={{folder}}/state
SlurmdSpoolDir={{folder}}/spool
SlurmctldPidFile={{folder}}/slurmctld.pid
SlurmdPidFile={{folder}}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName={NODE} NodeAddr=127.0.0.1 CPUs=8 RealMemory=64000 Gres=gpu:1
PartitionName=all Nodes=ALL Default=YES
"""


def missing() -> str:
    """What keeps the cluster from starting, in one sentence."""
    lacking = [name for name in PROGRAMS if not shutil.which(name)]
    if lacking:
        return f"Not installed: {', '.join(lacking)}; apt-get install slurmctld slurmd slurm-client munge."
    if os.geteuid() != 0:
        return "Only root can start a cluster's daemons: run this test as root, in a container for instance."
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        return "Snakemake's part for Slurm is not installed: pip install --group slurm."
    return ""


@contextmanager
def cluster(folder: Path) -> Iterator[None]:
    """Munge, the controller and one node. All programs find them by $SLURM_CONF."""
    munge = folder / "munge"
    for made in (munge, folder / "state", folder / "spool", folder / "bin"):
        made.mkdir(mode=0o755)
    (munge / "key").write_bytes(os.urandom(1024))
    (munge / "key").chmod(0o400)
    (folder / "slurm.conf").write_text(SETTINGS.format(folder=folder))
    (folder / "gres.conf").write_text("Name=gpu File=/dev/null\n")
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    # Snakemake hides SLURM_CONF from the steps of a job, which elsewhere is in /etc.
    (folder / "bin" / "srun").write_text(
        f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {shutil.which("srun")} "$@"\n'
    )
    (folder / "bin" / "srun").chmod(0o755)
    os.environ["PATH"] = f"{folder}/bin:{os.environ['PATH']}"
    files = [
        f"--{kind}={munge}/{kind.partition('-')[0]}"
        for kind in ("key-file", "socket", "log-file", "seed-file")
    ]
    daemons = [["munged", "--foreground", "--force", f"--pid-file={munge}/pid", *files]]
    daemons += [["slurmctld", "-D", "-c"], ["slurmd", "-D", "-c"]]
    started = []
    with open(folder / "daemons.log", "ab") as log:
        for command in daemons:
            started.append(subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True))
            time.sleep(2)
    try:
        copies.until(
            lambda: "idle" in slurm("sinfo", "--noheader", "--format", "%T"), "the node is idle", started[-1]
        )
        yield
    finally:
        slurm("scancel", "--user", "root")
        for process in reversed(started):
            process.terminate()
            process.wait(60)


def slurm(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def at_work(which: str = "") -> list[str]:
    """Jobs that run on the node, or only those that asked for a GPU."""
    lines = slurm("squeue", "--noheader", "--states", "R", "--Format", "JobID,tres-per-job").splitlines()
    return [line.split()[0] for line in lines if which in line]


def disturbed(root: Path) -> None:
    """A run of which a training is cancelled while it works, and whose node then takes no job for a while."""
    run = copies.start(root, *BLOG, said=True)
    copies.until(lambda: at_work("gpu"), "a training is at work", run)
    (cancelled,) = at_work("gpu")  # one GPU, one training
    slurm("scancel", cancelled)
    slurm("scontrol", "update", f"NodeName={NODE}", "State=DRAIN", "Reason=test")
    copies.until(lambda: not at_work(), "the drained node is empty", run)
    copies.until(lambda: slurm("squeue", "--noheader", "--states", "PD"), "a job waits for the node", run)
    slurm("scontrol", "update", f"NodeName={NODE}", "State=RESUME")
    assert run.wait(copies.WAIT) != 0, "a run whose training was cancelled counted as complete"


def main() -> int:
    if lacking := missing():
        print(lacking, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # Munge's socket is for all
        expected = copies.rows_without_disturbance(PAGE, folder / "alone")
        root = copies.copy(folder / "blog")
        shutil.copytree(root / "presswork/src/presswork/jobs/profiles", root / "profiles")
        with open(root / "profiles/slurm/config.yaml", "a", encoding="utf-8") as profile:
            profile.write("slurm-init-seconds-before-status-checks: 5 # nobody else asks this controller\n")
        (folder / "cluster").mkdir()
        with cluster(folder / "cluster"):
            disturbed(root)
            status = copies.start(root, *BLOG, said=True).wait(copies.WAIT)
        wrong = copies.differences(copies.rows(root, PAGE), expected)
        print(f"status {status}; {len(expected)} tables, unlike without it: {', '.join(wrong) or 'none'}")
        return 1 if status or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
