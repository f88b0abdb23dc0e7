import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { minute, money, when } from '../format';
import type { HomeAnswer, Payment, PortalNotifications } from '../portal-api';
import { meQuery, merchantQuery } from '../queries';
import { notificationsQuery } from '../server/queries';
import { isOfServer, latestQuery } from '../server/server-state';
import { Callout, Icon } from '../ui';
import { t, type Text } from '../language/language';

const yearMs = 365 * 86_400_000;
const isOld = (http?: PortalNotifications['http']) => Boolean(http && Date.now() - Date.parse(http.changedAt) > yearMs);

/** Tells the people of one merchant of lost money first, then of settings that are missing or old. */
export function Attention({ merchantId, home }: { merchantId: number; home: HomeAnswer | undefined }): ReactNode {
  const { data: notifications } = useQuery(notificationsQuery(merchantId));
  const { data: latest } = useQuery(latestQuery(merchantId));
  const { data: merchant } = useQuery(merchantQuery(merchantId));
  return (
    <>
      {merchant?.status === 'SUSPENDED' && (
        <Callout look="reversed" title="This merchant is suspended: it can take no payments.">
          <p>{t('Ask your PSP.')}</p>
        </Callout>
      )}
      {home?.pausedUntil && <Paused until={home.pausedUntil} />}
      {home && home.lost.length > 0 && <Lost {...home} latest={latest?.payments ?? []} merchantId={merchantId} />}
      {notifications && latest && (
        <FirstSteps merchantId={merchantId} http={notifications.http} hasPayment={latest.payments.length > 0} />
      )}
      {isOld(notifications?.http) && (
        <Callout
          look="pending"
          title="Your key is older than a year."
          actions={
            <Link className="button" to="/notifications" search={{ merchantId }}>
              {t('Renew the key')}
            </Link>
          }
        />
      )}
    </>
  );
}

function Paused({ until }: { until: string }): ReactNode {
  return (
    <Callout look="pending" title={t('Notifications to your server wait until {at}.', { at: when(until) })}>
      <p>
        {t(
          'People on call paused them, and no payment is reversed for that. Meanwhile getNotification, or the page of a payment, fetches a notification and acknowledges it.',
        )}
      </p>
    </Callout>
  );
}

type Lost = HomeAnswer['lost'][number];

/** `what`: a number of payments. */
const causes: Record<NonNullable<Lost['answer']> | 'NONE', Text> = {
  NON_200: 'Your server answered something other than HTTP 200 to {what}',
  CONNECTION: 'Your server could not be reached for {what}',
  TIMEOUT: 'Your server did not answer within 45 seconds to {what}',
  NEVER_SENT: 'Paycode could not ask your server in time about {what}',
  BACKSTOP: 'No answer was known at the last deadline of {what}',
  HTTP_200: 'The payment network gave back {what}',
  READ: 'The payment network gave back {what}',
  NONE: 'The payment network gave back {what}',
};

/** Only the newest status is known. */
function causeWords(answer: keyof typeof causes, count: number, lastStatus: string | null): string {
  if (answer !== 'NON_200' || lastStatus === null) return t(causes[answer], { what: paymentsOf(count) });
  return t(
    'Your server answered {count, plural, one {{status} to # payment} other {# payments with something other than HTTP 200, the last one with {status}}}',
    { count, status: lastStatus },
  );
}

interface LostProps extends Pick<HomeAnswer, 'lost' | 'lastStatus'> {
  latest: Payment[];
  merchantId: number;
}

