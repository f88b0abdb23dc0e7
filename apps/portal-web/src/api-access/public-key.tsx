import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { call } from '../api';
import type { PortalAccount } from '../portal-api';
import { credentialsQuery } from './queries';
import { queryClient } from '../queries';
import { Failure } from '../ui';
import { OwnPassword } from '../security/own-password';

/** The key by which a program proves at login that it is the one. */
export function PublicKey({ access, mayChange }: { access: PortalAccount; mayChange: boolean }): ReactNode {
  const [text, setText] = useState('');
  const [current, setCurrent] = useState('');
  const id = useId();
  const set = useMutation({
    mutationFn: () => call('POST /credentials/public-key', { body: { publicKey: base64Of(text), current } }),
    onSuccess: next => {
      setText('');
      setCurrent('');
      queryClient.setQueryData(credentialsQuery.queryKey, next);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate();
  };
  return (
    <section className="card" aria-labelledby="key">
      <h2 id="key">Public key for the challenge</h2>
      {access.publicKeySha256 ? <Fingerprint sha256={access.publicKeySha256} /> : <p>No key is registered.</p>}
      {set.isError && <Failure error={set.error} />}
      {set.isSuccess && (
        <p className="notice good" role="status">
          The key is registered. Compare the fingerprint with your own.
        </p>
      )}
      {mayChange && (
        <form onSubmit={submit}>
          <div className="field">
            <label htmlFor={id}>{access.publicKeySha256 ? 'Another public key' : 'Public key'}</label>
            <textarea
              id={id}
              required
              rows={6}
              maxLength={8_192}
              aria-describedby={`${id}-hint`}
              value={text}
              onChange={event => setText(event.target.value)}
            />
            <span id={`${id}-hint`} className="dim">
              RSA with 4096 bits, X.509, as PEM or base64: <code>openssl pkey -in key.pem -pubout</code>. Never the private key.
            </span>
          </div>
          <OwnPassword value={current} onChange={setCurrent} />
          <button type="submit" disabled={set.isPending}>
            {set.isPending ? 'Registering…' : 'Register key'}
          </button>
        </form>
      )}
    </section>
  );
}

function Fingerprint({ sha256 }: { sha256: string }): ReactNode {
  return (
    <p>
      SHA-256 of the registered key: <code>{sha256}</code>. Yours:{' '}
      <code>openssl pkey -in key.pem -pubout -outform DER | sha256sum</code>
    </p>
  );
}

/** The base64 text between the BEGIN and END lines of a PEM file; text without these lines stays as it is. */
function base64Of(text: string): string {
  return text.replace(/-----(?:BEGIN|END) PUBLIC KEY-----/g, '').replace(/\s/g, '');
}
