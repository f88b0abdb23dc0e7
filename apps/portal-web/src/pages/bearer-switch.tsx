import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../api';
import type { Credentials } from '../api-types';
import { credentialsQuery, meQuery, queryClient } from '../queries';
import { Confirm, Failure, Field } from '../ui';
import { OwnPassword } from './own-password';

/** The one-way switch to session tokens. */
export function BearerSwitch({ access: { username }, mayChange }: { access: Credentials; mayChange: boolean }): ReactNode {
  const { data: me } = useQuery(meQuery);
  const [isAsked, setAsked] = useState(false);
  const [typed, setTyped] = useState('');
  const [current, setCurrent] = useState('');
  const change = useMutation({
    mutationFn: () => api.post<Credentials>('credentials/bearer', { typed, current }),
    onSuccess: next => queryClient.setQueryData(credentialsQuery.queryKey, next),
  });
  const close = () => {
    setAsked(false);
    setTyped('');
    setCurrent('');
  };
  return (
    <section className="card" aria-labelledby="bearer">
      <h2 id="bearer">Switch to session tokens (Bearer)</h2>
      <p>
        Your programs then log in for a token of 15 minutes in place of sending the password with each request, and can prove a
        key of their own. The switch cannot be undone. It clears the password: until you make a new one and your programs log in
        with it, they can make no code and read no notification.
      </p>
      {me?.environment === 'production' && <p className="notice">In production support makes the switch: ask for it.</p>}
      {change.isError && <Failure error={change.error} />}
      {mayChange && me?.environment === 'sandbox' && (
        <button type="button" className="danger" disabled={change.isPending} onClick={() => setAsked(true)}>
          {change.isPending ? 'Switching…' : 'Switch to Bearer'}
        </button>
      )}
      {isAsked && (
        <Confirm title="Switch for good?" action="Switch for good" onConfirm={() => change.mutate()} onClose={close}>
          <p>
            Nobody can undo this, and requests with user name and password fail at once. Type <code>{username}</code> to go on.
          </p>
          <Field label="Name of the account" autoComplete="off" value={typed} onChange={event => setTyped(event.target.value)} />
          <OwnPassword value={current} onChange={setCurrent} />
        </Confirm>
      )}
    </section>
  );
}
