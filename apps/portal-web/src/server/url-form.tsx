import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, PortalError } from '../api';
import type { HttpNotificationAnswer, PortalNotifications } from '../portal-api';
import { Choice, Field, Form } from '../ui';
import { OwnPassword } from '../security/own-password';
import { t, type Text } from '../language/language';

const kinds = [
  ['KEEP', 'the credential that is set'],
  ['NONE', 'no credential'],
  ['HEADER', 'a header field'],
  ['BASIC', 'user name and password (Basic)'],
] as const satisfies (readonly [string, Text])[];
type Kind = (typeof kinds)[number][0];

interface Credential {
  kind: Kind;
  /** Name of the header field, or user name. */
  name: string;
  /** Its value, or the password. */
  secret: string;
}

interface UrlFormProps {
  merchantId: number;
  current: PortalNotifications['http'];
  certificateAuthorities: PortalNotifications['certificateAuthorities'];
  onSet: (key: HttpNotificationAnswer) => unknown;
  onFailed: (url: string) => void;
}

/** The URL of a server, and how the platform makes itself known to it: a credential is only for the URL that it was given with. */
export function UrlForm({ merchantId, current: set, certificateAuthorities, onSet, onFailed }: UrlFormProps): ReactNode {
  const [url, setUrl] = useState(set?.url ?? '');
  const [credential, setCredential] = useState<Credential>({ kind: set?.hasCredential ? 'KEEP' : 'NONE', name: '', secret: '' });
  const [clientCertificate, setClientCertificate] = useState(set?.hasClientCertificate ?? false);
  const [current, setCurrent] = useState('');
  const register = useMutation({
    mutationFn: () =>
      call('POST /merchants/{merchantId}/notifications/url', {
        path: { merchantId },
        body: { url: url.trim(), current, clientCertificate, ...bodyOf(credential) },
      }),
    onSuccess: key => {
      setCredential({ kind: credential.kind === 'NONE' ? 'NONE' : 'KEEP', name: '', secret: '' });
      return onSet(key);
    },
    // Says exactly what stood in the way of a URL. A check of it shows no credential, so it would say less.
    onError: error => {
      const isShown = credential.kind !== 'NONE' || clientCertificate;
      if (error instanceof PortalError && error.status === 400 && !isShown) onFailed(url.trim());
    },
    onSettled: () => setCurrent(''),
  });
  return (
    <Form step={register} action="Register" busy="Asking your server…" isMain={!set}>
      <Field
        label={set ? 'Another URL' : 'URL of your server'}
        type="url"
        required
        maxLength={2_048}
        placeholder="https://shop.example/paycode"
        hint="We send it a test request, which it must answer with HTTP 200."
        value={url}
        onChange={setUrl}
      />
      <CredentialFields value={credential} hasOne={set?.hasCredential ?? false} onChange={setCredential} />
      {certificateAuthorities !== null && (
        <div className="field">
          <label>
            <input type="checkbox" checked={clientCertificate} onChange={event => setClientCertificate(event.target.checked)} />{' '}
            {t('Show our client certificate (mutual TLS)')}
          </label>
          <a
            href={`data:application/x-pem-file,${encodeURIComponent(certificateAuthorities)}`}
            download="paycode-client-authorities.pem"
          >
            {t('Download its authorities')}
          </a>
        </div>
      )}
      <OwnPassword value={current} onChange={setCurrent} />
    </Form>
  );
}

function CredentialFields(props: { value: Credential; hasOne: boolean; onChange: (next: Credential) => void }): ReactNode {
  const { value, hasOne, onChange } = props;
  const isHeader = value.kind === 'HEADER';
  return (
    <>
      <Choice
        label="Your server demands"
        options={hasOne ? kinds : kinds.slice(1)}
        value={value.kind}
        onChange={kind => onChange({ ...value, kind })}
      />
      {(isHeader || value.kind === 'BASIC') && (
        <>
          <Field
            label={isHeader ? 'Header field' : 'User name'}
            required
            autoComplete="off"
            maxLength={isHeader ? 64 : 255}
            placeholder={isHeader ? 'X-Api-Key' : ''}
            value={value.name}
            onChange={name => onChange({ ...value, name })}
          />
          <Field
            label={isHeader ? 'Value of the header field' : 'Password of your server'}
            type="password"
            required
            autoComplete="off"
            maxLength={isHeader ? 1_024 : 255}
            hint="Goes to this URL with every request. Nobody can read it here again."
            value={value.secret}
            onChange={secret => onChange({ ...value, secret })}
          />
        </>
      )}
    </>
  );
}

function bodyOf({ kind, name, secret }: Credential) {
  if (kind === 'KEEP') return {};
  if (kind === 'HEADER') return { credential: { header: name.trim(), value: secret } };
  return { credential: kind === 'BASIC' ? { username: name, password: secret } : {} };
}
