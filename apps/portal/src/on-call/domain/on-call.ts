import type { Channel, EndpointPause, MerchantEndpoint, ShardOwner } from '@paycode/dto';

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

/** Loss of a merchant by payments without an acknowledgement, in one currency. Amounts are exact decimals. */
export interface FailingOfMerchant {
  merchantId: number;
  currencyCode: string;
  failed: number;
  acknowledged: number;
  reversedAmount: string;
  pendingAmount: string;
  lastFailedAt: string | null;
}

/** An endpoint that does not acknowledge, and what that costs its merchants, in one currency. */
export interface FailingEndpoint extends Omit<FailingOfMerchant, 'merchantId'> {
  /** Host; null: no URL is set any more, or the dispatcher did not answer. */
  endpoint: string | null;
  merchantIds: number[];
  /** When its pause ends; null: deliveries go on. */
  pausedUntil: string | null;
}

/**
 * Merchants whose URLs have one origin fail together, and stand in one row for each currency. The most money first, reversed and not decided yet:
 * numbers are compared, whatever the currency. `endpoints` null: unknown, so each merchant stands for itself.
 */
export function failingEndpoints(
  failing: readonly FailingOfMerchant[],
  endpoints: readonly MerchantEndpoint[] | null,
  max: number,
): FailingEndpoint[] {
  const byMerchant = new Map(endpoints?.map(each => [each.merchantId, each]));
  const groups = Map.groupBy(failing, ({ merchantId, currencyCode }) => {
    const endpoint = byMerchant.get(merchantId)?.endpoint;
    return `${currencyCode} ${endpoint ?? `merchant ${merchantId}`}`;
  });
  return [...groups.values()]
    .map(group => endpointOf(group, byMerchant.get(group[0]!.merchantId)))
    .sort((a, b) => atRisk(b) - atRisk(a))
    .slice(0, max);
}

function endpointOf(group: readonly FailingOfMerchant[], of: MerchantEndpoint | undefined): FailingEndpoint {
  const total = (count: (row: FailingOfMerchant) => number) => group.reduce((sum, row) => sum + count(row), 0);
  return {
    endpoint: of?.endpoint ? endpointHost(of.endpoint) : null,
    merchantIds: group.map(({ merchantId }) => merchantId),
    currencyCode: group[0]!.currencyCode,
    failed: total(({ failed }) => failed),
    acknowledged: total(({ acknowledged }) => acknowledged),
    reversedAmount: decimalSum(group.map(({ reversedAmount }) => reversedAmount)),
    pendingAmount: decimalSum(group.map(({ pendingAmount }) => pendingAmount)),
    lastFailedAt:
      group
        .map(({ lastFailedAt }) => lastFailedAt)
        .sort()
        .at(-1) ?? null,
    pausedUntil: of?.pause?.endsAt ?? null,
  };
}

/** For the order only: what is shown is exact. */
const atRisk = ({ reversedAmount, pendingAmount }: FailingEndpoint): number => Number(reversedAmount) + Number(pendingAmount);

/** Sum of exact decimals such as `1250.50`, with as many decimals as the most precise of them. */
export function decimalSum(amounts: readonly string[]): string {
  const decimals = Math.max(0, ...amounts.map(amount => fractionOf(amount).length));
  const units = amounts.reduce((sum, amount) => sum + unitsOf(amount, decimals), 0n);
  if (decimals === 0) return units.toString();
  const digits = units.toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function unitsOf(amount: string, decimals: number): bigint {
  const [whole = '0'] = amount.split('.');
  return BigInt(whole + fractionOf(amount).padEnd(decimals, '0'));
}

const fractionOf = (amount: string): string => amount.split('.')[1] ?? '';
