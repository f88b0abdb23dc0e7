import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ShownPerson } from '../portal-api';
import { bearerQuery } from '../api-access/queries';
import { Moment } from '../ui';

/** On Home: what one owner has asked for, and another confirms. */
export function SecondPersonHint({ me }: { me: ShownPerson }): ReactNode {
  const { person, environment } = me;
  const takesPart = environment === 'production' && person.mayRenewCredentials;
  const { data } = useQuery({ ...bearerQuery, enabled: takesPart });
  const request = data?.request;
  if (!takesPart || request?.state !== 'OPEN') return null;
  const isMine = request.askedBy.personId === person.personId;
  return (
    <section className="card" aria-labelledby="second-person">
      <h2 id="second-person">{isMine ? 'You wait for a second owner' : 'You are asked to confirm'}</h2>
      <p>
        {isMine ? 'You have' : `${request.askedBy.name} has`} asked for the switch of your API account to Bearer.{' '}
        {isMine ? 'Another owner confirms or refuses it' : 'Confirm or refuse it'} until <Moment at={request.expiresAt} />.
        Nothing has changed yet.
      </p>
      <Link to="/api">Go to API</Link>
    </section>
  );
}
