import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import { dayBeganAt, when } from '../format';
import type { HomeAnswer, MerchantRecord, PortalNotifications, ShownPerson } from '../portal-api';
import { meQuery, merchantQuery, merchantsQuery } from '../queries';
import { notificationsQuery } from '../server/queries';
import {
  AnswerChart,
  AnswerTable,
  Facts,
  Failure,
  MerchantChoice,
  Money,
  type Outcome,
  outcomeName,
  TimeChart,
  Waiting,
} from '../ui';
import { SecondPersonHint } from './second-person-hint';

const homeQuery = (merchantId: number | undefined, range: '24h' | '7d') =>
  queryOptions({
    queryKey: ['home', merchantId, range],
    refetchInterval: 10_000,
    queryFn: () => call('GET /home', { query: { merchantId, range, dayBeganAt: dayBeganAt() } }),
  });

/** The identity of the person, open problems, today's amounts, and the answers of the merchant's server. */
export function HomePage(): ReactNode {
  const { merchantId: chosen } = useSearch({ from: '/signed-in/' });
  const navigate = useNavigate({ from: '/' });
  const [range, setRange] = useState<'24h' | '7d'>('24h');
  const { data: me } = useQuery(meQuery);
  const { data: merchants } = useQuery(merchantsQuery);
  const merchantId = chosen ?? (merchants?.length === 1 ? merchants[0]!.merchantId : undefined);
  const { data: merchant } = useQuery({ ...merchantQuery(merchantId ?? 0), enabled: merchantId !== undefined });
  const home = useQuery({ ...homeQuery(merchantId, range), placeholderData: keepPreviousData });
  useEffect(() => void (document.title = 'Home · Paycode'), []);
  return (
    <>
      <h1>Home</h1>
      <MerchantChoice value={chosen} all="All merchants" onChange={next => void navigate({ search: { merchantId: next } })} />
      {me && <Identity me={me} merchant={merchant} />}
      {me && <SecondPersonHint me={me} />}
      {merchantId !== undefined && (
        <Attention merchantId={merchantId} home={home.data} isSuspended={merchant?.status === 'SUSPENDED'} />
      )}
      {home.isError && <Failure error={home.error} again={() => void home.refetch()} />}
      {home.isPending && <Waiting what="Adding up today" />}
      {home.data && <Today home={home.data} merchantId={merchantId} />}
      {home.data && (
        <section className="card" aria-labelledby="answers">
          <div className="row">
            <h2 id="answers">{range === '24h' ? 'Payments by hour' : 'Payments by quarter of a day'}</h2>
            <span className="spacer" />
            <select
              className="small"
              aria-label="Time range"
              value={range}
              onChange={event => setRange(event.target.value as '24h' | '7d')}
            >
              <option value="24h">Last 24 hours</option>
              <option value="7d">Last 7 days</option>
            </select>
          </div>
          <Answers chart={home.data.chart} merchantId={merchantId} />
        </section>
      )}
    </>
  );
}

function Identity({ me, merchant }: { me: ShownPerson; merchant: MerchantRecord | undefined }): ReactNode {
  const { person } = me;
  const facts: [string, ReactNode][] = [
    ['Account', person.tenantName],
    ...(merchant ? [['Merchant', `${merchant.merchantName} (merchantId ${merchant.merchantId})`] as [string, string]] : []),
    ...(merchant?.pspId ? [['PSP', `pspId ${merchant.pspId}`] as [string, string]] : []),
    ['You', `${person.name}, ${person.role.toLowerCase().replace('_', '-')}`],
  ];
  return <Facts facts={facts} />;
}

const yearMs = 365 * 86_400_000;

