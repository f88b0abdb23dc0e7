import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { clock, elapsed, utc } from '../format';
import type { NamedPayment, ShownPayment } from '../portal-api';
import { mayGoOn, paymentQuery } from './queries';
import { Facts, Failure, Moment, Money, OutcomeTag, Waiting } from '../ui';
import { usePaymentChanges } from './payment-changes';
import { PaymentNotification } from './payment-notification';

/** The outcome of one payment, its reason, and advice. */
export function PaymentPage(): ReactNode {
  const { transactionId } = useParams({ from: '/signed-in/payments/$transactionId' });
  const [isLive, setLive] = useState(false);
  // Attempts are not told of, but seen by asking.
  const { data, isError, error, refetch } = useQuery(paymentQuery(transactionId, isLive ? 5_000 : 1_500));
  usePaymentChanges(transactionId, data ? mayGoOn(data.payment) : !isError, setLive);
  useEffect(() => void (document.title = `Payment ${transactionId} · Paycode`), [transactionId]);
  return (
    <>
      <p>
        <Link to="/payments" search={{} as never}>
          All payments
        </Link>
      </p>
      <h1>Payment {transactionId}</h1>
      {isLive && <p className="dim live">Live: this page changes by itself.</p>}
      {isError && <Failure error={error} again={() => void refetch()} />}
      {!data && !isError && <Waiting what="Asking what became of it" />}
      {data && <Explanation shown={data} />}
      {data && (
        <div className="columns">
          <Life shown={data} />
          <PaymentFacts payment={data.payment} />
        </div>
      )}
      {data && <PaymentNotification shown={data} />}
    </>
  );
}

function Explanation({ shown: { payment, explanation } }: { shown: ShownPayment }): ReactNode {
  return (
    <section className={`card result ${payment.outcome.toLowerCase()}`} aria-live="polite" aria-labelledby="result">
      <h2 id="result">{explanation.headline}</h2>
      <p>{explanation.why}</p>
      {explanation.advice.length > 0 && <h3>Next steps</h3>}
      {explanation.advice.length > 0 && (
        <ul>
          {explanation.advice.map(advice => (
            <li key={advice}>{advice}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function PaymentFacts({ payment }: { payment: NamedPayment }): ReactNode {
  const facts: [string, ReactNode][] = [
    ['Outcome', <OutcomeTag outcome={payment.outcome} />],
    ['Amount', <Money {...payment} />],
    ['Status', payment.status],
    ['Reference', payment.reference],
    ['Code', payment.code ?? '–'],
    ['Merchant', `${payment.merchantName ?? ''} ${payment.merchantId}`],
    ['Time', <Moment at={payment.completedAt} />],
  ];
  return <Facts facts={facts} />;
}

function Life({ shown: { timeline, silent } }: { shown: ShownPayment }): ReactNode {
  return (
    <section className="card" aria-labelledby="life">
      <h2 id="life">Timeline</h2>
      {silent.length > 0 && (
        <p className="notice">
          A part of the platform did not answer: some steps may be missing. They show up when you come back.
        </p>
      )}
      <ol className="timeline">
        {timeline.map(({ at, kind, text }, index) => (
          <li key={`${at} ${kind} ${text}`} className={kind.toLowerCase()}>
            <time dateTime={at} title={utc(at)}>
              {index === 0 ? clock(at) : `+ ${elapsed(Date.parse(at) - Date.parse(timeline[0]!.at))}`}
            </time>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
