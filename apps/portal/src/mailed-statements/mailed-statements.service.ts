import { Inject, Injectable } from '@nestjs/common';
import { type MailedStatement, type PortalAlert, type StatementSums, statementTotalsMax } from '@paycode/dto';
import { isTimeZone } from '@paycode/dto/people';
import { invalidField, LOGGER, type Logger } from '@paycode/service-runtime';
import { ClientSecrets } from '../identity-providers/identity-providers.service';
import { refusal } from '../neighbours';
import type { Person } from '../people/domain/person';
import { periodOf } from '../statements/domain/statement';
import { StatementStore } from '../statements/statement.store';
import { MerchantDirectory } from '../tenancy/merchant.directory';
import { Scope } from '../tenancy/scope';
import { type MailedEvery, newestPeriod, nextPeriod } from './domain/mailed-period';
import { type DueStatement, MailedStatementStore } from './mailed-statement.store';

/** How often a person is mailed a statement. */
export interface StatementMails {
  every: MailedEvery | 'NEVER';
  /** Whose days and months they are; null: never. */
  timeZone: string | null;
}

export interface WantedMails {
  every: StatementMails['every'];
  /** Whose days and months they are, such as `Africa/Johannesburg`. */
  timeZone: string;
}

/** So many statements are made in one run. */
const peopleMax = 50;

/** Flow: people whose day or month has ended -> its sums by currency -> a mail, which the alerts hand over. */
@Injectable()
export class MailedStatementsService {
  constructor(
    private readonly store: MailedStatementStore,
    private readonly statements: StatementStore,
    private readonly directory: MerchantDirectory,
    private readonly secrets: ClientSecrets,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async choice(personId: string): Promise<StatementMails> {
    return (await this.store.choice(personId)) ?? { every: 'NEVER', timeZone: null };
  }

  /**
   * The first mail is of the day or month that is due next. `at`: the instant, for tests; the database's clock says it otherwise.
   * @throws DomainError 400, 403
   */
  async choose({ personId, tenantType }: Person, { every, timeZone }: WantedMails, at?: Date): Promise<void> {
    if (every === 'NEVER') return this.store.end(personId);
    if (tenantType === 'OPERATOR')
      throw refusal([403, 'NO_ACCOUNT'], 'statements by e-mail are for people of merchants, PSPs and acquirers');
    if (!isTimeZone(timeZone)) throw invalidField('timeZone', 'must be the name of a time zone, such as Africa/Johannesburg');
    const last = newestPeriod(every, timeZone, at ?? (await this.store.now()));
    await this.store.choose(personId, { every, timeZone }, last);
  }

  /** `at`: the instant of the run, for tests. A statement that fails waits for a later run, and holds up no other. */
  async run(at?: Date): Promise<void> {
    const now = at ?? (await this.store.now());
    // Another release of Node may know fewer zones.
    const zones = (await this.store.zones()).filter(({ timeZone }) => isTimeZone(timeZone));
    const newest = zones.map(zone => ({ ...zone, period: newestPeriod(zone.every, zone.timeZone, now) }));
    for (const due of await this.store.due(newest, peopleMax)) {
      try {
        await this.write(due, now);
      } catch (err) {
        this.log.warn({ event: 'statement-waits', err }, 'a statement by e-mail waits because of a fault');
      }
    }
  }

  private async write(due: DueStatement, now: Date): Promise<void> {
    const period = nextPeriod(due.every, due.last, due.newest);
    if (period === undefined) return;
    const totals = await this.totals(due, period);
    const about = totals && alertOf({ period, timeZone: due.timeZone, totals }, now);
    await this.store.write(due, { period, about, seal: secret => this.secrets.seal(secret), now });
  }

  /** By the statement of the page. null: the zone skips this day, or the account is closed. */
  private async totals(due: DueStatement, period: string): Promise<StatementSums[] | null> {
    const { parts, endsAt } = periodOf(period, due.timeZone);
    const { beginsAt } = parts[0]!;
    const { merchantIds, owner } = await Scope.of(due, this.directory);
    if (beginsAt === endsAt || merchantIds === 'ALL') return null;
    if ('merchantId' in owner && (await this.directory.find(owner.merchantId))?.status !== 'ACTIVE') return null;
    // The totals come first, and no line is needed.
    const whole = { parts: [{ name: period, beginsAt }], endsAt };
    return (await this.statements.read(merchantIds, whole, statementTotalsMax)).totals;
  }
}

function alertOf(statement: MailedStatement, now: Date): PortalAlert {
  const payments = statement.totals.reduce((sum, { paid }) => sum + paid.count, 0);
  return { kind: 'STATEMENT', merchantId: null, payments, sinceAt: now.toISOString(), sums: [], statement };
}
