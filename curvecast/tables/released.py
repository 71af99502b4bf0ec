"""The weights that come along, in half precision, and how they are made from those of a training:

python -m curvecast.tables.released weights/NAME.safetensors
"""

import json
import sys
from pathlib import Path

from curvecast.ground import weights, weights_file
from curvecast.ground.config import canonical, restore
from curvecast.ground.from_outside import reading
from curvecast.tables.network import BEHAVIOUR, TableNetwork
from curvecast.tables.training import BORDERS, TableTraining

PATH = Path(__file__).parent / "weights" / "tables.safetensors"


def write(source: Path, path: Path = PATH) -> None:
    """From the file of a training; of its history the last line is kept."""
    state, info = weights.read(source)
    info = info | {"history": canonical(json.loads(info["history"])[-1:])}
    weights.write(path, {name: tensor.half() for name, tensor in state.items()}, info)


def load(path: Path = PATH) -> TableNetwork:
    """From this file, or from the file of a training."""
    state, info = weights.read(path)
    ours = {
        name: text for name, text in info.items() if name != "network"
    }  # a mark for those who load curves
    config = weights_file.config_of(ours, path, {"table_network": BEHAVIOUR})
    with reading(path, "does not hold what its header says", "delete it or fetch it again"):
        network: TableNetwork = restore(TableTraining, config).model.network(BORDERS.clone())
    weights.fill(network, {name: tensor.float() for name, tensor in state.items()}, path)
    return network.eval()


if __name__ == "__main__":
    write(Path(sys.argv[1]))
