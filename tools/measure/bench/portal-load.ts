import { randomBytes } from 'node:crypto';
import type { TestTokenKeys } from '@paycode/access/testing';

/** Somebody in front of the portal, asking as a browser does. */
export class PortalPerson {
  private constructor(
    private readonly publicUrl: string,
    private readonly cookie: string,
  ) {}

  /** Makes the person, and signs in. `origin`: PUBLIC_BASE_URL of the portal. */
  static async signIn(
    at: { internalUrl: string; publicUrl: string; origin: string; tokenKeys: TestTokenKeys },
    tenant: { tenantType: string; tenantId: string; role: string },
  ): Promise<PortalPerson> {
    const password = randomBytes(12).toString('hex');
    const email = `${tenant.tenantType.toLowerCase()}-${tenant.tenantId || 'all'}@bench.example`;
    const json = { 'content-type': 'application/json' };
    const send = async (url: string, headers: Record<string, string>, body: unknown) => {
      const answer = await fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`POST ${url} answered ${answer.status}: ${await answer.text()}`);
      return answer;
    };
    const person = { email, password, name: 'Bench Person', ...tenant };
    await send(`${at.internalUrl}/internal/people`, at.tokenKeys.headers('operator', 'portal'), person);
    const own = { origin: at.origin, 'sec-fetch-site': 'same-origin' };
    const answer = await send(`${at.publicUrl}/console/api/session`, own, { email, password });
    return new PortalPerson(at.publicUrl, answer.headers.getSetCookie()[0]!.split(';', 1)[0]!);
  }

  /** Milliseconds until the whole answer was here. */
  async ask(path: string): Promise<number> {
    const startedMs = performance.now();
    const answer = await fetch(`${this.publicUrl}/console/api/${path}`, {
      headers: { cookie: this.cookie, 'sec-fetch-site': 'same-origin' },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}: ${text}`);
    return performance.now() - startedMs;
  }
}

/** The queries of people over the portal's list of payments, and their depth in it. */
export interface Question {
  name: string;
  /** Below /console/api/. */
  path: string;
}

/** A payment far back in the list of a merchant. */
export interface DeepPayment {
  transactionId: number;
  completedAt: string;
  reference: string;
  code: string;
}

/** As the portal names the end of a page. */
function cursorOf({ completedAt, transactionId }: DeepPayment): string {
  return Buffer.from(`${completedAt} ${transactionId}`).toString('base64url');
}

/** Each filter alone and some together, the search, and pages far back and towards the newest. */
export function questions(deep: DeepPayment, now: Date): Question[] {
  const cursor = cursorOf(deep);
  const day = {
    from: new Date(now.getTime() - 31 * 86_400_000).toISOString(),
    to: new Date(now.getTime() - 30 * 86_400_000).toISOString(),
  };
  const lists: [string, Record<string, string>][] = [
    ['newest', {}],
    ['100 on a page', { limit: '100' }],
    ['deep page', { after: cursor }],
    ['page before a deep one', { before: cursor }],
    ['one day', day],
    ['settled', { outcome: 'SETTLED' }],
    ['settled, deep', { outcome: 'SETTLED', after: cursor }],
    ['reversed', { outcome: 'REVERSED' }],
    ['pending', { outcome: 'PENDING' }],
    ['status SUCCESS', { status: 'SUCCESS' }],
    ['status BANK_OFFLINE', { status: 'BANK_OFFLINE' }],
    ['a status nothing has', { status: 'LIMIT_FAILED' }],
    ['answer HTTP 200', { answer: 'HTTP_200' }],
    ['answer other than 200', { answer: 'NON_200' }],
    ['answer not reached, deep', { answer: 'CONNECTION', after: cursor }],
    ['amount 10.00 (each tenth)', { amount: '10.00' }],
    ['a rare amount', { amount: '1234.56' }],
    ['amount of a day, settled', { amount: '10.00', outcome: 'SETTLED', ...day }],
    ['reversed of a day', { outcome: 'REVERSED', ...day }],
    ['settled with status BANK_OFFLINE (none)', { outcome: 'SETTLED', status: 'BANK_OFFLINE' }],
    ['settled, answered NON_200 (none)', { outcome: 'SETTLED', answer: 'NON_200' }],
    ['search: transaction id', { search: String(deep.transactionId) }],
    ['search: reference', { search: deep.reference }],
    ['search: code', { search: deep.code }],
    ['search: a reference of each tenth', { search: 'till-1' }],
    ['search: what nobody has', { search: 'nothing-like-it' }],
  ];
  const asked = lists.map(([name, query]) => ({ name, path: `payments?${new URLSearchParams(query).toString()}` }));
  const dayBeganAt = new Date(now.getTime() - 12 * 3_600_000).toISOString();
  const homes = ['24h', '7d'].map(range => ({ name: `home, ${range}`, path: `home?range=${range}&dayBeganAt=${dayBeganAt}` }));
  return [...asked, ...homes];
}

/**
 * $1 payments of the last 90 days. Merchant 1 has four fifths of them, 199 others share the rest. Of 100 payments 92 are paid, of which 95 settled, 4
 * reversed, 1 pending; each tenth is of 10.00, and each tenth has the reference of a till.
 */
export const fillPayments = `
  insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference, code,
                       acknowledged_at, ack_source, ack_elapsed_ms, reversal_requested_at, reversal_reason)
  select i, case when i % 5 > 0 then 1 else 2 + i / 5 % 199 end, 'PURCHASE',
         case when d.of_100 < 92 then 'SUCCESS' else (array['BANK_OFFLINE', 'BANK_REJECTED', 'CLIENT_CANCEL', 'CLIENT_TIMEOUT'])[1 + i % 4] end, 0,
         date_trunc('milliseconds', now() - ($1 - i) * (interval '90 days' / $1)),
         case when i % 10 = 3 then 10 else 1 + (i::bigint * 7919 % 200000) / 100.0 end, 'ZAR',
         case when i % 10 = 7 then 'till-' || i % 3 else 'order-' || i end, lpad((i::bigint * 7919 % 10000000000)::text, 10, '0'),
         case when d.of_100 < 92 and d.other < 95 then now() end, case when d.of_100 < 92 and d.other < 95 then case when d.other < 93 then 'WEBHOOK' else 'RECOVERY' end end,
         5 + i % 300,
         case when d.of_100 < 92 and d.other in (95, 96, 97, 98) then now() end,
         case when d.of_100 < 92 and d.other in (95, 96, 97, 98) then (array['NON_200', 'CONNECTION', 'TIMEOUT', 'NEVER_SENT'])[d.other - 94] end
    from generate_series(1, $1::int) i cross join lateral (select i::bigint * 31 % 100 as of_100, i::bigint * 131 / 100 % 100 as other) d`;

export const deepPayment = `
  select transaction_id::int as "transactionId", to_char(completed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "completedAt", reference, code
    from payment where merchant_id = $1 order by completed_at desc, transaction_id desc offset $2 limit 1`;

/** Blocks of 8 kB that the portal's statements on payments read, and how often it asked. */
export const blocksRead = `
  select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as blocks, coalesce(sum(rows), 0)::float8 as rows from pg_stat_statements
   where dbid = (select oid from pg_database where datname = $1) and query ~ 'from payment' and query !~ 'pg_stat_statements'`;
