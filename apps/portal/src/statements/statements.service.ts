import { Injectable } from '@nestjs/common';
import { isTimeZone } from '@paycode/dto/people';
import { DomainError, invalidField } from '@paycode/service-runtime';
import { ConcurrencyLimit } from '../payments/domain/concurrency-limit';
import { MerchantDirectory } from '../tenancy/merchant.directory';
import type { Scope } from '../tenancy/scope';
import { periodOf, type StatementLine, type StatementSums } from './domain/statement';
import { StatementStore } from './statement.store';

export interface Statement {
  lines: StatementLine[];
  /** Sums of the lines, by currency. */
  totals: StatementSums[];
}

/** A day has a line for each currency, a month one for each merchant and currency. */
const rowsMax = 10_000;

/** Flow: a month or a year within the scope, in the reader's time zone -> lines for an accountant, with their totals. */
@Injectable()
export class StatementsService {
  private readonly running = new ConcurrencyLimit({ perPerson: 2, inAll: 4 });

  constructor(
    private readonly store: StatementStore,
    private readonly directory: MerchantDirectory,
  ) {}

  /** One merchant has a line for each day of a month or month of a year, several have one line each. @throws DomainError 400, 429 */
  async of(scope: Scope, wanted: { period: string; timeZone: string }, personId: string): Promise<Statement> {
    const { merchantIds } = scope;
    if (merchantIds === 'ALL') throw invalidField('merchantId', 'is required: choose one merchant');
    if (!isTimeZone(wanted.timeZone))
      throw invalidField('timeZone', 'must be the name of a time zone, such as Africa/Johannesburg');
    const giveBack = this.running.take(personId);
    if (!giveBack) throw busy();
    try {
      return await this.read(merchantIds, wanted);
    } finally {
      giveBack();
    }
  }

  private async read(merchantIds: readonly number[], { period, timeZone }: { period: string; timeZone: string }) {
    const whole = periodOf(period, timeZone);
    const parts = merchantIds.length === 1 ? whole.parts : [{ name: period, beginsAt: whole.parts[0]!.beginsAt }];
    const { lines, totals } = await this.store.read(merchantIds, { parts, endsAt: whole.endsAt }, rowsMax + 1);
    if (lines.length + totals.length > rowsMax)
      throw invalidField('merchantId', `is required: the statement has more than ${rowsMax} lines`);
    const named = (await this.directory.withNames(lines)).map(({ part, ...line }) => ({
      ...line,
      day: parts[part]!.name,
      merchantName: line.merchantName ?? '',
    }));
    return { lines: named, totals };
  }
}

function busy(): DomainError {
  const message = 'statements are being made: wait until they are there, then ask again';
  return new DomainError({ status: 429, reason: 'STATEMENT_BUSY', message, headers: { 'retry-after': '2' } });
}
