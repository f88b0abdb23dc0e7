import { Injectable } from '@nestjs/common';
import { Clock } from '@paycode/service-runtime/timing';
import type { MerchantPeople } from '../people/domain/person';
import { MerchantDirectory } from '../tenancy/merchant.directory';
import type { Scope } from '../tenancy/scope';
import { type FailureInCurrency, HomeReader } from './home-reader';

/** Amounts: exact decimals with the decimals of the currency. */
export interface LostMoney {
  currencyCode: string;
  reversed: number;
  reversedAmount: string;
  /** Of the payments of the last hour, whatever became of them. */
  lastHourAmount: string;
}

export interface RankedReceiver extends Pick<FailureInCurrency, 'merchantId' | 'lastAnswer' | 'lastAnswerAt' | 'failingSince'> {
  merchantName: string | null;
  /** Payments of today that its server acknowledged by HTTP 200, and those that it did not. */
  acknowledged: number;
  failed: number;
  money: LostMoney[];
}

export interface Receivers {
  receivers: RankedReceiver[];
  /** There are more than are shown. */
  isCut: boolean;
  /** Merchants of the tenant; null: all of the platform. */
  merchants: number | null;
}

const receiversMax = 50;
/** Of merchants and currencies. */
const rowsMax = 200;
const hourMs = 3_600_000;
/** A day that began longer ago than any time zone allows is not today. */
const dayMsMax = 27 * hourMs;

/** Flow: the payments of today within the scope -> merchants whose servers failed, with names -> in the order in which they need somebody. */
@Injectable()
export class ReceiversService {
  constructor(
    private readonly store: HomeReader,
    private readonly directory: MerchantDirectory,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 outside the scope */
  people(scope: Scope, merchantId: number): Promise<MerchantPeople> {
    scope.narrowedTo(merchantId);
    return this.store.people(merchantId);
  }

  async failing(scope: Scope, dayBeganAt: string): Promise<Receivers> {
    const nowMs = this.clock.epochMs();
    const since = {
      dayBeganAt: new Date(Math.max(Date.parse(dayBeganAt), nowMs - dayMsMax)).toISOString(),
      hourBeganAt: new Date(nowMs - hourMs).toISOString(),
    };
    const rows = await this.store.failing(scope, since, rowsMax);
    const receivers = [...Map.groupBy(rows, ({ merchantId }) => merchantId).values()].map(receiverOf).sort(byNeed);
    return {
      receivers: await this.directory.withNames(receivers.slice(0, receiversMax)),
      isCut: rows.length === rowsMax || receivers.length > receiversMax,
      merchants: scope.merchantIds === 'ALL' ? null : scope.merchantIds.length,
    };
  }
}

function receiverOf(rows: readonly FailureInCurrency[]): Omit<RankedReceiver, 'merchantName'> {
  const { merchantId, lastAnswer, lastAnswerAt, failingSince } = rows[0]!;
  const total = (count: (row: FailureInCurrency) => number) => rows.reduce((sum, row) => sum + count(row), 0);
  return {
    merchantId,
    lastAnswer,
    lastAnswerAt,
    failingSince,
    acknowledged: total(({ acknowledged }) => acknowledged),
    failed: total(({ failed }) => failed),
    money: rows.map(({ currencyCode, reversed, reversedAmount, lastHourAmount }) => ({
      currencyCode,
      reversed,
      reversedAmount,
      lastHourAmount,
    })),
  };
}

type Ranked = Pick<RankedReceiver, 'failingSince' | 'money'>;

/** A server that fails now goes on losing money, so it comes first. Numbers are compared whatever the currency: for the order only. */
function byNeed(a: Ranked, b: Ranked): number {
  const lost = ({ money }: Ranked) => money.reduce((sum, each) => sum + Number(each.reversedAmount), 0);
  const isFailing = ({ failingSince }: Ranked) => Number(failingSince !== null);
  return isFailing(b) - isFailing(a) || lost(b) - lost(a);
}
