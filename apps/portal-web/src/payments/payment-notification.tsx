import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import { elapsed } from '../format';
import type { DeliveryAttempt, PortalShownNotification, ShownPayment } from '../portal-api';
import { meQuery, queryClient } from '../queries';
import { Code, Confirm, Failure, Moment, Table } from '../ui';
import { JsonText } from './json-text';
import { t, type Text } from '../language/language';

/** The notification of one payment, and the answers of the merchant's server. */
export function PaymentNotification({ shown }: { shown: ShownPayment }): ReactNode {
  const { data: me } = useQuery(meQuery);
  return (
    <section aria-labelledby="notification">
      <h2 id="notification">{t('Notification')}</h2>
      {shown.attempts.length > 0 && <Attempts attempts={shown.attempts} />}
      {me?.person.mayReadNotification ? (
        <>
          <WhatWasSeen transactionId={shown.payment.transactionId} />
          <Fetch shown={shown} />
        </>
      ) : (
        <p className="dim">{t('Developers and owners of the merchant or its PSP can read the notification here.')}</p>
      )}
    </section>
  );
}

function Attempts({ attempts }: { attempts: DeliveryAttempt[] }): ReactNode {
  return (
    <Table label="Attempts" columns={['Attempt', 'Sent', 'Answer of your server', { name: 'After', isRight: true }]}>
      {attempts.map(({ attempt, startedAt, outcome, elapsedMs }) => (
        <tr key={startedAt}>
          <th scope="row">{attempt}</th>
          <td>
            <Moment at={startedAt} />
          </td>
          <td>{outcome ?? t('None yet')}</td>
          <td className="right">{elapsedMs === null ? '–' : elapsed(elapsedMs)}</td>
        </tr>
      ))}
    </Table>
  );
}

function WhatWasSeen({ transactionId }: { transactionId: number }): ReactNode {
  // Kept by this page alone, as long as it is open: it tells who paid.
  const show = useMutation({
    gcTime: 0,
    mutationFn: () => call('POST /payments/{transactionId}/notification/show', { path: { transactionId } }),
  });
  return (
    <div className="card">
      <h3>{t('Attempts and answers')}</h3>
      <p>
        {t(
          'The body after decryption, and a request as it is sent. It tells who paid, and goes on record with your name. It acknowledges nothing.',
        )}
      </p>
      <button type="button" disabled={show.isPending} onClick={() => show.mutate()}>
        {show.isPending ? t('Opening it…') : t('Show what your server saw')}
      </button>
      {show.isError && <Failure error={show.error} />}
      {show.data && <Seen notification={show.data} />}
    </div>
  );
}

function Seen({ notification: { body, isErased, request } }: { notification: PortalShownNotification }): ReactNode {
  return (
    <>
      {isErased && (
        <p className="notice">
          {t(
            'The payer was erased on request: the notification no longer names them. Notifications sent before the erasure did.',
          )}
        </p>
      )}
      <JsonText label="Decrypted body" text={body} />
      {request === null ? (
        <p>{t('No URL is set now, so there is no key to seal a request with.')}</p>
      ) : (
        <>
          <h4>{t('Request, made now')}</h4>
          <p className="dim">
            {t(
              'Made with the key and settings of now, and not sent. The bytes of earlier attempts are not kept: each has an initialisation vector of its own, so they differ, and open to the same text.',
            )}
          </p>
          <Code label="Request headers">
            {Object.entries(request.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          </Code>
          <Code label="Request body, Base64">{request.body}</Code>
          <details>
            <summary>{t('The same bytes in hex')}</summary>
            <Code label="Request body, hex">{hexOf(request.body)}</Code>
          </details>
        </>
      )}
    </>
  );
}

function hexOf(base64: string): string {
  return [...atob(base64)].map(char => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

const saysBefore: Record<ShownPayment['payment']['outcome'], Text> = {
  SETTLED: 'Acknowledges nothing: this payment is settled.',
  REVERSED: 'Acknowledges nothing: this payment is reversed and stays so. The body says REVERSED.',
  NO_MONEY: 'Acknowledges nothing: there is no money to acknowledge.',
  PENDING: 'Acknowledges nothing: nobody waits for an answer to this payment.',
};

/** As the merchant's program reads it, with what that does to the payment. */
function Fetch({ shown: { payment, doesFetchAcknowledge } }: { shown: ShownPayment }): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const { transactionId, outcome } = payment;
  const fetched = useMutation({
    gcTime: 0,
    mutationFn: () => call('POST /payments/{transactionId}/notification/fetch', { path: { transactionId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['payment', String(transactionId)] }),
  });
  return (
    <div className="card">
      <h3>{t('Fetch the notification')}</h3>
      <p>
        {doesFetchAcknowledge
          ? t(
              'Acknowledges this payment: it waits for your server, and is settled when you fetch it, as if your program had called getNotification.',
            )
          : t(saysBefore[outcome])}
      </p>
      <button
        type="button"
        disabled={fetched.isPending}
        onClick={() => (doesFetchAcknowledge ? setAsked(true) : fetched.mutate())}
      >
        {fetched.isPending ? t('Fetching…') : doesFetchAcknowledge ? t('Fetch and acknowledge…') : t('Fetch the notification')}
      </button>
      {fetched.isError && <Failure error={fetched.error} />}
      {fetched.data && <JsonText label="Fetched notification" text={fetched.data.body} />}
      {isAsked && (
        <Confirm
          title="Acknowledge this payment?"
          action="Fetch and acknowledge"
          onConfirm={() => fetched.mutateAsync()}
          onClose={() => setAsked(false)}
        >
          <p>
            {t('It is settled then, and not given back, whatever your server does. Make sure that your shop knows of the order.')}
          </p>
        </Confirm>
      )}
    </div>
  );
}
