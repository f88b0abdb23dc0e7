import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { clock, hour } from '../format';
import { dayBeganAt } from '../time-zone';
import type { HomeAnswer, RankedReceiver, Receivers } from '../portal-api';
import { Failure, MerchantChoice, Money, type Outcome, outcomeName, Table, Waiting } from '../ui';
import { receiversQuery, todayQuery } from './queries';
import './merchants.css';
import { t, type Text, useTitle } from '../language/language';

/** The home of an owner of many merchants: which of them needs somebody first, and why. */
export function PspHome(): ReactNode {
  const navigate = useNavigate();
  const today = useQuery(todayQuery());
  const receivers = useQuery(receiversQuery);
  useTitle('Home');
  const open = (merchantId: number | undefined) =>
    merchantId && void navigate({ to: '/merchants/$merchantId', params: { merchantId: String(merchantId) } });
  return (
    <>
      <div className="page-head">
        <h1>{t('Merchants that need you')}</h1>
        <span className="dim">{countWords(receivers.data)}</span>
        <span className="spacer" />
        <MerchantChoice value={undefined} onChange={open} />
      </div>
      {today.isError && <Failure error={today.error} again={() => void today.refetch()} />}
      {receivers.isError && <Failure error={receivers.error} again={() => void receivers.refetch()} />}
      {(today.isPending || receivers.isPending) && <Waiting what="Adding up today" />}
      {today.data && receivers.data && <Tiles home={today.data} receivers={receivers.data} />}
      {receivers.data && <Ranking receivers={receivers.data} />}
    </>
  );
}

function countWords(receivers: Receivers | undefined): string {
  if (!receivers || receivers.merchants === null) return t('Today');
  return t('Today, {count, plural, one {# merchant} other {# merchants}}', { count: receivers.merchants });
}

function Tiles({ home, receivers: { receivers, isCut, merchants } }: { home: HomeAnswer; receivers: Receivers }): ReactNode {
  const failing = receivers.filter(({ failingSince }) => failingSince !== null);
  return (
    <div className="tiles">
      <Today outcome="SETTLED" home={home} />
      <Today outcome="REVERSED" home={home} />
      <div className="tile">
        <span>{t('Servers failing now')}</span>
        <strong>
          {failing.length}
          {isCut && ` ${t('or more')}`}
        </strong>
        <small>{merchants === null ? t('of all merchants') : t('of {merchants}', { merchants })}</small>
      </div>
      <div className="tile">
        <span>{t('Money at risk per hour')}</span>
        <Amounts
          of={failing.flatMap(({ money }) => money).map(({ currencyCode, lastHourAmount: amount }) => ({ currencyCode, amount }))}
        />
        <small>{t('payments of the last hour at servers that fail now')}</small>
      </div>
    </div>
  );
}

function Today({ outcome, home: { today, yesterday } }: { outcome: Outcome; home: HomeAnswer }): ReactNode {
  const isOwn = (sum: { outcome: string }) => sum.outcome === outcome;
  const count = (sums: HomeAnswer['today']) => sums.reduce((total, each) => total + each.count, 0);
  const share = (sums: HomeAnswer['today']) => (100 * count(sums.filter(isOwn))) / Math.max(1, count(sums));
  const [now, before] = [share(today), share(yesterday)].map(each => `${each.toFixed(1)} %`);
  const own = count(today.filter(isOwn));
  const search = { outcome, from: dayBeganAt() };
  return (
    <Link className="tile" to="/payments" search={search as never}>
      <span className={`dot ${outcome.toLowerCase()}`}>{outcomeName(outcome)}</span>
      <Amounts of={today.filter(isOwn)} />
      <small>
        {t('{count, plural, one {# payment} other {# payments}}', { count: own })} · {now}
        {count(yesterday) > 0 && ` · ${t('yesterday by now {share}', { share: before! })}`}
      </small>
    </Link>
  );
}

/** Sums by currency. For the eye: each amount that is added is exact, and the portal adds exact ones of one currency itself. */
function Amounts({ of }: { of: readonly { currencyCode: string; amount: string }[] }): ReactNode {
  const sums = [...Map.groupBy(of, ({ currencyCode }) => currencyCode)].map(([currencyCode, amounts]) => ({
    currencyCode,
    amount: sumOf(amounts.map(({ amount }) => amount)),
  }));
  if (sums.length === 0) return <strong>0</strong>;
  return sums.map(sum => (
    <strong key={sum.currencyCode}>
      <Money {...sum} />
    </strong>
  ));
}

