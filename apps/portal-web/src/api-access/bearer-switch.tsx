import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api';
import type { PortalAccount } from '../portal-api';
import { bearerQuery, credentialsQuery } from './queries';
import { queryClient } from '../queries';
import { Failure, Waiting } from '../ui';
import { NamedStep } from './named-step';
import { SecondPerson } from './second-person';

/** The one-way switch to session tokens: one person makes it in the sandbox, two in production. */
export function BearerSwitch({ access: { username }, mayChange }: { access: PortalAccount; mayChange: boolean }): ReactNode {
  const { data, isError, error } = useQuery(bearerQuery);
  return (
    <section className="card" aria-labelledby="bearer">
      <h2 id="bearer">Switch to session tokens (Bearer)</h2>
      <p>
        Your programs then log in for a token of 15 minutes in place of sending the password with each request, and can prove a
        key of their own. The switch cannot be undone. It clears the password: until you make a new one and your programs log in
        with it, they can make no code and read no notification.
      </p>
      {isError && <Failure error={error} />}
      {!data && !isError && <Waiting what="Reading who switches" />}
      {data?.takesTwo && <SecondPerson overview={data} username={username} mayChange={mayChange} />}
      {data?.takesTwo === false && <Alone username={username} mayChange={mayChange} />}
    </section>
  );
}

function Alone({ username, mayChange }: { username: string; mayChange: boolean }): ReactNode {
  return (
    <>
      <p className="dim">In the sandbox one person makes the switch. In production two owners do: one asks, another confirms.</p>
      {mayChange && (
        <NamedStep
          username={username}
          words={{ button: 'Switch to Bearer', busy: 'Switching…', title: 'Switch for good?', action: 'Switch for good' }}
          send={given => call('POST /credentials/bearer', { body: given })}
          done={next => queryClient.setQueryData(credentialsQuery.queryKey, next)}
        >
          Nobody can undo this, and requests with user name and password fail at once.
        </NamedStep>
      )}
    </>
  );
}
