import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { call, PortalError } from '../api';
import type { HttpNotificationAnswer, PortalNotifications } from '../portal-api';
import { Failure, Field } from '../ui';
import { OwnPassword } from '../security/own-password';

type Kind = 'KEEP' | 'NONE' | 'HEADER' | 'BASIC';

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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    register.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Field
        label={set ? 'Another URL' : 'URL of your server'}
        type="url"
        required
        maxLength={2_048}
        placeholder="https://shop.example/paycode"
        hint="We send it a test request, which it must answer with HTTP 200."
        value={url}
        onChange={event => setUrl(event.target.value)}
      />
      <CredentialFields value={credential} hasOne={set?.hasCredential ?? false} onChange={setCredential} />
      {certificateAuthorities !== null && (
        <div className="field">
          <label>
            <input type="checkbox" checked={clientCertificate} onChange={event => setClientCertificate(event.target.checked)} />{' '}
            Show our client certificate (mutual TLS)
          </label>
          <a
            href={`data:application/x-pem-file,${encodeURIComponent(certificateAuthorities)}`}
            download="paycode-client-authorities.pem"
          >
            Download its authorities
          </a>
        </div>
      )}
      <OwnPassword value={current} onChange={setCurrent} />
      {register.isError && <Failure error={register.error} />}
      <button type="submit" className={set ? '' : 'main'} disabled={register.isPending}>
        {register.isPending ? 'Asking your server…' : 'Register'}
      </button>
    </form>
  );
}

function CredentialFields(props: { value: Credential; hasOne: boolean; onChange: (next: Credential) => void }): ReactNode {
  const { value, hasOne, onChange } = props;
  const id = useId();
  const isHeader = value.kind === 'HEADER';
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Your server demands</label>
        <select id={id} value={value.kind} onChange={event => onChange({ ...value, kind: event.target.value as Kind })}>
          {hasOne && <option value="KEEP">the credential that is set</option>}
          <option value="NONE">no credential</option>
          <option value="HEADER">a header field</option>
          <option value="BASIC">user name and password (Basic)</option>
        </select>
      </div>
      {(isHeader || value.kind === 'BASIC') && (
        <>
          <Field
            label={isHeader ? 'Header field' : 'User name'}
            required
            autoComplete="off"
            maxLength={isHeader ? 64 : 255}
            placeholder={isHeader ? 'X-Api-Key' : ''}
            value={value.name}
            onChange={event => onChange({ ...value, name: event.target.value })}
          />
          <Field
            label={isHeader ? 'Value of the header field' : 'Password of your server'}
            type="password"
            required
            autoComplete="off"
            maxLength={isHeader ? 1_024 : 255}
            hint="Goes to this URL with every request. Nobody can read it here again."
            value={value.secret}
            onChange={event => onChange({ ...value, secret: event.target.value })}
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
