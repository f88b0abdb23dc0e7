import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { HomeAnswer, MerchantPeople, PaymentPage, PortalNotifications } from '../portal-api';
import { merchantQuery } from '../queries';
import { LatestPayments } from '../home/latest-payments';
import { notificationsQuery } from '../server/queries';
import { latestQuery } from '../server/server-state';
import { answerName, Facts, Failure, Moment, Money, type Outcome, outcomeName, Waiting } from '../ui';
import { dayBeganAt } from '../format';
import { merchantPeopleQuery, todayQuery } from './queries';
import './merchants.css';

/** One merchant: whether its server is well, who is told, who may sign in, and today's money. */
export function MerchantPage(): ReactNode {
  const merchantId = Number(useParams({ from: '/signed-in/merchants/$merchantId' }).merchantId);
  const merchant = useQuery(merchantQuery(merchantId));
  const { data: notifications } = useQuery(notificationsQuery(merchantId));
  const { data: people } = useQuery(merchantPeopleQuery(merchantId));
  const { data: latest } = useQuery(latestQuery(merchantId));
  const { data: home } = useQuery(todayQuery(merchantId));
  const name = merchant.data?.merchantName;
  useEffect(() => void (document.title = `${name ?? 'Merchant'} · Paycode`), [name]);
  if (merchant.isError) return <Failure error={merchant.error} again={() => void merchant.refetch()} />;
  return (
    <>
      <p>
        <Link to="/merchants" search={{ search: undefined, after: undefined }}>
          All merchants
        </Link>
      </p>
      <div className="page-head">
        <h1>{name ?? 'Merchant'}</h1>
        <span className="dim">{merchantId}</span>
        {merchant.data?.status === 'SUSPENDED' && <span className="tag reversed">Suspended</span>}
        <span className="spacer" />
        <Link className="button" to="/payments" search={{ merchantId } as never}>
          Payments
        </Link>
        <Link className="button" to="/notifications" search={{ merchantId }}>
          Server
        </Link>
        <Link className="button" to="/statements" search={{ merchantId } as never}>
          Statements
        </Link>
      </div>
      {home && <TodayTiles home={home} merchantId={merchantId} />}
      {notifications ? <Facts facts={factsOf(notifications, people, latest)} /> : <Waiting what="Reading what is set" />}
      <LatestPayments merchantId={merchantId} />
    </>
  );
}

const shown: Outcome[] = ['SETTLED', 'REVERSED', 'PENDING'];

function TodayTiles({ home, merchantId }: { home: HomeAnswer; merchantId: number }): ReactNode {
  return (
    <div className="tiles">
      {shown.map(outcome => {
        const own = home.today.filter(sum => sum.outcome === outcome);
        const count = own.reduce((total, sum) => total + sum.count, 0);
        return (
          <Link key={outcome} className="tile" to="/payments" search={{ merchantId, outcome, from: dayBeganAt() } as never}>
            <span className={`dot ${outcome.toLowerCase()}`}>{outcomeName(outcome)} today</span>
            {own.length === 0 && <strong>0</strong>}
            {own.map(sum => (
              <strong key={sum.currencyCode}>
                <Money {...sum} />
              </strong>
            ))}
            <small>
              {count} {count === 1 ? 'payment' : 'payments'}
            </small>
          </Link>
        );
      })}
    </div>
  );
}

function factsOf(
  { http, recipients }: PortalNotifications,
  people: MerchantPeople | undefined,
  latest: PaymentPage | undefined,
): [string, ReactNode][] {
  const last = latest?.payments.find(({ answer }) => answer !== null);
  const proven = http?.openedAt ? (
    <>
      Proven <Moment at={http.openedAt} />
    </>
  ) : (
    'Not proven: send a test notification'
  );
  return [
    ['Server', http ? http.url : 'No URL is set: this merchant is not told of payments'],
    ...(http ? [['Test notification', proven] as [string, ReactNode]] : []),
    [
      'Last answer',
      last ? (
        <>
          {answerName(last.answer!)}, <Moment at={last.completedAt} />
        </>
      ) : (
        'None to the last payments'
      ),
    ],
    ['Recipients', recipients.length === 0 ? 'None' : recipients.map(({ value }) => value).join(', ')],
    ['People', people ? peopleWords(people) : '…'],
  ];
}

function peopleWords({ owners, others, invited }: MerchantPeople): string {
  if (owners + others + invited === 0) return 'Nobody of this merchant has an account';
  const waiting = invited === 0 ? '' : `, ${invited} invited`;
  return `${owners} ${owners === 1 ? 'owner' : 'owners'}, ${others} others${waiting}`;
}
