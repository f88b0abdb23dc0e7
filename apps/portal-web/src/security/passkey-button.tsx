import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { knowsPasskeys, signInByPasskey } from './passkey';
import { Failure } from '../ui';

/** Signs in by whatever passkey the person's device offers. */
export function PasskeyButton({ label, changed }: { label: string; changed: () => Promise<unknown> }): ReactNode {
  const signIn = useMutation({ mutationFn: signInByPasskey, onSuccess: changed });
  if (!knowsPasskeys()) return null;
  return (
    <>
      {signIn.isError && <Failure error={signIn.error} />}
      <button type="button" disabled={signIn.isPending} onClick={() => signIn.mutate()}>
        {signIn.isPending ? 'Waiting for your device…' : label}
      </button>
    </>
  );
}
