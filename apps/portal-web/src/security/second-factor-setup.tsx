import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { addPasskey, knowsPasskeys } from './passkey';
import { Failure } from '../ui';
import { AppSetup } from './app-setup';
import { RecoveryCodes } from './recovery-codes';

/** Where nobody gets further with a password alone: a passkey, or an app. */
export function SecondFactorSetup({ onDone }: { onDone: () => void }): ReactNode {
  const [isApp, setApp] = useState(!knowsPasskeys());
  const add = useMutation({ mutationFn: () => addPasskey('My first passkey', undefined) });
  if (add.data) return <RecoveryCodes codes={add.data} onDone={onDone} />;
  if (isApp) return <AppSetup onDone={onDone} isFresh />;
  return (
    <>
      <p>A password alone opens nothing here. Add a passkey: your finger, face or PIN then signs you in.</p>
      {add.isError && <Failure error={add.error} />}
      <button type="button" className="main" disabled={add.isPending} onClick={() => add.mutate()}>
        {add.isPending ? 'Waiting for your device…' : 'Add a passkey'}
      </button>
      <button type="button" onClick={() => setApp(true)}>
        Use an authenticator app
      </button>
    </>
  );
}
