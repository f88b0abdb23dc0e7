import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../api';
import { elapsed, when } from '../format';
import type { Payment, PortalNotifications } from '../portal-api';
import { answerName, Callout } from '../ui';
import { rich, type Said, t } from '../language/language';

/** The five newest payments of a merchant. */
export const latestQuery = (merchantId: number) =>
  queryOptions({
    queryKey: ['latest-payments', merchantId],
    refetchInterval: 10_000,
    queryFn: () => call('GET /payments', { query: { merchantId, limit: 5 } }),
  });

type Http = PortalNotifications['http'];

/** Not what the platform failed to ask, nor what a program read by itself. */
export const isOfServer = (answer: string | null) => ['HTTP_200', 'NON_200', 'CONNECTION', 'TIMEOUT'].includes(answer ?? '');

/** The newest of these payments that the server at this URL answered, or failed to. */
function lastAnswered(http: Http, payments: readonly Payment[]): Payment | undefined {
  return payments.find(({ answer, completedAt }) => isOfServer(answer) && http !== null && completedAt > http.changedAt);
}

const isGood = ({ answer }: Payment) => answer === 'HTTP_200';

/** Whether the server answers, by its newest payment. */
export function ServerTag({ http, payments }: { http: Http; payments: readonly Payment[] }): ReactNode {
  if (!http) return <span className="tag pending">{t('Not set')}</span>;
  const last = lastAnswered(http, payments);
  if (!last) return <span className="tag">{t('Not asked yet')}</span>;
  return <span className={`tag ${isGood(last) ? 'settled' : 'reversed'}`}>{isGood(last) ? t('Answering') : t('Failing')}</span>;
}

/** The same in a sentence, with what is missing. */
export function ServerCallout({ merchantId, http }: { merchantId: number; http: Http }): ReactNode {
  const { data } = useQuery(latestQuery(merchantId));
  if (!http)
    return (
      <Callout look="pending" title="No URL is set: your server is not told of payments.">
        <p>
          {t('Register its address. It must answer each payment with HTTP 200 within 45 seconds, or the payment is reversed.')}
        </p>
      </Callout>
    );
  const last = lastAnswered(http, data?.payments ?? []);
  if (last && !isGood(last))
    return (
      <Callout look="reversed" title="Your server is failing: payments are reversed." actions={<OfPayment payment={last} />}>
        <p>
          {lastWords(last)} {rich('<strong>Next steps:</strong> press Check, then send a test notification.')}
        </p>
      </Callout>
    );
  if (!http.openedAt)
    return (
      <Callout look="pending" title="Not proven yet that your server opens notifications.">
        <p>
          {last && lastWords(last)} {t('Send a test notification: it moves no money.')}
        </p>
      </Callout>
    );
  return (
    <Callout look="settled" title="Your server opens notifications, and answers them.">
      <p>{last ? lastWords(last) : t('No payment was answered since this URL was set.')}</p>
    </Callout>
  );
}

function OfPayment({ payment: { transactionId } }: { payment: Payment }): ReactNode {
  return (
    <Link className="button" to="/payments/$transactionId" params={{ transactionId: String(transactionId) }}>
      {t('See why')}
    </Link>
  );
}

function lastWords({ completedAt, answer, ackElapsedMs }: Payment): Said {
  const values = { at: when(completedAt), answer: answerName(answer!) };
  return ackElapsedMs === null
    ? t('Latest payment, {at}: {answer}.', values)
    : t('Latest payment, {at}: {answer} in {time}.', { ...values, time: elapsed(ackElapsedMs) });
}
