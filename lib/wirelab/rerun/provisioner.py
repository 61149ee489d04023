"""The kernel provisioner: Jupyter's own, except that the kernel is forked from a process that is already warm."""

import os
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from wirelab.rerun.warm import QUIET, ZYGOTE, KernelRequest, can_fork


class WarmProvisioner(LocalProvisioner):
    """Starts ipykernel kernels by fork where that is safe, and every other kernel as Jupyter does."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel that `cmd` would start."""
        arguments = ipykernel_arguments(cmd)
        if arguments is None:
            return await super().launch_kernel(cmd, **kwargs)
        if can_fork() and self.fork([*arguments, *QUIET], kwargs):
            return self.connection_info
        return await super().launch_kernel([*cmd, *QUIET], **kwargs)

    def fork(self, arguments: list[str], options: dict[str, Any]) -> bool:
        """Fork the kernel; False where the zygote cannot be had."""
        folder = str(options.get("cwd") or os.getcwd())  # noqa: PTH109 - a kernel starts where we are
        environment = options.get("env") or dict(os.environ)
        try:
            kernel = ZYGOTE.fork(KernelRequest(arguments, folder, environment))
        except OSError:
            return False
        self.process = kernel  # type: ignore[assignment]  # it has the part of Popen that is used
        # A session of its own makes the kernel the leader of a group with its number: signals reach its children too.
        self.pid = self.pgid = kernel.pid
        self.cwd = folder
        return True


def ipykernel_arguments(command: list[str]) -> list[str] | None:
    """The arguments after `python -m ipykernel_launcher`; None for a kernel of another kind."""
    if "ipykernel_launcher" not in command:
        return None
    return command[command.index("ipykernel_launcher") + 1 :]
