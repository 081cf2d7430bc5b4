"""Settings of the whole suite: the machines that run it are shared, so nothing is a matter of time."""

from hypothesis import HealthCheck, settings

settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")
