import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import { dayBeganAt, when } from '../format';
import type { HomeAnswer, MerchantRecord, PortalNotifications, ShownPerson } from '../portal-api';
import { meQuery, merchantsQuery } from '../queries';
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
  const home = useQuery({ ...homeQuery(merchantId, range), placeholderData: keepPreviousData });
  useEffect(() => void (document.title = 'Home · Paycode'), []);
  return (
    <>
      <h1>Home</h1>
      <MerchantChoice value={chosen} all="All merchants" onChange={next => void navigate({ search: { merchantId: next } })} />
      {me && <Identity me={me} merchant={merchants?.find(each => each.merchantId === merchantId)} />}
      {me && <SecondPersonHint me={me} />}
      {merchantId !== undefined && (
        <Attention merchantId={merchantId} home={home.data} isSuspended={isSuspended(merchants, merchantId)} />
      )}
      {home.isError && <Failure error={home.error} again={() => void home.refetch()} />}
      {home.isPending && <Waiting what="Adding up today" />}
      {home.data && <Today sums={home.data.today} />}
      {home.data && (
        <section className="card" aria-labelledby="answers">
          <div className="row">
            <h2 id="answers">Answers of your server</h2>
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
          <Answers chart={home.data.chart} />
        </section>
      )}
    </>
  );
}

function isSuspended(merchants: MerchantRecord[] | undefined, merchantId: number): boolean {
  return merchants?.find(each => each.merchantId === merchantId)?.status === 'SUSPENDED';
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
    <section className="card" aria-labelledby="attention">
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

const shown: Outcome[] = ['SETTLED', 'PENDING', 'REVERSED'];

function Today({ sums }: { sums: HomeAnswer['today'] }): ReactNode {
  return (
    <section aria-labelledby="today">
      <h2 id="today">Today</h2>
      <div className="tiles">
        {shown.map(outcome => {
          const own = sums.filter(each => each.outcome === outcome);
          const count = own.reduce((total, each) => total + each.count, 0);
          return (
            <Link key={outcome} className={`tile ${outcome.toLowerCase()}`} to="/payments" search={{ outcome } as never}>
              <span>{outcomeName(outcome)}</span>
              <strong>{count}</strong>
              {own.map(({ currencyCode, amount }) => (
                <Money key={currencyCode} amount={amount} currencyCode={currencyCode} />
              ))}
            </Link>
          );
        })}
      </div>
    </section>
  );
}

function Answers({ chart }: { chart: HomeAnswer['chart'] }): ReactNode {
  if (chart.buckets.length === 0)
    return <p>No payments in this time. When a payment code is paid, you see here how your server answered and how fast.</p>;
  return (
    <>
      <AnswerChart chart={chart} />
      <p className="legend">
        <span className="tag settled">Settled</span> <span className="tag reversed">Reversed</span>{' '}
        <span className="tag pending">Pending</span>
      </p>
      <TimeChart chart={chart} />
      <details>
        <summary>In numbers</summary>
        <AnswerTable {...chart} />
      </details>
    </>
  );
}
