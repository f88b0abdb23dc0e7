import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { FoundTransaction } from '../portal-api';
import { onCallTransactionQuery } from './queries';
import { queryClient } from '../queries';
import { Confirm, Facts, Failure, Moment, Money, Waiting } from '../ui';
import { t, type Words } from '../language/language';

/** One transaction, by every service that knows of it. */
export function FoundTransaction({ transactionId }: { transactionId: string }): ReactNode {
  const { data, isError, error, refetch } = useQuery(onCallTransactionQuery(transactionId));
  return (
    <section aria-labelledby="found">
      <h2 id="found">{t('Transaction {transactionId}', { transactionId })}</h2>
      {isError && <Failure error={error} again={() => void refetch()} />}
      {!data && !isError && <Waiting what="Asking portal, dispatcher and scheduler" />}
      {data && data.silent.length > 0 && (
        <p className="notice bad">
          {t('No answer from: {services}. Their part is missing here.', { services: data.silent.join(', ') })}
        </p>
      )}
      {data && isUnknown(data) && (
        <p className="notice">{t('No service knows it: nothing came from the payment core under this id.')}</p>
      )}
      {data && !isUnknown(data) && <Found found={data} />}
    </section>
  );
}

const isUnknown = ({ known, delivery, reversal, silent }: FoundTransaction) =>
  !known && !delivery && !reversal && silent.length === 0;

function Found({ found }: { found: FoundTransaction }): ReactNode {
  const { transactionId, known, delivery, doings, dashboard } = found;
  return (
    <>
      <Facts facts={[...knownFacts(found), ...deliveryFacts(found), ...reversalFacts(found)]} />
      {known?.completedAt && (
        <p>
          <Link to="/payments/$transactionId" params={{ transactionId: String(transactionId) }}>
            {t('Its page: what happened step by step, and why')}
          </Link>
        </p>
      )}
      {dashboard && (
        <p>
          <a href={dashboard} target="_blank" rel="noreferrer">
            {t('Its traces and log lines in Grafana, in a new tab')}
          </a>
        </p>
      )}
      {delivery && !delivery.reversible && delivery.verdict && <Redelivery found={found} />}
      <h3>{t('Done to it in the portal')}</h3>
      {doings.length === 0 && <p className="dim">{t('Nothing lately.')}</p>}
      <ul>
        {doings.map(({ at, personName, action }) => (
          <li key={`${at} ${action}`}>
            <Moment at={at} /> {personName}: {action}
          </li>
        ))}
      </ul>
    </>
  );
}

type Fact = readonly [Words, ReactNode];

function knownFacts({ known }: FoundTransaction): Fact[] {
  if (!known) return [['Portal', t('knows nothing of it')]];
  const { merchantId, kind, status, outcome, amount, currencyCode } = known;
  const money = amount !== null && currencyCode !== null && <Money amount={amount} currencyCode={currencyCode} />;
  return [
    ['Merchant', merchantId],
    ['Transaction', `${kind ?? t('not final')} ${status ?? ''}`],
    ['Amount', money || '–'],
    ['Outcome', outcome],
  ];
}

function deliveryFacts({ delivery }: FoundTransaction): Fact[] {
  if (!delivery) return [['Dispatcher', t('has no delivery of it')]];
  const { receivedAt, attempts, verdict } = delivery;
  return [
    ['Dispatcher received it', <Moment key="received" at={receivedAt} />],
    [
      'Attempts',
      attempts.map(({ attempt, outcome }) => `${attempt}: ${outcome ?? t('no answer known')}`).join('; ') || t('none'),
    ],
    ['Verdict', verdict ? verdict.kind : t('none yet')],
  ];
}

function reversalFacts({ reversal }: FoundTransaction): Fact[] {
  if (!reversal) return [['Scheduler', t('has no reversal armed for it')]];
  const { state, dueAt, reason } = reversal;
  return [
    ['Scheduler', `${state}${reason ? `: ${reason}` : ''}`],
    ...(dueAt && state === 'ARMED' ? [['Reversed at the latest', <Moment key="due" at={dueAt} />] as const] : []),
  ];
}

/** Says before what is sent to whom. */
function Redelivery({ found: { transactionId, known, delivery } }: { found: FoundTransaction }): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const send = useMutation({
    mutationFn: () => call('POST /on-call/transactions/{transactionId}/redeliver', { path: { transactionId } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['on-call-transaction'] }),
  });
  return (
    <>
      <button type="button" disabled={send.isPending} onClick={() => setAsking(true)}>
        {t('Send the notice again')}
      </button>
      {isAsking && (
        <Confirm
          title="Send this notice again?"
          action="Send it again"
          onConfirm={() => send.mutateAsync()}
          onClose={() => setAsking(false)}
        >
          <p>
            {t(
              'Merchant {merchantId} gets the notice {status} of transaction {transactionId} once more, at its URL of now. It moves no money, and nothing is reversed whatever the server answers. It goes on record with your name.',
              { merchantId: delivery?.merchantId ?? '', status: known?.status ?? '', transactionId },
            )}
          </p>
        </Confirm>
      )}
      {send.isSuccess && <p role="status">{t('It is on its way. Look it up again to see the answer.')}</p>}
    </>
  );
}