/** Of amounts with the same number of decimals. */
function sumOf(amounts: readonly string[]): string {
  const decimals = amounts[0]!.split('.')[1]?.length ?? 0;
  const units = amounts.reduce((sum, amount) => sum + BigInt(amount.replace('.', '')), 0n);
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function Ranking({ receivers: { receivers, isCut } }: { receivers: Receivers }): ReactNode {
  if (receivers.length === 0)
    return <p className="notice good">{t('No server of your merchants failed today: no payment was given back for one.')}</p>;
  return (
    <div className="merchant-list">
      <Table
        label="Merchants that need you"
        columns={[
          'Merchant',
          'Problem',
          'Since',
          { name: 'Reversed today', isRight: true },
          { name: 'Answered 200', isRight: true },
          'Go to',
        ]}
      >
        {receivers.map(receiver => (
          <Receiver key={receiver.merchantId} receiver={receiver} />
        ))}
      </Table>
      {isCut && <p className="dim">{t('There are more: these are the ones with the most money.')}</p>}
    </div>
  );
}

function Receiver({ receiver }: { receiver: RankedReceiver }): ReactNode {
  const { merchantId, merchantName, lastAnswer, lastAnswerAt, failingSince, acknowledged, failed, money } = receiver;
  const { wrong, toDo } = adviceOn(lastAnswer);
  const percent = Math.floor((100 * acknowledged) / (acknowledged + failed));
  const search = { merchantId, outcome: 'REVERSED', from: dayBeganAt() };
  return (
    <tr>
      <th scope="row">
        <Link to="/merchants/$merchantId" params={{ merchantId: String(merchantId) }}>
          {merchantName ?? t('Merchant')}
        </Link>
        <span className="dim">{merchantId}</span>
      </th>
      <td className="what">
        {t(wrong)}
        <span className="dim">{t(toDo)}</span>
      </td>
      <td>{sinceWords(failingSince ?? lastAnswerAt)}</td>
      <td className="right">
        {money.map(({ currencyCode, reversed, reversedAmount }) => (
          <span key={currencyCode}>
            <Money amount={reversedAmount} currencyCode={currencyCode} />
            <span className="dim"> {t('{count, plural, one {# payment} other {# payments}}', { count: reversed })}</span>
          </span>
        ))}
      </td>
      <td className={failingSince === null ? 'right' : 'right bad'}>{percent} %</td>
      <td>
        <span className="actions">
          <Link
            className="button small"
            to="/payments"
            search={search as never}
            aria-label={t('Payments of {name}', { name: merchantName ?? String(merchantId) })}
          >
            {t('Payments')}
          </Link>
          <Link
            className="button small"
            to="/notifications"
            search={{ merchantId }}
            aria-label={t('Server of {name}', { name: merchantName ?? String(merchantId) })}
          >
            {t('Server')}
          </Link>
        </span>
      </td>
    </tr>
  );
}

/** The time alone, of today. */
const sinceWords = (at: string): string => (at >= dayBeganAt() ? clock(at) : hour(at));

type LastAnswer = RankedReceiver['lastAnswer'];

const advice: Record<LastAnswer, [wrong: Text, toDo: Text]> = {
  NON_200: ['Answers other than HTTP 200', 'Ask the shop for its log: often a body parser or an old key.'],
  CONNECTION: ['Cannot be reached', 'Press Check on its server page: it names what stands in the way.'],
  TIMEOUT: ['No answer in 45 s', 'Its server must answer first, and work afterwards.'],
  NEVER_SENT: ['Was not asked in time', 'The platform had no turn for it: ask its operators.'],
  BACKSTOP: ['No answer known at the deadline', 'Ask the operators of the platform.'],
  HTTP_200: ['Well again', 'Some payments of today were given back before.'],
  READ: ['Reads its payments itself', 'The server did not answer, a program fetched the notification.'],
};

/** The fault of a server that answered so last, and what helps. */
const adviceOn = (answer: LastAnswer): { wrong: Text; toDo: Text } => {
  const [wrong, toDo] = advice[answer];
  return { wrong, toDo };
};
