import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import { Code, Field, Form } from '../ui';
import { t } from '../language/language';

/** Shows whether the private key at hand belongs to the registered one, before a program's first login depends on it. */
export function KeyTrial({ username }: { username: string }): ReactNode {
  const [nonce, setNonce] = useState(newNonce);
  const [signature, setSignature] = useState('');
  const tried = useMutation({
    mutationFn: () => call('POST /credentials/public-key/trial', { body: { nonce, signature } }),
    onSuccess: () => {
      setSignature('');
      setNonce(newNonce());
    },
  });
  return (
    <section className="card" aria-labelledby="trial">
      <h2 id="trial">{t('Try the registered key')}</h2>
      <p>{t('Sign this with the private key, where the key is, and paste what it prints. Nothing is logged in.')}</p>
      <Code label="Command to sign with">
        {`printf '%s' 'paycode-key-test ${username} ${nonce}' |\n  openssl dgst -sha256 -sign key.pem | openssl base64 -A`}
      </Code>
      {tried.data && (
        <p className={`notice ${tried.data.verifies ? 'good' : 'bad'}`} role="status">
          {tried.data.verifies
            ? t('It verifies: this private key belongs to the registered public key.')
            : t(
                'It does not verify: another key signed it, or another text. Compare the fingerprints above, and copy the whole command.',
              )}
        </p>
      )}
      <Form step={tried} action="Verify signature" busy="Verifying…">
        <Field label="Signature" required rows={4} maxLength={2_048} value={signature} onChange={setSignature} />
      </Form>
    </section>
  );
}

function newNonce(): string {
  return crypto.randomUUID();
}
