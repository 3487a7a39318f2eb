"""All metrics, in the order of the paper's Table 3, then ours."""

from __future__ import annotations

from auditcoder.audit.metrics import changes, completeness, decisions, localization, regions, replaying, structure
from auditcoder.audit.metrics.metric import Metric

METRICS: tuple[Metric, ...] = (
    Metric("dctc_assembly", "DCTC after assembly", completeness.after_assembly, mean_over="tasks"),
    Metric("dctc_repair", "DCTC after repair", completeness.after_repair, mean_over="tasks"),
    Metric("graph_integrity", "graph integrity", structure.graph_integrity, by_construction=True),
    Metric("signature_consistency", "contract-signature consistency", structure.signature_consistency),
    Metric("localization_coverage", "localization coverage", localization.coverage),
    Metric("lrs", "LRS: localized repair success", localization.repair_success, needs=localization.HIDDEN),
    Metric("rrs", "RRS: repair region size", regions.region_size, mean_over="repairs"),
    Metric("ccr", "CCR: changed code", changes.changed_code, mean_over="repairs"),
    Metric("ccr_accepted", "CCR, accepted repairs", changes.changed_code_accepted, mean_over="repairs"),
    Metric("test_regression", "test regression", localization.regression, needs=localization.HIDDEN),
    Metric("decision_compliance", "decision compliance", decisions.decision_compliance, by_construction=True),
    Metric("rollback_integrity", "rollback integrity", decisions.rollback_integrity, by_construction=True),
    Metric("containment_scopes", "containment / scopes", regions.contained_in_scopes, needs=regions.INJECTED),
    Metric("containment_faults", "containment / faults", regions.contained, needs=regions.INJECTED),
    Metric("replay", "replay", replaying.replay, source="ours", needs=replaying.REPLAYED, by_construction=True),
    Metric("frozen_reverification", "frozen re-verification", replaying.frozen_reverification, source="ours"),
)
