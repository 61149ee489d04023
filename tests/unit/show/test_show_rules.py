import pytest

from wirelab.calls import RULES
from wirelab.codes import CODES
from wirelab.show.rules import STEPS, rules_figure, rules_of, rules_picture, rules_table


def test_the_table_holds_every_rule_once() -> None:
    assert [row[1] for row in rules_table().rows] == [rule.id for rule in RULES]
    assert sum(len(rules_of(step)) for step in STEPS) == len(RULES)


def test_the_diagram_is_drawn_from_the_rules() -> None:
    for step in STEPS:
        axes = rules_figure(rules_of(step), step).axes[0]
        drawn = " ".join(text.get_text().replace("\n", " ") for text in axes.texts)
        assert all(" ".join(rule.when.split()) in drawn for rule in rules_of(step))
    assert rules_picture().png == rules_picture("identity").png


def test_rules_name_codes_that_exist() -> None:
    assert {code for rule in RULES for code in rule.codes} <= set(CODES)


def test_an_unknown_step_is_told() -> None:
    with pytest.raises(ValueError, match="no step 'guessing'; there are"):
        rules_of("guessing")
