import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { meQuery } from '../queries';
import { stuckQuery } from './queries';
import { Failure, Field, Waiting } from '../ui';
import { MerchantResult, MerchantSearch } from './on-call-merchant';
import { FoundTransaction } from './on-call-transaction';
import { Pauses } from './on-call-pauses';
import { FailingReceivers, OpenDeliveries, ShardOwners } from './on-call-stuck';

/** For people on call: what is stuck and why, and any transaction of any merchant. */
export function OnCallPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  const { transaction, merchant } = useSearch({ from: '/signed-in/on-call' });
  useEffect(() => void (document.title = 'On-call · Paycode'), []);
  return (
    <>
      <h1>On-call</h1>
      {me?.person.mayOnCall === false && (
        <p className="notice">This page is for people on call and administrators of the platform.</p>
      )}
      {me?.person.mayOnCall && (
        <>
          <p>
            <Link to="/on-call/dead-letters">Dead letters</Link>: events that a service could not use, and their redrive.
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
  const [problem, setProblem] = useState<string>();
  const look = (event: FormEvent) => {
    event.preventDefault();
    const id = text.trim();
    const isId = /^[1-9]\d{0,15}$/.test(id);
    setProblem(isId ? undefined : 'A transaction id has digits only, and does not begin with 0.');
    if (isId) void navigate({ search: { transaction: id } });
  };
  return (
    <form className="card" role="search" aria-label="Transactions" onSubmit={look} noValidate>
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
        Look it up
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
