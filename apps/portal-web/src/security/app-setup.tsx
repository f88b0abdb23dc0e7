import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import { Failure, Field, Form, Secret, Waiting } from '../ui';
import { OwnPassword } from './own-password';
import { QrCode } from './qr-code';
import { RecoveryCodes } from './recovery-codes';

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
      <p>Scan this with your authenticator app, then enter the code that the app shows.</p>
      <QrCode text={begin.data.url} label="QR code of the key" />
      <Secret label="Key" value={begin.data.secret} />
      <a href={begin.data.url}>Open in the app on this device</a>
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
