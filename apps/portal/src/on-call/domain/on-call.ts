import type { Channel, EndpointPause, ShardOwner } from '@paycode/dto';

/** Host of an endpoint: what stands behind it, the name of a relay, is known to its owner only. */
export function endpointHost(endpoint: string): string {
  const { host, pathname } = new URL(endpoint);
  return pathname === '/' ? host : `${host}, a relay`;
}

export function portalPause(pause: EndpointPause): EndpointPause {
  return { ...pause, endpoint: endpointHost(pause.endpoint), pausedBy: pause.pausedBy.replace(/^portal /, '') };
}

const end = (value: string): string => `***${value.slice(-3)}`;

/** The other channels show the end of an address. */
const masks: Partial<Record<Channel, (value: string) => string>> = {
  EMAIL: value => `${value[0]}***${value.slice(value.lastIndexOf('@'))}`,
};

/** Enough to recognise an address that one knows, not enough to use it. */
export function maskedRecipient({ type, value }: { type: Channel; value: string }): string {
  return (masks[type] ?? end)(value);
}

/** `uid` of k8s/charts/paycode/dashboards/transaction.json. */
const dashboardUid = 'paycode-transaction';
const beforeMs = 10 * 60_000;
const afterMs = 3_600_000;

/**
 * The dashboard of one transaction, from some minutes before its start to an hour later: traces of payments and logs are looked for in that time only.
 * Without a start the dashboard's own time is shown. `grafanaUrl` may have a path.
 */
export function dashboardLink(grafanaUrl: string, transactionId: number, startedAt: string | null): string {
  const link = new URL(`d/${dashboardUid}`, grafanaUrl.endsWith('/') ? grafanaUrl : `${grafanaUrl}/`);
  link.searchParams.set('var-transaction', String(transactionId));
  if (startedAt !== null) {
    const startedMs = Date.parse(startedAt);
    link.searchParams.set('from', String(startedMs - beforeMs));
    link.searchParams.set('to', String(startedMs + afterMs));
  }
  return link.href;
}

const replicasMax = 1_000;

/**
 * For how long the heartbeat of each replica has not moved, as far as this process has seen: a heartbeat only grows, so that two equal ones
 * tell of all the time between them. Clocks of two hosts are never compared (P-T6).
 */
export class HeartbeatMemory {
  private seen = new Map<string, { heartbeat: number; sinceMs: number }>();

  /** `nowMs` is monotonic, and was read before the owners were. */
  stillMs(owners: readonly ShardOwner[], nowMs: number): number[] {
    const seen = owners.slice(0, replicasMax).map(({ replica, heartbeat }) => {
      const before = this.seen.get(replica);
      const sinceMs = before?.heartbeat === heartbeat ? before.sinceMs : nowMs;
      return [replica, { heartbeat, sinceMs }] as const;
    });
    // Drops replicas that are not registered any more.
    this.seen = new Map(seen);
    return owners.map(({ replica }) => nowMs - (this.seen.get(replica)?.sinceMs ?? nowMs));
  }
}
