import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { ShownPerson } from '../portal-api';
import { SecondFactorSetup } from '../security/app-setup';
import { knowsPasskeys, signInByPasskey } from '../security/own-password';
import { Failure, Field, Form } from '../ui';
import { t, type Text } from '../language/language';

interface Changing {
  /** The session of this browser has got further. */
  changed: () => Promise<unknown>;
}

/** A passkey; or the password, then a passkey or the code of the app for whoever has one. */
export function SignInSteps({ me, changed }: Changing & { me: ShownPerson | null }): ReactNode {
  return (
    <>
      {!me && <PasswordStep changed={changed} />}
      {!me && <CompanySignIn />}
      {me?.stage === 'CODE_DUE' && <SecondStep person={me.person} changed={changed} />}
      {me?.stage === 'ENROL_DUE' && <SecondFactorSetup onDone={() => void changed()} />}
    </>
  );
}

function PasswordStep({ changed }: Changing): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({ mutationFn: () => call('POST /session', { body: { email, password } }), onSuccess: changed });
  return (
    <Form
      step={signIn}
      action="Sign in"
      busy="Signing in…"
      isMain
      after={
        <>
          <PasskeyButton label="Sign in with a passkey" changed={changed} />
          <p>
            <Link to="/forgotten">{t('Forgotten your password?')}</Link>
          </p>
          <p className="dim">{t('No account? An owner of your company’s account can invite you under People.')}</p>
        </>
      }
    >
      <Field label="E-mail address" type="email" autoComplete="username" required autoFocus value={email} onChange={setEmail} />
      <Field label="Password" type="password" autoComplete="current-password" required value={password} onChange={setPassword} />
    </Form>
  );
}

/** Recovery codes stand in for either. */
function SecondStep({ person: { hasTotp, hasPasskey }, changed }: Changing & { person: ShownPerson['person'] }): ReactNode {
  return (
    <>
      {hasPasskey && <PasskeyButton label="Continue with your passkey" changed={changed} />}
      <CodeStep
        label={hasTotp ? 'Code of your authenticator app' : 'Recovery code'}
        hint={hasTotp ? appHint : recoveryHint}
        changed={changed}
      />
    </>
  );
}

const appHint: Text = 'Six digits. Without your phone, use one of your recovery codes.';
const recoveryHint: Text = 'Without your passkey, use one of the codes that you kept when you added it.';

function CodeStep({ label, hint, changed }: Changing & { label: Text; hint: Text }): ReactNode {
  const [code, setCode] = useState('');
  const prove = useMutation({ mutationFn: () => call('POST /session/code', { body: { code } }), onSuccess: changed });
  const startOver = async () => {
    await call('DELETE /session');
    await changed();
  };
  return (
    <Form
      step={prove}
      action="Continue"
      busy="Checking…"
      isMain
      after={
        <>
          <button type="button" onClick={() => void startOver()}>
            {t('Sign in as somebody else')}
          </button>
        </>
      }
    >
      <Field
        label={label}
        hint={hint}
        autoComplete="one-time-code"
        inputMode="text"
        required
        minLength={6}
        autoFocus
        value={code}
        onChange={setCode}
      />
    </Form>
  );
}

/** Leads to the provider of one's company, which leads back. */
function CompanySignIn(): ReactNode {
  const [company, setCompany] = useState('');
  const begin = useMutation({
    mutationFn: () => call('POST /session/sso/begin', { body: { company: company.trim().toLowerCase() } }),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <details>
      <summary>{t('Sign in with your company')}</summary>
      <Form step={begin} action="Go to your company" busy="Asking for the way…">
        <Field
          label="Name of your company here"
          hint="Your colleagues know it. You sign in where you do for other programs of your company."
          required
          autoComplete="organization"
          autoCapitalize="none"
          value={company}
          onChange={setCompany}
        />
      </Form>
    </details>
  );
}

/** Signs in by whatever passkey the person's device offers. */
function PasskeyButton({ label, changed }: { label: Text; changed: () => Promise<unknown> }): ReactNode {
  const signIn = useMutation({ mutationFn: signInByPasskey, onSuccess: changed });
  if (!knowsPasskeys()) return null;
  return (
    <>
      {signIn.isError && <Failure error={signIn.error} />}
      <button type="button" disabled={signIn.isPending} onClick={() => signIn.mutate()}>
        {signIn.isPending ? t('Waiting for your device…') : t(label)}
      </button>
    </>
  );
}
