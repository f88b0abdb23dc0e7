import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { clock as time, money, when } from '../format';
import type { TakenPayment } from '../portal-api';
import { merchantsQuery } from '../queries';
import { Failure, Icon, Money } from '../ui';
import { paymentsByCodeQuery, type TillCode } from './till-code';
import { t, type Text, type Words } from '../language/language';

/** The code across a counter, until it is paid, fails or expires. */
export function TillStage({ code, onNext }: { code: TillCode; onNext: () => void }): ReactNode {
  const { data, isError, error, refetch } = useQuery(paymentsByCodeQuery(code));
  const [passedOver, setPassedOver] = useState<number>();
  const leftS = useSecondsLeft(code.expiresAtMs);
  const payments = data?.payments ?? [];
  const ended = code.useOnce ? payments.slice(0, 1).find(({ transactionId }) => transactionId !== passedOver) : undefined;
  const failure = isError && <Failure error={error} again={() => void refetch()} />;
  if (ended) {
    const mayTryAgain = ended.state === 'FAILED' && leftS !== 0;
    return (
      <Stage look={words[ended.state].look} sheet={<Ended payment={ended} code={code} />}>
        {failure}
        {mayTryAgain && <Button name="Show the code again" onPress={() => setPassedOver(ended.transactionId)} />}
        <Button isMain name="Next payment" onPress={onNext} />
        <Button name="Print receipt" onPress={() => print()} />
      </Stage>
    );
  }
  if (leftS === 0)
    return (
      <Stage
        look="bad"
        sheet={<BigWords mark="alert" word="Expired" why="Nobody paid in time. The code cannot be paid any more." />}
      >
        {failure}
        <Button isMain name="Next payment" onPress={onNext} />
      </Stage>
    );
  return (
    <Stage look="" sheet={<Shown code={code} leftS={leftS} payments={payments} />}>
      {failure}
      <SendLink url={code.payUrl} />
      <Button name="Print" onPress={() => print()} />
      <Button name="Close" onPress={onNext} />
    </Stage>
  );
}

/** `children`: what one may do now. The sheet alone is printed. */
function Stage({ look, sheet, children }: { look: string; sheet: ReactNode; children: ReactNode }): ReactNode {
  const { data: merchants } = useQuery(merchantsQuery);
  return (
    <section className={`till ${look}`} aria-label={t('Payment')}>
      <div className="till-sheet">
        <h1 className="till-shop">{merchants?.[0]?.merchantName ?? t('Take a payment')}</h1>
        {sheet}
      </div>
      <div className="till-actions">{children}</div>
    </section>
  );
}

function Button({ name, onPress, isMain }: { name: Words; onPress: () => void; isMain?: boolean }): ReactNode {
  return (
    <button type="button" className={isMain ? 'main' : ''} onClick={onPress}>
      {t(name)}
    </button>
  );
}

function Shown(props: { code: TillCode; leftS: number | null; payments: TakenPayment[] }): ReactNode {
  const { code, leftS, payments } = props;
  return (
    <>
      <p className="till-about">{aboutOf(code)}</p>
      <p className="till-amount">
        <Money {...code} />
      </p>
      <img className="till-qr" src={code.qrPath} width={300} height={300} alt={t('QR code of {url}', { url: code.payUrl })} />
      <p className="till-code">{code.code.replace(/^(...)(...)/, '$1 $2 ')}</p>
      <p className="till-waiting tag">
        <span role="status">{t('Waiting for the customer')}</span>
        {leftS !== null && <span aria-hidden="true"> · {clock(leftS)}</span>}
      </p>
      {code.expiresAtMs !== null && (
        <p className="till-printed">{t('Good until {at}', { at: when(new Date(code.expiresAtMs).toISOString()) })}</p>
      )}
      {payments.length > 0 && <Latest payments={payments} />}
    </>
  );
}

/** Only what the merchant's server acknowledged is paid for good: before that the goods stay. */
const words: Record<TakenPayment['state'], { word: Text; why: Text; look: string; mark: string }> = {
  PAID: { word: 'Paid', why: 'Settled: you can hand over the goods.', look: 'good', mark: 'good' },
  CONFIRMING: {
    word: 'One moment',
    why: 'The customer has paid, and your server has not confirmed it yet. Hand over nothing before it does.',
    look: 'wait',
    mark: 'pending',
  },
  REVERSED: {
    word: 'Not paid',
    why: 'Reversed: the customer has the money back. Do not hand over the goods.',
    look: 'bad',
    mark: 'alert',
  },
  FAILED: { word: 'Failed', why: 'The customer was not charged, and may try again.', look: 'bad', mark: 'alert' },
};

function Ended({ payment, code }: { payment: TakenPayment; code: TillCode }): ReactNode {
  const { word, why, mark } = words[payment.state];
  return (
    <>
      <BigWords word={word} why={why} mark={mark} />
      <p className="till-amount">
        <Money {...payment} />
      </p>
      <p className="till-about">
        {aboutOf(code)} · {time(payment.completedAt)} ·{' '}
        <Link to="/payments/$transactionId" params={{ transactionId: String(payment.transactionId) }}>
          {payment.transactionId}
        </Link>
      </p>
    </>
  );
}

function BigWords({ word, why, mark }: { word: Text; why: Text; mark?: string }): ReactNode {
  return (
    <div role="status" className="till-outcome">
      {mark && <Icon name={mark} />}
      <p className="till-word">{t(word)}</p>
      <p>{t(why)}</p>
    </div>
  );
}

function Latest({ payments }: { payments: TakenPayment[] }): ReactNode {
  return (
    <ul className="till-latest" aria-label={t('Latest payments')} aria-live="polite">
      {payments.map(({ transactionId, state, amount, currencyCode, completedAt }) => (
        <li key={transactionId}>
          {t(words[state].word)}: {money(amount, currencyCode)}, {time(completedAt)}
        </li>
      ))}
    </ul>
  );
}

const aboutOf = ({ description, merchantReference }: TillCode) =>
  [description, merchantReference].filter(text => text !== '' && !/^till-[0-9a-f-]{36}$/.test(text)).join(' · ');

function SendLink({ url }: { url: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const send = async () => {
    // A phone knows whom to send it to; where a browser has no such thing, it is copied.
    if ((navigator as Partial<Navigator>).share) return navigator.share({ url }).catch(() => undefined);
    await navigator.clipboard.writeText(url);
    setCopied(true);
  };
  return (
    <button type="button" onClick={() => void send()}>
      {isCopied ? t('Copied') : t('Send link')}
    </button>
  );
}

const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** null: it has no end. */
function useSecondsLeft(untilMs: number | null): number | null {
  const secondsLeft = () => (untilMs === null ? null : Math.max(0, Math.ceil((untilMs - Date.now()) / 1_000)));
  const [left, setLeft] = useState(secondsLeft);
  useEffect(() => {
    const every = setInterval(() => setLeft(secondsLeft()), 500);
    return () => clearInterval(every);
  }, [untilMs]);
  return left;
}
