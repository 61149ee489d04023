"""Every rule of the specification has cases of its own, and switching it off fails one by name."""

import pytest
from casebook import BATTERY, RULE, WIRE, Case, faults, read

from wirelab.calls.rules import ALL_RULES, RULES

IDS = [f"{case['id']}-{case['kind'].removeprefix('rule/')}-{case['protocol']}" for case in RULE]


@pytest.mark.parametrize("case", RULE, ids=IDS)
def test_rule_case(case: Case) -> None:
    assert faults(case, read(case)) == []
    strict = read(case, strict=True)
    assert (strict.error.code if strict.error else None) == case["expect"].get("error")


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_switching_a_rule_off_fails_a_named_case(rule: str) -> None:
    failing = [case["id"] for case in (*RULE, *WIRE) if faults(case, read(case, rules=ALL_RULES - {rule}))]
    assert failing, f"no case needs the rule {rule}"


def test_the_rules_name_every_code_once_a_rule() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert {case["kind"].removeprefix("rule/") for case in RULE if case["kind"].removeprefix("rule/") in ALL_RULES}
    assert len(BATTERY) > 0
