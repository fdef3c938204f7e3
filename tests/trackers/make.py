"""Makes the runs that lie here: python make.py with wandb 0.31 and swanlab 0.10.3, python make.py old with swanlab 0.6.12.

They are kept because neither library is needed for anything else, and both want their own versions of what accucheck uses. What names
this machine is taken out of what they write: the run is started in a folder with a name that says nothing.
"""

import math
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
CONFIG = {"lr": 0.1, "batch": 16}


def wandb_run() -> None:
    import numpy as np
    import wandb

    quiet = {"x_disable_meta": True, "x_disable_stats": True, "x_disable_machine_info": True, "disable_git": True}
    settings = wandb.Settings(
        mode="offline", console="off", save_code=False, host="host", username="user", program="train.py", **quiet
    )
    config = {**CONFIG, "optimizer": {"name": "adam"}}
    with wandb.init(project="digits", name="first", config=config, settings=settings) as run:
        for step in range(1, 6):
            row = {"loss": math.nan if step == 3 else 2 / step, "train/acc": step / 10}
            if step % 2:
                row["eval"] = {"top1": step / 20}
                row["weights"] = wandb.Histogram(np.arange(step * 4.0), num_bins=8)
            run.log(row, step=step * 10)
    wandb.teardown()  # its service writes until then
    (made,) = Path("wandb").glob("offline-run-*/run-*.wandb")
    shutil.copy(made, HERE / "run.wandb")


def swanlab_run(target: str, made: str) -> None:
    import swanlab

    swanlab.init(project="digits", experiment_name="first", config=CONFIG, mode="offline", logdir="swanlog")
    for step in range(1, 6):
        swanlab.log({"loss": math.nan if step == 3 else 2 / step, "train/acc": step / 10}, step=step * 10)
    swanlab.finish()
    (found,) = Path("swanlog").glob(f"run-*/{made}")
    shutil.copy(found, HERE / target)
    shutil.copy(found.with_name("files") / "config.yaml", HERE / "files" / "config.yaml")


if __name__ == "__main__":
    work = Path("/tmp/runs")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    os.chdir(work)
    if sys.argv[1:] == ["old"]:
        swanlab_run("backup.swanlab", "backup.swanlab")
    else:
        wandb_run()
        swanlab_run("run.swanlab", "run-*.swanlab")
    shutil.rmtree(work)
