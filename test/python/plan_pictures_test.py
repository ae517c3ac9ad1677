"""Pictures of plans: what they hold, read back by parsers."""

import html.parser
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from plan_programs import floats, layer

import kolam as ko
from kolam._plan import _random_plan

MACHINE = ko.Machine(4, flops=1e9, memory_bandwidth=1e9, memory=2**30, levels=[ko.Level(4, 1e9, 1e-6)])


def stencil(x):
    p = ko.pad(x, 1)
    return p[:-2, 1:-1] + p[2:, 1:-1] + x


def gram(x):
    return x @ x.T


PLANS = {
    "layer": lambda: ko.plan(layer, floats(12, 8), floats(8, 10), floats(10), workers=4, steps=0),
    "stencil": lambda: ko.plan(stencil, floats(16, 9), workers=4, steps=0),
    "merges": lambda: ko.plan(gram, floats(4, 8192), workers=4, steps=0),
    "random": lambda: _random_plan(lambda x: ko.softmax(gram(x) + 1.0), floats(9, 7), workers=4, seed=5),
    "number": lambda: ko.plan(lambda x: ko.sum(x), floats(5), workers=1, steps=0),
}


@pytest.fixture(params=PLANS)
def plan(request):
    return PLANS[request.param]()


class Tags(html.parser.HTMLParser):
    """Tags that are open and were; attributes by class."""

    void = ("meta", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.classes, self.addresses, self.text = [], {}, [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in self.void:
            self.open.append(tag)
        attrs = dict(attrs)
        self.classes.setdefault(attrs.get("class"), []).append(attrs)
        self.addresses += [attrs[name] for name in ("href", "src", "srcset") if name in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_data(self, data):
        self.text += data


def stages_drawn(plan):
    return [stage for stage in json.loads(plan.as_json())["stages"] if stage["work"] != "load"]


def test_a_node_for_each_tensor_and_stage(plan):
    dot, document = plan.as_dot(), json.loads(plan.as_json())
    assert len(re.findall(r"^  t\d+ \[", dot, re.M)) == len(document["tensors"])
    assert len(re.findall(r"^  s\d+ \[", dot, re.M)) == len(stages_drawn(plan))
    edges = re.findall(r"^  ([st])\d+ -> ([st])\d+ ", dot, re.M)
    assert len(edges) == sum(len(stage["tensors"]) for stage in stages_drawn(plan))
    assert all(one != other for one, other in edges)


def test_graphviz_draws_it(plan):
    if not shutil.which("dot"):
        pytest.skip("Graphviz is not installed")
    drawn = subprocess.run(["dot", "-Tsvg"], input=plan.as_dot(), capture_output=True, text=True, timeout=60)
    assert drawn.returncode == 0 and not drawn.stderr
    assert "<svg" in drawn.stdout


def test_figures_of_stages(plan):
    for number, stage in enumerate(json.loads(plan.as_json())["stages"]):
        if stage["work"] != "compute":
            with pytest.raises(ko.KolamError, match=r"\[no-such-stage\] expected the number of a stage that computes"):
                plan.figure(number)
            continue
        svg = plan.figure(number)
        tags = Tags(svg)
        assert tags.open == []
        assert len(tags.classes["space"]) > len(stage["signature"]["operands"])
        assert "[" in tags.text


def test_names_are_quoted():
    document = json.loads(PLANS["layer"]().as_json())
    for stage in document["stages"]:
        stage["name"] = 'a<b> & "c" at x\\y.py:3'
    plan = ko.Plan.from_json(json.dumps(document))
    assert "a&lt;b&gt; &amp; &quot;c&quot; at x\\y.py:3" in plan.as_dot()
    assert Tags(plan.as_html(MACHINE)).open == []


def test_shards_partition_what_is_computed(plan):
    tensors = json.loads(plan.as_json())["tensors"]
    for number, line in re.findall(r"^  t(\d+) \[(.*)$", plan.as_dot(), re.M):
        boxes = re.findall(r'title="worker (\d+): \[([^"]*)\]"', line)
        if tensors[int(number)]["partial_of"] >= 0 or not boxes:
            continue
        count = np.zeros(tensors[int(number)]["shape"], int)
        for _, box in boxes:
            count[tuple(slice(*map(int, part.split(":"))) for part in box.split(", ") if part)] += 1
        assert (count == 1).all()


def test_projections_are_those_of_the_signature():
    dot = PLANS["merges"]().as_dot()
    assert "[0 1 0 | 0 | 1]\\l" in dot or "[1 0 0 | 0 | 1]\\l" in dot


def test_the_page_is_whole_and_loads_nothing(plan):
    simulated = plan.simulate(MACHINE)
    page = plan.as_html(MACHINE)
    tags = Tags(page)
    assert tags.open == []
    assert tags.addresses == []
    assert "url(" not in page and "@import" not in page and "<script" not in page
    document = json.loads(plan.as_json())
    assert len(tags.classes["tensor"]) == len(document["tensors"])
    assert len(tags.classes["stage"]) == len(stages_drawn(plan))
    assert len(tags.classes["event"]) == len(simulated.timeline)
    assert len(tags.classes["memory"]) == document["workers"]
    assert plan.explain() in tags.text
