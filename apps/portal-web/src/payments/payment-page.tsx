import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { clock, elapsed, utc } from '../format';
import type { NamedPayment, ShownPayment } from '../portal-api';
import { mayGoOn, paymentQuery, shownKey } from './queries';
import { queryClient } from '../queries';
import { Callout, CopyButton, Facts, Failure, type Look, Moment, Money, OutcomeTag, Waiting } from '../ui';
import { usePaymentChanges } from './payment-changes';
import { PaymentNotification } from './payment-notification';
import { explained, stepWords } from './sentences';
import './payments.css';
import { rich, t, useTitle, type Words } from '../language/language';

/** The outcome of one payment, its reason, and advice. */
export function PaymentPage(): ReactNode {
  const { transactionId } = useParams({ from: '/signed-in/payments/$transactionId' });
  const [isLive, setLive] = useState(false);
  // Attempts are not told of, but seen by asking.
  const { data, isError, error, refetch } = useQuery(paymentQuery(transactionId, isLive ? 5_000 : 1_500));
  usePaymentChanges(transactionId, data ? mayGoOn(data.payment) : !isError, setLive);
  useTitle(t('Payment {transactionId}', { transactionId }));
  return (
    <>
      <p className="crumbs">
        <Link to="/payments" search={(queryClient.getQueryData(shownKey) ?? {}) as never}>
          {t('Payments')}
        </Link>{' '}
        / {data?.payment.reference ?? transactionId}
      </p>
      {data ? <Head payment={data.payment} /> : <h1>{t('Payment {transactionId}', { transactionId })}</h1>}
      {isError && <Failure error={error} again={() => void refetch()} />}
      {!data && !isError && <Waiting what="Asking what became of it" />}
      {data && <Explanation shown={data} />}
      {isLive && <p className="dim live">{t('Live: this page changes by itself.')}</p>}
      {data && (
        <div className="columns">
          <div>
            <Life shown={data} />
            <PaymentNotification shown={data} />
          </div>
          <PaymentFacts payment={data.payment} />
        </div>
      )}
    </>
  );
}

function Head({ payment }: { payment: NamedPayment }): ReactNode {
  return (
    <div className="head">
      <h1 className="amount">
        <Money {...payment} />
      </h1>
      <OutcomeTag {...payment} />
      <span className="dim">
        {payment.reference} · <Moment at={payment.completedAt} />
      </span>
      <span className="spacer" />
      <CopyButton name="Copy link" value={location.href} />
    </div>
  );
}

function Explanation({ shown: { payment, explanation } }: { shown: ShownPayment }): ReactNode {
  const { headline, why, advice } = explained(explanation);
  const { dueAt } = explanation;
  return (
    <Callout
      look={payment.outcome.toLowerCase() as Look}
      title={headline}
      actions={
        payment.outcome === 'REVERSED' && (
          <Link className="button" to="/notifications" search={{ merchantId: payment.merchantId }}>
            {t('Test your server')}
          </Link>
        )
      }
    >
      <p>
        {why}
        {dueAt && (
          <> {rich('Without an HTTP 200 it is reversed at {at}.', { at: <time dateTime={dueAt}>{clock(dueAt)}</time> })}</>
        )}
      </p>
      {advice.length > 0 && (
        <p>
          <strong>{t('Next steps:')}</strong> {advice.join(' ')}
        </p>
      )}
    </Callout>
  );
}

function PaymentFacts({ payment }: { payment: NamedPayment }): ReactNode {
  const { merchantName, reversedBy, refundedAmount, currencyCode } = payment;
  const facts: [Words, ReactNode][] = [
    ['Transaction', payment.transactionId],
    ['Status', payment.status],
    ['Reference', payment.reference],
    ['Code', payment.code ?? '–'],
    ['Merchant', merchantName ? `${merchantName} (${payment.merchantId})` : payment.merchantId],
  ];
  if (reversedBy !== null) facts.push(['Reversed by', reversedBy]);
  if (refundedAmount !== null) facts.push(['Refunded', <Money amount={refundedAmount} currencyCode={currencyCode} />]);
  return <Facts title="Details" facts={facts} />;
}

function Life({ shown: { timeline, silent } }: { shown: ShownPayment }): ReactNode {
  return (
    <section className="card" aria-labelledby="life">
      <h2 id="life">{t('Timeline')}</h2>
      {silent.length > 0 && (
        <p className="notice">
          {t('A part of the platform did not answer: some steps may be missing. They show up when you come back.')}
        </p>
      )}
      <ol className="timeline">
        {timeline.map((step, index) => (
          <li key={JSON.stringify(step)} className={step.kind.toLowerCase()}>
            <time dateTime={step.at} title={utc(step.at)}>
              {index === 0 ? clock(step.at) : `+ ${elapsed(Date.parse(step.at) - Date.parse(timeline[0]!.at))}`}
            </time>
            <span>{stepWords(step)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
