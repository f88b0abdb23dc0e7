import type { AuditedTransaction } from '../../../../apps/operations/src/audit/audited-transaction.ts';
import { violationsOf } from '../../../../apps/operations/src/audit/rules.ts';
import { attemptsMax } from './watcher.ts';
import type { World } from './world.ts';

/** Checks the final rows by the rules of `npm run audit`, which do not know the history. */
export function auditWorld(world: World): void {
  const scope = { graceS: 0, attemptsMax, hasSimulator: true, hasReceiverLog: false };
  for (const transactionId of world.core.announced) {
    for (const { rule, message } of violationsOf(recordOf(world, transactionId), scope))
      world.watcher.fail(`audit ${rule}`, transactionId, message);
  }
}

function recordOf(world: World, transactionId: number): AuditedTransaction {
  const delivery = world.tables.deliveries.get(transactionId);
  const verdict = world.tables.verdicts.get(transactionId);
  const job = world.reversals.jobRows.get(transactionId);
  const decision = world.reversals.decisionRows.get(transactionId);
  const ghost = world.watcher.ghost(transactionId);
  const ageS = 1;
  return {
    transactionId,
    dispatcher: delivery && {
      isReversible: delivery.isReversible,
      isStub: delivery.isStub,
      hasDelivery: true,
      ageS,
      attempts: world.tables.attemptsClaimed(delivery),
      // Nothing is restored here, so no verdict may follow a decision.
      verdict: verdict ? { kind: verdict.kind, ageS, wasPosted: verdict.startedAtMs !== null, followsDecision: false } : null,
    },
    scheduler:
      job || decision
        ? {
            job: job ? { ageS, attempt: job.attempt } : null,
            decision: decision ? { kind: decision.decision, verdict: decision.verdict, ageS } : null,
          }
        : undefined,
    simulator: { isSuccess: ghost.isReversible, ageS, reversals: ghost.reversals, failedReversals: 0 },
  };
}
