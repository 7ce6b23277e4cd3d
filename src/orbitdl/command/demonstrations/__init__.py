"""What ``orbitdl demo`` can show: a demonstration per file, and the picture it draws beside it."""

from orbitdl.command.choices import DemoName
from orbitdl.command.demonstrations.base import Demonstration
from orbitdl.command.demonstrations.heart import Heart
from orbitdl.command.demonstrations.images import Images
from orbitdl.command.demonstrations.sensors import Sensors

DEMONSTRATIONS: dict[DemoName, type[Demonstration]] = {
    DemoName.heart: Heart,
    DemoName.sensors: Sensors,
    DemoName.images: Images,
}

__all__ = ["DEMONSTRATIONS", "Demonstration"]
