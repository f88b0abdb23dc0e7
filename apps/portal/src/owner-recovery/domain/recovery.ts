import type { TenantType } from '../../people/domain/person';

/** Accounts that have owners. Operators let their own people in themselves. */
export const recoveredTenants = ['MERCHANT', 'PSP', 'ACQUIRER'] as const satisfies readonly TenantType[];

export interface Tenant {
  tenantType: (typeof recoveredTenants)[number];
  tenantId: string;
}

export interface WantedRecovery extends Tenant {
  /** Of the new owner. */
  email: string;
  name: string;
  /** Why, as the owners read it. */
  reason: string;
}

export type StoredState = 'OPEN' | 'CONFIRMED' | 'WITHDRAWN' | 'REFUSED';

export interface Recovery extends WantedRecovery {
  recoveryId: string;
  /** Subject of the token of the operator. */
  askedBy: string;
  askedAt: Date;
  state: StoredState;
  endedBy: string | null;
}

/** As operators and owners see it; instants are ISO 8601 UTC. */
export interface RecoveryReport extends WantedRecovery {
  recoveryId: string;
  state: StoredState | 'EXPIRED';
  askedBy: string;
  askedAt: string;
  /** Until then owners have time to refuse. */
  confirmsFrom: string;
  expiresAt: string;
  endedBy: string | null;
}

/** Owners have these three days to refuse: a weekend, and as long as an invitation is good. */
export const waitMs = 3 * 86_400_000;
/** From asking on. */
export const openMs = 7 * 86_400_000;

export type Refusal = Exclude<RecoveryReport['state'], 'OPEN'> | 'OWN' | 'EARLY';

export function stateAt({ state, askedAt }: Recovery, now: Date): RecoveryReport['state'] {
  return state === 'OPEN' && now.getTime() >= askedAt.getTime() + openMs ? 'EXPIRED' : state;
}

/** Why the operator cannot confirm now; null: it can. */
export function refusalOf(recovery: Recovery, { by, now }: { by: string; now: Date }): Refusal | null {
  const state = stateAt(recovery, now);
  if (state !== 'OPEN') return state;
  if (by === recovery.askedBy) return 'OWN';
  return now.getTime() < recovery.askedAt.getTime() + waitMs ? 'EARLY' : null;
}

export function reportOf(recovery: Recovery, now: Date): RecoveryReport {
  const { askedAt } = recovery;
  return {
    ...recovery,
    state: stateAt(recovery, now),
    askedAt: askedAt.toISOString(),
    confirmsFrom: new Date(askedAt.getTime() + waitMs).toISOString(),
    expiresAt: new Date(askedAt.getTime() + openMs).toISOString(),
  };
}
