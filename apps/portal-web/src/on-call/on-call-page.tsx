import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { meQuery } from '../queries';
import { stuckQuery } from './queries';
import { Failure, Field, Waiting } from '../ui';
import { MerchantResult, MerchantSearch } from './on-call-merchant';
import { FoundTransaction } from './on-call-transaction';
import { Pauses } from './on-call-pauses';
import { FailingReceivers, OpenDeliveries, ShardOwners } from './on-call-stuck';
import { rich, t, type Text, useTitle } from '../language/language';

/** For people on call: what is stuck and why, and any transaction of any merchant. */
export function OnCallPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  const { transaction, merchant } = useSearch({ from: '/signed-in/on-call' });
  useTitle('On-call');
  return (
    <>
      <h1>{t('On-call')}</h1>
      {me?.person.mayOnCall === false && (
        <p className="notice">{t('This page is for people on call and administrators of the platform.')}</p>
      )}
      {me?.person.mayOnCall && (
        <>
          <p>
            {rich('<link>Dead letters</link>: events that a service could not use, and their redrive.', {
              link: parts => <Link to="/on-call/dead-letters">{parts}</Link>,
            })}
          </p>
          <Search before={transaction} />
          {transaction && <FoundTransaction key={transaction} transactionId={transaction} />}
          <MerchantSearch before={merchant} />
          {merchant && <MerchantResult key={merchant} text={merchant} />}
          <StuckSections />
        </>
      )}
    </>
  );
}

function Search({ before }: { before: string | undefined }): ReactNode {
  const navigate = useNavigate({ from: '/on-call' });
  const [text, setText] = useState(before ?? '');
  const [problem, setProblem] = useState<Text>();
  const look = (event: FormEvent) => {
    event.preventDefault();
    const id = text.trim();
    const isId = /^[1-9]\d{0,15}$/.test(id);
    setProblem(isId ? undefined : 'A transaction id has digits only, and does not begin with 0.');
    if (isId) void navigate({ search: { transaction: id } });
  };
  return (
    <form className="card" role="search" aria-label={t('Transactions')} onSubmit={look} noValidate>
      <Field
        label="Transaction id"
        inputMode="numeric"
        maxLength={16}
        autoComplete="off"
        hint="Of any merchant. That you looked goes on record with your name."
        problem={problem}
        value={text}
        onChange={setText}
      />
      <button type="submit" className="main">
        {t('Look it up')}
      </button>
    </form>
  );
}

function StuckSections(): ReactNode {
  const { data, isError, error, refetch } = useQuery(stuckQuery);
  if (isError) return <Failure error={error} again={() => void refetch()} />;
  if (!data) return <Waiting what="Asking what is stuck" />;
  return (
    <>
      <Pauses stuck={data} />
      <OpenDeliveries stuck={data} />
      <FailingReceivers stuck={data} />
      <ShardOwners stuck={data} />
    </>
  );
}
