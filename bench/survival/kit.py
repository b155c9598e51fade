"""The sessions and the score of compaction-conformance-kit (MIT, PyPI), for the row "survival" of the bench.

kit.py sessions SEEDS   prints sessions as JSON: turns, and the canaries planted in them
kit.py score            reads contexts from stdin, prints for each of them which canaries survive, by the kit's own probe
"""

import json
import sys

from compaction_kit import BehaviorProbe, build_random_session, build_seeded_session, kit_version, seeded_canaries


def session_of(seed):
    if seed == 0:
        return build_seeded_session(), seeded_canaries()
    return build_random_session(seed)


def sessions(count):
    out = []
    for seed in range(count):
        session, canaries = session_of(seed)
        turns = [{"role": turn.role, "text": turn.text} for turn in session.turns]
        planted = [{"id": canary.id, "type": canary.type.value, "content": canary.content} for canary in canaries]
        out.append({"seed": seed, "turns": turns, "canaries": planted})
    version = kit_version()
    json.dump({"version": version, "sessions": out}, sys.stdout)


def score():
    probe = BehaviorProbe()
    answers = []
    for given in json.load(sys.stdin):
        _, canaries = session_of(given["seed"])
        survived = [[c.type.value, probe.probe(c, given["text"]).survived] for c in canaries]
        answers.append(survived)
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    if sys.argv[1] == "sessions":
        sessions(int(sys.argv[2]))
    else:
        score()
