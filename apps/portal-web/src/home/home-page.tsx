import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import { bearerQuery } from '../api-access/queries';
import { elapsed, today } from '../format';
import type { HomeAnswer, ShownPerson } from '../portal-api';
import { meQuery, merchantsQuery } from '../queries';
import { notificationsQuery } from '../server/queries';
import { latestQuery, ServerTag } from '../server/server-state';
import { dayBeganAt } from '../time-zone';
import {
  AnswerChart,
  AnswerTable,
  Failure,
  MerchantChoice,
  Moment,
  Money,
  type Outcome,
  outcomeName,
  TimeChart,
  Waiting,
} from '../ui';
import { Attention } from './attention';
import { LatestPayments } from './latest-payments';
import './home.css';
import { rich, t, useTitle } from '../language/language';

const homeQuery = (merchantId: number | undefined, range: '24h' | '7d') =>
  queryOptions({
    queryKey: ['home', merchantId, range],
    refetchInterval: 10_000,
    queryFn: () => call('GET /home', { query: { merchantId, range, dayBeganAt: dayBeganAt() } }),
  });

/** First what needs the reader, then today's money, how the server answers, and the latest payments. */
export function HomePage(): ReactNode {
  const { merchantId: chosen } = useSearch({ from: '/signed-in/' });
  const navigate = useNavigate({ from: '/' });
  const [range, setRange] = useState<'24h' | '7d'>('24h');
  const { data: me } = useQuery(meQuery);
  const { data: merchants } = useQuery(merchantsQuery);
  const merchantId = chosen ?? ownMerchant(me) ?? (merchants?.length === 1 ? merchants[0]!.merchantId : undefined);
  const home = useQuery({ ...homeQuery(merchantId, range), placeholderData: keepPreviousData });
  useTitle('Home');
  return (
    <>
      <Head />
      <MerchantChoice value={chosen} all="All merchants" onChange={next => void navigate({ search: { merchantId: next } })} />
      {me && <SecondPersonHint me={me} />}
      {merchantId !== undefined && <Attention merchantId={merchantId} home={home.data} />}
      {home.isError && <Failure error={home.error} again={() => void home.refetch()} />}
      {home.isPending && <Waiting what="Adding up today" />}
      {home.data && (
        <>
          <Today home={home.data} merchantId={merchantId} />
          <div className={merchantId === undefined ? '' : 'columns'}>
            <Answers chart={home.data.chart} merchantId={merchantId} range={range} setRange={setRange} />
            {merchantId !== undefined && <ServerCard merchantId={merchantId} chart={home.data.chart} />}
          </div>
        </>
      )}
      {/* Read at the same time, and shown below the figures: figures that come later would move them. */}
      {merchantId !== undefined && (
        <div hidden={home.isPending}>
          <LatestPayments merchantId={merchantId} />
        </div>
      )}
    </>
  );
}

/** Of a person of one merchant it is known without asking. */
function ownMerchant(me: ShownPerson | null | undefined): number | undefined {
  return me?.person.tenantType === 'MERCHANT' ? Number(me.person.tenantId) : undefined;
}

function Head(): ReactNode {
  const { data: me } = useQuery(meQuery);
  return (
    <div className="head">
      <h1>{t('Home')}</h1>
      <span className="dim today">{today()}</span>
      <span className="spacer" />
      {me?.environment === 'sandbox' && me.person.tenantType === 'MERCHANT' && (
        <Link className="button main" to="/till">
          {t('Take a payment')}
        </Link>
      )}
    </div>
  );
}

const shown: Outcome[] = ['SETTLED', 'REVERSED', 'PENDING'];

function Today({ home, merchantId }: { home: HomeAnswer; merchantId: number | undefined }): ReactNode {
  return (
    <section aria-label={t('Today')}>
      <div className="tiles">
        {shown.map(outcome => {
          const isOwn = (sum: { outcome: string }) => sum.outcome === outcome;
          const own = home.today.filter(isOwn);
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
              <small>{own.length > 0 && comparedWords(countOf(own), countOf(home.yesterday.filter(isOwn)))}</small>
            </Link>
          );
        })}
        <AnswerTime chart={home.chart} />
      </div>
    </section>
  );
}

