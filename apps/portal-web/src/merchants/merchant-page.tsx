import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { HomeAnswer, MerchantPeople, PaymentPage, PortalNotifications } from '../portal-api';
import { merchantQuery } from '../queries';
import { LatestPayments } from '../home/latest-payments';
import { notificationsQuery } from '../server/queries';
import { latestQuery } from '../server/server-state';
import { answerName, Facts, Failure, Moment, Money, type Outcome, outcomeName, Waiting } from '../ui';
import { dayBeganAt } from '../time-zone';
import { merchantPeopleQuery, todayQuery } from './queries';
import './merchants.css';
import { asIs, rich, t, useTitle, type Words } from '../language/language';

/** One merchant: whether its server is well, who is told, who may sign in, and today's money. */
export function MerchantPage(): ReactNode {
  const merchantId = Number(useParams({ from: '/signed-in/merchants/$merchantId' }).merchantId);
  const merchant = useQuery(merchantQuery(merchantId));
  const { data: notifications } = useQuery(notificationsQuery(merchantId));
  const { data: people } = useQuery(merchantPeopleQuery(merchantId));
  const { data: latest } = useQuery(latestQuery(merchantId));
  const { data: home } = useQuery(todayQuery(merchantId));
  const name = merchant.data?.merchantName;
  useTitle(name === undefined ? 'Merchant' : asIs(name));
  if (merchant.isError) return <Failure error={merchant.error} again={() => void merchant.refetch()} />;
  return (
    <>
      <p>
        <Link to="/merchants" search={{ search: undefined, after: undefined }}>
          {t('All merchants')}
        </Link>
      </p>
      <div className="page-head">
        <h1>{name ?? t('Merchant')}</h1>
        <span className="dim">{merchantId}</span>
        {merchant.data?.status === 'SUSPENDED' && <span className="tag reversed">{t('Suspended')}</span>}
        <span className="spacer" />
        <Link className="button" to="/payments" search={{ merchantId } as never}>
          {t('Payments')}
        </Link>
        <Link className="button" to="/notifications" search={{ merchantId }}>
          {t('Server')}
        </Link>
        <Link className="button" to="/statements" search={{ merchantId } as never}>
          {t('Statements')}
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
            <span className={`dot ${outcome.toLowerCase()}`}>{t('{outcome} today', { outcome: outcomeName(outcome) })}</span>
            {own.length === 0 && <strong>0</strong>}
            {own.map(sum => (
              <strong key={sum.currencyCode}>
                <Money {...sum} />
              </strong>
            ))}
            <small>{t('{count, plural, one {# payment} other {# payments}}', { count })}</small>
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
): [Words, ReactNode][] {
  const last = latest?.payments.find(({ answer }) => answer !== null);
  const proven = http?.openedAt
    ? rich('Proven {at}', { at: <Moment at={http.openedAt} /> })
    : t('Not proven: send a test notification');
  return [
    ['Server', http ? http.url : t('No URL is set: this merchant is not told of payments')],
    ...(http ? [['Test notification', proven] as [Words, ReactNode]] : []),
    [
      'Last answer',
      last ? (
        <>
          {answerName(last.answer!)}, <Moment at={last.completedAt} />
        </>
      ) : (
        t('None to the last payments')
      ),
    ],
    ['Recipients', recipients.length === 0 ? t('None') : recipients.map(({ value }) => value).join(', ')],
    ['People', people ? peopleWords(people) : '…'],
  ];
}

function peopleWords({ owners, others, invited }: MerchantPeople): string {
  if (owners + others + invited === 0) return t('Nobody of this merchant has an account');
  const signedUp = t('{owners, plural, one {# owner} other {# owners}}, {others} others', { owners, others });
  return invited === 0 ? signedUp : `${signedUp}, ${t('{invited} invited', { invited })}`;
}
