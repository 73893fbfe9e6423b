(** * What the theorems assume beyond their hypotheses: nothing. The check (proof/check) demands that each
    line says "Closed under the global context". *)
From Anond Require Import Model Symmetry Theorems Contract Corollaries Negations.
Print Assumptions posterior_is_expected_share.
Print Assumptions posterior_is_expected_mean.
Print Assumptions T.
Print Assumptions T_conditional.
Print Assumptions T_bounds.
Print Assumptions E.
Print Assumptions one_run.
Print Assumptions E_possible.
Print Assumptions promise_kept.
Print Assumptions linear_requirement.
Print Assumptions capped.
Print Assumptions drawn_equivariant.
Print Assumptions drawn_partitions.
Print Assumptions drawn_keeps.
Print Assumptions bucket_E.
Print Assumptions bucket_F.
Print Assumptions bucket_levels_joined.
Print Assumptions linear_union.
Print Assumptions cap_linear.
Print Assumptions gain.
Print Assumptions view_bounded.
Print Assumptions view_exact.
Print Assumptions W.
Print Assumptions G.
Print Assumptions given_exchangeable.
Print Assumptions DS.
Print Assumptions DS_promise.
