import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import { meQuery, queryClient } from '../queries';
import { sessionsQuery } from './queries';
import { Failure, Field, Form, Moment, Waiting } from '../ui';
import { AppSetup } from './app-setup';
import { Passkeys } from './passkeys';
import { rich, t, useTitle } from '../language/language';

/** A person's own password, passkeys, app and browsers. */
export function SecurityPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  useTitle('Security');
  if (!me) return <Waiting what="Reading who you are" />;
  return (
    <>
      <h1>{t('Security')}</h1>
      <Sessions />
      <Passkeys />
      <SecondFactor hasTotp={me.person.hasTotp} />
      <Password />
    </>
  );
}

function Sessions(): ReactNode {
  const { data, isError, error } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (sessionId: string) => call('DELETE /sessions/{sessionId}', { path: { sessionId } }),
    onSuccess: () => queryClient.invalidateQueries(sessionsQuery),
  });
  return (
    <section className="card" aria-labelledby="sessions">
      <h2 id="sessions">{t('Where you are signed in')}</h2>
      {isError && <Failure error={error} />}
      {!data && !isError && <Waiting what="Reading your sessions" />}
      <ul className="lines">
        {data?.map(({ sessionId, device, address, seenAt, isThisOne }) => (
          <li key={sessionId}>
            <span>{rich('{device} from {address}, seen {at}', { device, address, at: <Moment at={seenAt} /> })}</span>
            {isThisOne ? (
              <span className="tag settled">{t('This browser')}</span>
            ) : (
              <button type="button" className="small" onClick={() => end.mutate(sessionId)}>
                {t('End')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {end.isError && <Failure error={end.error} />}
    </section>
  );
}

function SecondFactor({ hasTotp }: { hasTotp: boolean }): ReactNode {
  const [isSettingUp, setSettingUp] = useState(false);
  const [code, setCode] = useState('');
  const refresh = () => queryClient.invalidateQueries(meQuery);
  const remove = useMutation({ mutationFn: () => call('POST /totp/remove', { body: { code } }), onSuccess: refresh });
  const done = () => {
    setSettingUp(false);
    void refresh();
  };
  return (
    <section className="card" aria-labelledby="app">
      <h2 id="app">{t('Authenticator app')}</h2>
      {isSettingUp && <AppSetup onDone={done} />}
      {!isSettingUp && !hasTotp && (
        <>
          <p>{t('Not set up. With an app, a stolen password alone lets nobody in.')}</p>
          <button type="button" className="main" onClick={() => setSettingUp(true)}>
            {t('Set up an app')}
          </button>
        </>
      )}
      {!isSettingUp && hasTotp && (
        <Form step={remove} action="Remove the app">
          <p>{t('Set up: signing in asks for its code.')}</p>
          <Field
            label="Code, to remove the app"
            autoComplete="one-time-code"
            required
            minLength={6}
            value={code}
            onChange={setCode}
          />
        </Form>
      )}
    </section>
  );
}

function Password(): ReactNode {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () => call('POST /password', { body: { current, next } }),
    onSuccess: () => {
      setCurrent('');
      setNext('');
      return queryClient.invalidateQueries(sessionsQuery);
    },
  });
  return (
    <section className="card" aria-labelledby="password">
      <h2 id="password">{t('Password')}</h2>
      <Form step={change} action="Change password">
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={setCurrent}
        />
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters. Your other browsers are signed out."
          required
          minLength={12}
          value={next}
          onChange={setNext}
        />
        {change.isSuccess && (
          <p className="notice good" role="status">
            {t('Your password is changed.')}
          </p>
        )}
      </Form>
    </section>
  );
}