function Lost({ lost, lastStatus, latest, merchantId }: LostProps): ReactNode {
  const [firstAt, lastAt] = [
    earliest(lost.map(each => each.firstAt)),
    earliest(
      lost.map(each => each.lastAt),
      -1,
    ),
  ];
  const count = countOf(lost);
  const answers = [...new Set(lost.map(({ answer }) => answer ?? 'NONE'))];
  const of = (answer: string) => lost.filter(each => (each.answer ?? 'NONE') === answer);
  const [from, to] = [minute(firstAt), minute(lastAt)];
  const cause =
    answers.length === 1
      ? causeWords(answers[0]!, count, lastStatus)
      : t('{count, plural, one {# payment was reversed} other {# payments were reversed}}', { count });
  return (
    <Callout
      look="reversed"
      title={from === to ? t('{cause} at {from}.', { cause, from }) : t('{cause} between {from} and {to}.', { cause, from, to })}
      actions={
        <>
          <Link className="button" to="/payments" search={{ merchantId, outcome: 'REVERSED', from: firstAt } as never}>
            {t('{count, plural, one {See the payment} other {See the # payments}}', { count })}
          </Link>
          {answers.some(isOfServer) && (
            <Link className="button" to="/notifications" search={{ merchantId }}>
              {t('Test your server')}
            </Link>
          )}
        </>
      }
    >
      {answers.length > 1 &&
        answers.map(answer => (
          <p key={answer}>
            {causeWords(answer, countOf(of(answer)), lastStatus)}: {amountsOf(of(answer))}.
          </p>
        ))}
      <p>
        {answers.length > 1
          ? t('The customers have this money back: do not hand over the goods.')
          : t('The customers have {amounts} back: do not hand over the goods.', { amounts: amountsOf(lost) })}{' '}
        {recovered(latest, lastAt)}
      </p>
    </Callout>
  );
}

/** `direction` -1: the latest. */
const earliest = (instants: string[], direction = 1) => instants.reduce((a, b) => (a < b === direction > 0 ? a : b));
const countOf = (lost: Lost[]) => lost.reduce((sum, { count }) => sum + count, 0);
const paymentsOf = (count: number) => t('{count, plural, one {# payment} other {# payments}}', { count });
const amountsOf = (lost: Lost[]) => lost.map(({ amount, currencyCode }) => money(amount, currencyCode)).join(` ${t('and')} `);

function recovered(latest: Payment[], lostAt: string): string {
  const since = latest.find(({ answer }) => isOfServer(answer));
  if (since?.answer !== 'HTTP_200' || since.completedAt <= lostAt) return '';
  return t('The latest payment, at {at}, was answered with HTTP 200.', { at: minute(since.completedAt) });
}

interface FirstStepsProps {
  merchantId: number;
  http: PortalNotifications['http'];
  hasPayment: boolean;
}

/** Until a merchant has a server and a payment: what to do, one after the other. */
function FirstSteps({ merchantId, http, hasPayment }: FirstStepsProps): ReactNode {
  const { data: me } = useQuery(meQuery);
  if (http && hasPayment) return null;
  const hasTill = me?.environment === 'sandbox' && me.person.tenantType === 'MERCHANT';
  const steps = [
    { name: 'Set your server', why: 'Paycode tells it of each payment.', isDone: http !== null, to: '/notifications' },
    { name: 'Test it', why: 'A test moves no money.', isDone: Boolean(http?.openedAt), to: '/notifications' },
    {
      name: 'Take a payment',
      why: hasTill ? 'Show a code, and pay it on a phone.' : 'Make a payment code by the API.',
      isDone: hasPayment,
      to: hasTill ? '/till' : '/api',
    },
  ] as const satisfies { name: Text; why: Text; isDone: boolean; to: string }[];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <section className="card" aria-labelledby="first-steps">
      <h2 id="first-steps">{t('Get your first payment')}</h2>
      <ol className="steps">
        {steps.map(({ name, why, isDone, to }, index) => (
          <li key={name} className={isDone ? 'done' : ''}>
            {isDone ? <Icon name="good" /> : <span className="step">{index + 1}</span>}
            <div>
              <strong>{t(name)}</strong>
              {isDone && <span className="tag settled">{t('Done')}</span>}
              <p className="dim">{t(why)}</p>
            </div>
            {!isDone && (
              <Link
                className={`button ${index === next ? 'main' : ''}`}
                to={to}
                search={{ merchantId }}
                aria-label={t('Start: {step}', { step: t(name) })}
              >
                {t('Start')}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