/** Of the latest stretch of the chart in which a server answered. */
function AnswerTime({ chart: { buckets } }: { chart: HomeAnswer['chart'] }): ReactNode {
  const last = buckets.findLast(({ medianMs }) => medianMs !== null);
  if (!last) return null;
  return (
    <div className="tile">
      <span>{t('Answer time, median')}</span>
      <strong>{elapsed(last.medianMs!)}</strong>
      <small>{t('slowest {time} · limit 45 s', { time: elapsed(last.slowestMs!) })}</small>
    </div>
  );
}

const countOf = (sums: HomeAnswer['today']) => sums.reduce((total, { count }) => total + count, 0);

/** Compared with yesterday until the same time of day. */
function comparedWords(count: number, before: number): string {
  const payments = t('{count, plural, one {# payment} other {# payments}}', { count });
  if (before === 0) return payments;
  const change = Math.round((100 * (count - before)) / before);
  if (change === 0) return `${payments} · ${t('as many as yesterday by now')}`;
  const percent = Math.abs(change);
  return `${payments} · ${change > 0 ? t('{percent} % more than yesterday by now', { percent }) : t('{percent} % fewer than yesterday by now', { percent })}`;
}

function Answers(props: {
  chart: HomeAnswer['chart'];
  merchantId: number | undefined;
  range: '24h' | '7d';
  setRange: (range: '24h' | '7d') => void;
}): ReactNode {
  const { chart, merchantId, range, setRange } = props;
  return (
    <section className="card" aria-labelledby="answers">
      <div className="row">
        <h2 id="answers">{range === '24h' ? t('Payments by hour') : t('Payments by quarter of a day')}</h2>
        <span className="spacer" />
        <p className="legend">
          <span className="dot settled">{t('Settled')}</span> <span className="dot reversed">{t('Reversed')}</span>{' '}
          <span className="dot pending">{t('Pending')}</span>
        </p>
        <select
          className="small"
          aria-label={t('Time range')}
          value={range}
          onChange={event => setRange(event.target.value as '24h' | '7d')}
        >
          <option value="24h">{t('Last 24 hours')}</option>
          <option value="7d">{t('Last 7 days')}</option>
        </select>
      </div>
      {chart.buckets.length === 0 ? (
        <p className="dim">{t('No payments in this time. When a payment code is paid, it shows here.')}</p>
      ) : (
        <>
          <AnswerChart chart={chart} merchantId={merchantId} />
          <details>
            <summary>{t('In numbers')}</summary>
            <AnswerTable {...chart} />
          </details>
        </>
      )}
    </section>
  );
}

/** How the server of a merchant does. */
function ServerCard({ merchantId, chart }: { merchantId: number; chart: HomeAnswer['chart'] }): ReactNode {
  const { data: notifications } = useQuery(notificationsQuery(merchantId));
  const { data: latest } = useQuery(latestQuery(merchantId));
  return (
    <section className="card" aria-labelledby="your-server">
      <div className="row">
        <h2 id="your-server">{t('Your server')}</h2>
        <span className="spacer" />
        {notifications && latest && <ServerTag http={notifications.http} payments={latest.payments} />}
      </div>
      {notifications?.http ? (
        <code>{notifications.http.url}</code>
      ) : (
        <p className="dim">{t('Paycode tells nobody of payments.')}</p>
      )}
      <TimeChart chart={chart} />
      <p>
        <Link to="/notifications" search={{ merchantId }}>
          {t('Open your server')}
        </Link>
      </p>
    </section>
  );
}

/** On Home: what one owner has asked for, and another confirms. */
function SecondPersonHint({ me }: { me: ShownPerson }): ReactNode {
  const { person, environment } = me;
  const takesPart = environment === 'production' && person.mayRenewCredentials;
  const { data } = useQuery({ ...bearerQuery, enabled: takesPart });
  const request = data?.request;
  if (!takesPart || request?.state !== 'OPEN') return null;
  const isMine = request.askedBy.personId === person.personId;
  return (
    <section className="card" aria-labelledby="second-person">
      <h2 id="second-person">{isMine ? t('You wait for a second owner') : t('You are asked to confirm')}</h2>
      <p>
        {isMine
          ? rich(
              'You have asked for the switch of your API account to Bearer. Another owner confirms or refuses it until {at}. Nothing has changed yet.',
              { at: <Moment at={request.expiresAt} /> },
            )
          : rich(
              '{name} has asked for the switch of your API account to Bearer. Confirm or refuse it until {at}. Nothing has changed yet.',
              {
                name: request.askedBy.name,
                at: <Moment at={request.expiresAt} />,
              },
            )}
      </p>
      <Link to="/api">{t('Go to API')}</Link>
    </section>
  );
}
