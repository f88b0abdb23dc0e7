import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { PortalAccount } from '../portal-api';
import { credentialsQuery } from './queries';
import { queryClient } from '../queries';
import { Field, Form } from '../ui';
import { OwnPassword } from '../security/own-password';
import { rich, t } from '../language/language';

/** The key by which a program proves at login that it is the one. */
export function PublicKey({ access, mayChange }: { access: PortalAccount; mayChange: boolean }): ReactNode {
  const [text, setText] = useState('');
  const [current, setCurrent] = useState('');
  const set = useMutation({
    mutationFn: () => call('POST /credentials/public-key', { body: { publicKey: base64Of(text), current } }),
    onSuccess: next => {
      setText('');
      setCurrent('');
      queryClient.setQueryData(credentialsQuery.queryKey, next);
    },
  });
  return (
    <section className="card" aria-labelledby="key">
      <h2 id="key">{t('Public key for the challenge')}</h2>
      {access.publicKeySha256 ? <Fingerprint sha256={access.publicKeySha256} /> : <p>{t('No key is registered.')}</p>}
      {set.isSuccess && (
        <p className="notice good" role="status">
          {t('The key is registered. Compare the fingerprint with your own.')}
        </p>
      )}
      {mayChange && (
        <Form step={set} action="Register key" busy="Registering…">
          <Field
            label={access.publicKeySha256 ? 'Another public key' : 'Public key'}
            hint={
              <>
                {rich(
                  'RSA with 4096 bits, X.509, as PEM or base64: <code>openssl pkey -in key.pem -pubout</code>. Never the private key.',
                )}
              </>
            }
            required
            rows={6}
            maxLength={8_192}
            value={text}
            onChange={setText}
          />
          <OwnPassword value={current} onChange={setCurrent} />
        </Form>
      )}
    </section>
  );
}

function Fingerprint({ sha256 }: { sha256: string }): ReactNode {
  return (
    <p>
      {rich(
        'SHA-256 of the registered key: <code>{sha256}</code>. Yours: <code>openssl pkey -in key.pem -pubout -outform DER | sha256sum</code>',
        { sha256 },
      )}
    </p>
  );
}

/** The base64 text between the BEGIN and END lines of a PEM file; text without these lines stays as it is. */
function base64Of(text: string): string {
  return text.replace(/-----(?:BEGIN|END) PUBLIC KEY-----/g, '').replace(/\s/g, '');
}
