import msgspec
import pandas as pd
import pytest

from wirelab.show import frame_table, table


def test_rows_of_mappings_become_aligned_text() -> None:
    shown = table([{"id": "call_1", "index": 0, "name": "get_weather"}, {"id": None, "index": 12, "name": "東京"}])
    assert shown.text() == (
        "id      index  name\n"
        "------  -----  -----------\n"
        "call_1  0      get_weather\n"
        "        12     東京"
    )  # fmt: skip
    assert str(shown) == shown.text()


def test_cells_are_shown_as_a_person_reads_them() -> None:
    cells = [None, msgspec.UNSET, float("nan"), True, False, 0.21691834, 1234.5, {"a": "ø"}, ("x", 1), 7, "text"]
    (row,) = table([cells], [str(number) for number in range(len(cells))]).rows
    assert row == ("", "", "", "yes", "no", "0.2169", "1,234.5", '{"a": "ø"}', '["x", 1]', "7", "text")


def test_text_and_html_hold_the_same_cells_and_nothing_hostile() -> None:
    hostile = "<script>alert(1)</script>\x1b[2J\u202e|\n"
    bundle = table([{hostile: hostile}], title=hostile)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert bundle["text/html"].count("&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[2J\\u202e|\\n") == 3
    assert "<script" not in bundle["text/html"]
    assert bundle["text/plain"].count("\\x1b[2J\\u202e|\\n") == 3
    assert "\x1b" not in bundle["text/plain"]


def test_a_frame_gives_the_same_table_as_its_rows() -> None:
    rows = [{"version": "0.20.4", "calls": 2}, {"version": "0.32.15", "calls": 2}]
    assert frame_table(pd.DataFrame(rows)) == table(rows)


def test_long_cells_are_cut_with_a_count() -> None:
    assert "(+150)" in table([{"a": "x" * 250}]).text()
    assert "(+150)" in table([{"a": "x" * 250}]).html()
    assert "(+" not in table([{"a": "x" * 250}], width_limit=250).text()


def test_an_empty_table_says_so() -> None:
    assert table([], ["a", "b"]).text() == "a  b\n-  -\n(no rows)"


def test_misuse_is_told() -> None:
    with pytest.raises(TypeError, match="need column names"):
        table([["x"]])
    with pytest.raises(ValueError, match="1 cells, the table 2"):
        table([["x"]], ["a", "b"])
