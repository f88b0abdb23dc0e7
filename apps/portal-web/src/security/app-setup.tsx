import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import { Failure, Field, Form, Secret, Waiting } from '../ui';
import { addPasskey, knowsPasskeys, OwnPassword } from './own-password';
import { QrCode } from './qr-code';
import { t } from '../language/language';

/**
 * Sets up an authenticator app: its secret, a first code, and recovery codes that are shown once. `isFresh`: the password was given a moment
 * ago.
 */
export function AppSetup({ onDone, isFresh = false }: { onDone: () => void; isFresh?: boolean }): ReactNode {
  const [code, setCode] = useState('');
  const [current, setCurrent] = useState('');
  const begin = useMutation({ mutationFn: () => call('POST /totp') });
  const confirm = useMutation({
    mutationFn: () => call('POST /totp/confirm', { body: { sealed: begin.data!.sealed, code, ...(isFresh ? {} : { current }) } }),
  });
  useEffect(() => begin.mutate(), []);
  if (confirm.data) return <RecoveryCodes codes={confirm.data.recoveryCodes} onDone={onDone} />;
  if (begin.isError) return <Failure error={begin.error} again={() => begin.mutate()} />;
  if (!begin.data) return <Waiting what="Making a secret for your app" />;
  return (
    <Form step={confirm} action="Turn on" isMain>
      <p>{t('Scan this with your authenticator app, then enter the code that the app shows.')}</p>
      <QrCode text={begin.data.url} label="QR code of the key" />
      <Secret label="Key" value={begin.data.secret} />
      <a href={begin.data.url}>{t('Open in the app on this device')}</a>
      <Field
        label="Code"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        minLength={6}
        value={code}
        onChange={setCode}
      />
      {!isFresh && <OwnPassword value={current} onChange={setCurrent} />}
    </Form>
  );
}

/** Shown once, to be taken away. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }): ReactNode {
  return (
    <section aria-labelledby="recovery">
      <h2 id="recovery">{t('Keep these recovery codes')}</h2>
      <p>{t('Each lets you in once when your phone or passkey is lost. They are not shown again.')}</p>
      <ul className="codes">
        {codes.map(code => (
          <li key={code}>
            <code>{code.match(/.{4}/g)!.join('-')}</code>
          </li>
        ))}
      </ul>
      <button type="button" className="main" onClick={onDone}>
        {t('I have kept them')}
      </button>
    </section>
  );
}

/** Where nobody gets further with a password alone: a passkey, or an app. */
export function SecondFactorSetup({ onDone }: { onDone: () => void }): ReactNode {
  const [isApp, setApp] = useState(!knowsPasskeys());
  const add = useMutation({ mutationFn: () => addPasskey(t('My first passkey'), undefined) });
  if (add.data) return <RecoveryCodes codes={add.data} onDone={onDone} />;
  if (isApp) return <AppSetup onDone={onDone} isFresh />;
  return (
    <>
      <p>{t('A password alone opens nothing here. Add a passkey: your finger, face or PIN then signs you in.')}</p>
      {add.isError && <Failure error={add.error} />}
      <button type="button" className="main" disabled={add.isPending} onClick={() => add.mutate()}>
        {add.isPending ? t('Waiting for your device…') : t('Add a passkey')}
      </button>
      <button type="button" onClick={() => setApp(true)}>
        {t('Use an authenticator app')}
      </button>
    </>
  );
}
