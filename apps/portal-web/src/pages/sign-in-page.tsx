import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import type { ShownPerson } from '../portal-api';
import { meQuery, queryClient } from '../queries';
import { Failure, Field } from '../ui';
import { CompanySignIn } from './company-sign-in';
import { PasskeyButton } from './passkey-button';
import { SecondFactorSetup } from './second-factor-setup';

/** A passkey; or the password, then a passkey or the code of the app for whoever has one. */
export function SignInPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  const go = useWayOn();
  const isDone = me?.stage === 'FULL';
  useEffect(() => {
    document.title = 'Sign in · Paycode';
    if (isDone) go();
  }, [isDone]);
  return (
    <main className="alone">
      <h1>Sign in to Paycode</h1>
      {!me && <PasswordStep />}
      {!me && <CompanySignIn />}
      {me?.stage === 'CODE_DUE' && <SecondStep person={me.person} />}
      {me?.stage === 'ENROL_DUE' && <SecondFactorSetup onDone={() => void queryClient.invalidateQueries(meQuery)} />}
    </main>
  );
}

/** Where the person wanted to go: a page of ours, never another address. */
function useWayOn(): () => void {
  const router = useRouter();
  const { next } = useSearch({ from: '/sign-in' });
  return () => {
    const target = next?.startsWith('/') && !next.startsWith('//') && !next.startsWith('/sign-in') ? next : '/';
    void router.navigate({ href: router.buildLocation({ href: target } as never).href, replace: true });
  };
}

const keep = (me: ShownPerson) => queryClient.setQueryData(meQuery.queryKey, me);

function PasswordStep(): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({ mutationFn: () => call('POST /session', { body: { email, password } }), onSuccess: keep });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Field
        label="E-mail address"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={event => setEmail(event.target.value)}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={event => setPassword(event.target.value)}
      />
      {signIn.isError && <Failure error={signIn.error} />}
      <button type="submit" className="main" disabled={signIn.isPending}>
        {signIn.isPending ? 'Signing in…' : 'Sign in'}
      </button>
      <PasskeyButton label="Sign in with a passkey" />
      <p className="dim">No account? An owner of your company’s account can invite you under Security.</p>
    </form>
  );
}

/** Recovery codes stand in for either. */
function SecondStep({ person: { hasTotp, hasPasskey } }: { person: ShownPerson['person'] }): ReactNode {
  return (
    <>
      {hasPasskey && <PasskeyButton label="Continue with your passkey" />}
      <CodeStep label={hasTotp ? 'Code of your authenticator app' : 'Recovery code'} hint={hasTotp ? appHint : recoveryHint} />
    </>
  );
}

const appHint = 'Six digits. Without your phone, use one of your recovery codes.';
const recoveryHint = 'Without your passkey, use one of the codes that you kept when you added it.';

function CodeStep({ label, hint }: { label: string; hint: string }): ReactNode {
  const [code, setCode] = useState('');
  const prove = useMutation({ mutationFn: () => call('POST /session/code', { body: { code } }), onSuccess: keep });
  const startOver = async () => {
    await call('DELETE /session');
    queryClient.setQueryData(meQuery.queryKey, null);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Field
        label={label}
        hint={hint}
        autoComplete="one-time-code"
        inputMode="text"
        required
        minLength={6}
        autoFocus
        value={code}
        onChange={event => setCode(event.target.value)}
      />
      {prove.isError && <Failure error={prove.error} />}
      <button type="submit" className="main" disabled={prove.isPending}>
        {prove.isPending ? 'Checking…' : 'Continue'}
      </button>
      <button type="button" onClick={() => void startOver()}>
        Sign in as somebody else
      </button>
    </form>
  );
}
