"""A Ray of several nodes that is there before the run: one is lost."""

import pytest

from kolam import engines
from programs import has_its_bits, layers

HEALTH = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 1000, "health_check_failure_threshold": 3}
STORE_BYTES = 100 << 20


@pytest.fixture
def cluster():
    pytest.importorskip("ray")
    engines.close()
    from kolam.engines.ray import _ray

    _ray(starts=True)
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": STORE_BYTES, "_system_config": HEALTH})
    yield made
    engines.close()
    made.shutdown()


@pytest.mark.slow
def test_a_node_is_lost(cluster, monkeypatch):
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES) for _ in range(2)]
    assert has_its_bits(layers, "ray", address=cluster.address)
    count, finish = iter(range(10**6)), engines._Coordinator._finish

    def losing(coordinator, submitted):
        if next(count) == 10:
            cluster.remove_node(nodes[0], allow_graceful=False)
            cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
        return finish(coordinator, submitted)

    monkeypatch.setattr(engines._Coordinator, "_finish", losing)
    assert has_its_bits(layers, "ray", address=cluster.address)
    assert next(count) > 10
