import type { MerchantEndpoint } from '@paycode/dto';
import { endpointHost } from './on-call';

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
