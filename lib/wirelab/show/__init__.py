"""What people see: safe text, deterministic tables, figures. Nothing that a server sent is trusted here."""

from wirelab.show.tables import Table, frame_table, table
from wirelab.show.text import escaped, shortened, visible

__all__ = ["Table", "escaped", "frame_table", "shortened", "table", "visible"]