function Attention({
  merchantId,
  home,
  isSuspended,
}: {
  merchantId: number;
  home: HomeAnswer | undefined;
  isSuspended: boolean;
}): ReactNode {
  const { data: notifications } = useQuery(notificationsQuery(merchantId));
  const warnings = notifications ? warningsOf(notifications, home) : [];
  if (home?.pausedUntil) warnings.unshift(pausedWords(home.pausedUntil));
  if (isSuspended) warnings.unshift('This merchant is suspended: it can take no payments. Ask your PSP.');
  return (
    <section className={`card result ${warnings.length > 0 ? 'pending' : ''}`} aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {!notifications && <Waiting what="Looking" />}
      {notifications && warnings.length === 0 && (
        <p>Your notifications are set up, and none of the last hour’s payments was reversed.</p>
      )}
      <ul className="warnings">
        {warnings.map(warning => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
      {(home?.lastHour.reversed ?? 0) > 0 && (
        <p>
          <Link to="/payments" search={{ outcome: 'REVERSED' } as never}>
            Show reversed payments
          </Link>
        </p>
      )}
      {warnings.length > 0 && (
        <Link to="/notifications" search={{ merchantId }}>
          Go to Notifications
        </Link>
      )}
    </section>
  );
}

function pausedWords(until: string): string {
  return `The platform lets notifications to your server wait until ${when(until)}: people on call paused them. No payment is reversed for that. Meanwhile getNotification, or the page of a payment, fetches a notification and acknowledges it.`;
}

function warningsOf({ http }: PortalNotifications, home: HomeAnswer | undefined): string[] {
  const warnings: string[] = [];
  if (!http) warnings.push('No notification URL is set: your server is not told of payments, and none waits for its answer.');
  if (http && Date.now() - Date.parse(http.changedAt) > yearMs)
    warnings.push('URL and key have not changed for more than a year: renew the key.');
  const failing = home && failureOf(home.lastHour);
  if (failing) warnings.push(failing);
  const reversed = home?.lastHour.reversed ?? 0;
  if (reversed > 0)
    warnings.push(
      `${reversed} ${reversed === 1 ? 'payment was' : 'payments were'} reversed in the last hour: open one to see why.`,
    );
  return warnings;
}

function failureOf({ acknowledged, failed }: HomeAnswer['lastHour']): string | undefined {
  if (failed === 0) return undefined;
  const how = acknowledged === 0 ? `none of ${failed}` : `${acknowledged} of ${acknowledged + failed}`;
  return `Your server acknowledged ${how} ${acknowledged + failed === 1 ? 'payment' : 'payments'} that it was asked about in the last hour: press Check under Notifications.`;
}

const shown: Outcome[] = ['SETTLED', 'REVERSED', 'PENDING'];

function Today({ home: { today, yesterday }, merchantId }: { home: HomeAnswer; merchantId: number | undefined }): ReactNode {
  return (
    <section aria-labelledby="today">
      <h2 id="today">Today</h2>
      <div className="tiles">
        {shown.map(outcome => {
          const isOwn = (sum: { outcome: string }) => sum.outcome === outcome;
          const own = today.filter(isOwn);
          const search = { merchantId, outcome, from: dayBeganAt() };
          return (
            <Link key={outcome} className="tile" to="/payments" search={search as never}>
              <span className={`dot ${outcome.toLowerCase()}`}>{outcomeName(outcome)}</span>
              {own.length === 0 && <strong>0</strong>}
              {own.map(({ currencyCode, amount }) => (
                <strong key={currencyCode}>
                  <Money amount={amount} currencyCode={currencyCode} />
                </strong>
              ))}
              <small>{comparedWords(countOf(own), countOf(yesterday.filter(isOwn)))}</small>
            </Link>
          );
        })}
      </div>
    </section>
  );
}

const countOf = (sums: HomeAnswer['today']) => sums.reduce((total, { count }) => total + count, 0);

/** Compared with yesterday until the same time of day. */
function comparedWords(count: number, before: number): string {
  const payments = `${count} ${count === 1 ? 'payment' : 'payments'}`;
  if (before === 0) return payments;
  const percent = Math.round((100 * (count - before)) / before);
  if (percent === 0) return `${payments} · as many as yesterday by now`;
  return `${payments} · ${Math.abs(percent)} % ${percent > 0 ? 'more' : 'fewer'} than yesterday by now`;
}

function Answers({ chart, merchantId }: { chart: HomeAnswer['chart']; merchantId: number | undefined }): ReactNode {
  if (chart.buckets.length === 0)
    return <p>No payments in this time. When a payment code is paid, you see here how your server answered and how fast.</p>;
  return (
    <>
      <p className="legend">
        <span className="dot settled">Settled</span> <span className="dot reversed">Reversed</span>{' '}
        <span className="dot pending">Pending</span> <span>Select a bar to see its payments.</span>
      </p>
      <AnswerChart chart={chart} merchantId={merchantId} />
      <TimeChart chart={chart} />
      <details>
        <summary>In numbers</summary>
        <AnswerTable {...chart} />
      </details>
    </>
  );
}
