import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { elapsed } from '../format';
import type { FoundMerchants, MerchantSummary } from '../portal-api';
import { foundMerchantsQuery, onCallMerchantQuery } from './queries';
import { answerName, Facts, Failure, Field, Moment, OutcomeTag, Table, Waiting } from '../ui';
import { MerchantDeliveries } from './on-call-pauses';
import { t, type Text, type Words } from '../language/language';

export function MerchantSearch({ before }: { before: string | undefined }): ReactNode {
  const navigate = useNavigate({ from: '/on-call' });
  const [text, setText] = useState(before ?? '');
  const [problem, setProblem] = useState<Text>();
  const look = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    setProblem(wanted === '' ? 'Type the id of a merchant, or a part of its name.' : undefined);
    if (wanted !== '') void navigate({ search: { merchant: wanted } });
  };
  return (
    <form className="card" role="search" aria-label={t('Merchants')} onSubmit={look} noValidate>
      <Field
        label="Merchant id or name"
        maxLength={100}
        autoComplete="off"
        hint="A part of the name is enough. Whom you look at goes on record with your name."
        problem={problem}
        value={text}
        onChange={setText}
      />
      <button type="submit">{t('Find merchant')}</button>
    </form>
  );
}

/** The merchant that is meant, or those that may be. */
export function MerchantResult({ text }: { text: string }): ReactNode {
  const { data, isError, error, refetch } = useQuery(foundMerchantsQuery(text));
  const [only, ...more] = data?.merchants ?? [];
  const isOne = only !== undefined && more.length === 0;
  return (
    <section aria-labelledby="merchants">
      <h2 id="merchants">
        {isOne ? t('Merchant {merchantId} {name}', { merchantId: only.merchantId, name: only.merchantName }) : t('Merchants')}
      </h2>
      {isError && <Failure error={error} again={() => void refetch()} />}
      {!data && !isError && <Waiting what="Looking for merchants" />}
      {isOne && <MerchantSummary merchantId={only.merchantId} />}
      {data && !isOne && <MerchantList found={data} />}
    </section>
  );
}

function MerchantList({ found: { merchants, isMore } }: { found: FoundMerchants }): ReactNode {
  if (merchants.length === 0) return <p className="notice">{t('No merchant has this id, or this text in its name.')}</p>;
  return (
    <>
      <ul>
        {merchants.map(({ merchantId, merchantName, status }) => (
          <li key={merchantId}>
            <Link to="/on-call" search={{ merchant: String(merchantId) }}>
              {merchantId} {merchantName}
            </Link>
            {status === 'SUSPENDED' && t(', suspended')}
          </li>
        ))}
      </ul>
      {isMore && <p className="dim">{t('There are more: type more of the name.')}</p>}
    </>
  );
}

function MerchantSummary({ merchantId }: { merchantId: number }): ReactNode {
  const { data, isError, error, refetch } = useQuery(onCallMerchantQuery(merchantId));
  if (isError) return <Failure error={error} again={() => void refetch()} />;
  if (!data) return <Waiting what="Asking what is set for it" />;
  return (
    <>
      {data.silent.length > 0 && (
        <p className="notice bad">
          {t('No answer from: {services}. Their part is missing here.', { services: data.silent.join(', ') })}
        </p>
      )}
      <Facts facts={[...recordFacts(data), ...receiverFacts(data), ...accountFacts(data)]} />
      <p>
        <Link to="/payments" search={{ merchantId } as never}>
          {t('Its payments')}
        </Link>
        {', '}
        <Link to="/notifications" search={{ merchantId }}>
          {t('its notifications, with Check')}
        </Link>
      </p>
      <MerchantDeliveries found={data} />
      <LastAnswers answers={data.lastAnswers} />
    </>
  );
}

type Fact = readonly [Words, ReactNode];

function recordFacts({ merchant: { status, pspId, acquirer } }: MerchantSummary): Fact[] {
  return [
    ['Status', t(status === 'ACTIVE' ? 'Active' : 'Suspended')],
    ['PSP', pspId ?? t('none')],
    ['Acquirer', acquirer],
  ];
}

function receiverFacts({ receiver }: MerchantSummary): Fact[] {
  if (!receiver) return [];
  const { host, changedAt, encryption, recipients } = receiver;
  return [
    ['Host of its URL', host ?? t('no URL is set')],
    ...(changedAt === null ? [] : [['URL changed', <Moment key="changed" at={changedAt} />] as const]),
    ['Encryption', encryption],
    ['Recipients', recipients.join(', ') || t('none')],
  ];
}

function accountFacts({ account, silent }: MerchantSummary): Fact[] {
  if (!account) return silent.includes('auth-session') ? [] : [['Account of its programs', t('none')]];
  const rules = [
    t(account.hasPassword ? 'password' : 'no password'),
    t(account.hasPublicKey ? 'key registered' : 'no key'),
    ...(account.challengeRequired ? [t('challenge required')] : []),
    ...(account.isBoundToAddresses ? [t('bound to addresses')] : []),
  ];
  return [
    ['Account of its programs', `${account.username}, ${account.mode === 'BASIC' ? 'Basic' : 'Bearer'}: ${rules.join(', ')}`],
    ['API password changed', <Moment key="password" at={account.passwordChangedAt} />],
  ];
}

function LastAnswers({ answers }: { answers: MerchantSummary['lastAnswers'] }): ReactNode {
  if (answers.length === 0) return <p>{t('No payment of it has been answered or reversed lately.')}</p>;
  return (
    <Table label="Last answers of its server" columns={['Payment', 'Completed', 'Answer', 'Outcome']}>
      {answers.map(({ transactionId, completedAt, answer, elapsedMs, outcome }) => (
        <tr key={transactionId}>
          <th scope="row">
            <Link to="/on-call" search={{ transaction: String(transactionId) }}>
              {transactionId}
            </Link>
          </th>
          <td>
            <Moment at={completedAt} />
          </td>
          <td>
            {answerName(answer)}
            {elapsedMs === null ? '' : ` ${t('in {time}', { time: elapsed(elapsedMs) })}`}
          </td>
          <td>
            <OutcomeTag outcome={outcome} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
