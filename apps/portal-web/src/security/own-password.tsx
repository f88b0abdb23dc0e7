import { browserSupportsWebAuthn, startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { AssertionBody, BegunSignIn } from '../portal-api';
import { meQuery } from '../queries';
import { Confirm, Failure, Field } from '../ui';
import { t, type Words } from '../language/language';

/** As the portal's answers begin that stand in for the password. */
const proofPrefix = 'paycode-proof:';

const proofByCompany = async () => (await call('POST /session/proof')).current;

/**
 * Asks for the password, a passkey, or the company's sign-in of a moment ago, so that a person who only has access to the browser cannot change
 * credentials.
 */
export function OwnPassword({ value, onChange }: { value: string; onChange: (next: string) => void }): ReactNode {
  const { data: me } = useQuery(meQuery);
  const prove = useMutation({ mutationFn: (by: () => Promise<string>) => by(), onSuccess: onChange });
  if (value.startsWith(proofPrefix))
    return (
      <p className="notice good" role="status">
        {t('You have proved who you are. This is good for one change within five minutes.')}{' '}
        <button type="button" className="small" onClick={() => onChange('')}>
          {t('Prove it again')}
        </button>
      </p>
    );
  const { hasPassword = true, hasPasskey = false } = me?.person ?? {};
  const waiting = prove.isPending ? t('One moment…') : undefined;
  return (
    <>
      {hasPassword && (
        <Field
          label="Your password for the portal"
          type="password"
          autoComplete="current-password"
          required
          value={value}
          onChange={onChange}
        />
      )}
      {hasPasskey && knowsPasskeys() && (
        <p>
          <button type="button" className="small" disabled={prove.isPending} onClick={() => prove.mutate(proofByPasskey)}>
            {waiting ?? t('Use your passkey instead')}
          </button>
        </p>
      )}
      {!hasPassword && (
        <p>
          {t('Your company signs you in.')}{' '}
          <button type="button" className="small" disabled={prove.isPending} onClick={() => prove.mutate(proofByCompany)}>
            {waiting ?? t('Show that it was just now')}
          </button>
        </p>
      )}
      {prove.isError && <Failure error={prove.error} />}
    </>
  );
}

/** A question that is answered with the own password. */
export function ConfirmByPassword(props: {
  title: Words;
  action: Words;
  onConfirm: (current: string) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}): ReactNode {
  const [current, setCurrent] = useState('');
  return (
    <Confirm title={props.title} action={props.action} onConfirm={() => props.onConfirm(current)} onClose={props.onClose}>
      {props.children}
      <OwnPassword value={current} onChange={setCurrent} />
    </Confirm>
  );
}

/** Whether this browser knows passkeys at all. */
export const knowsPasskeys = browserSupportsWebAuthn;

/** Asks the person's device; the session is whole afterwards. @throws Error in words */
export async function signInByPasskey(): Promise<void> {
  await call('POST /session/passkey', { body: await answerTo(await call('POST /session/passkey/options')) });
}

/** In place of the own password before a change, good once. @throws Error in words */
export async function proofByPasskey(): Promise<string> {
  return (await call('POST /passkeys/proof', { body: await answerTo(await call('POST /passkeys/proof/options')) })).current;
}

async function answerTo({ sealed, options }: BegunSignIn): Promise<AssertionBody> {
  const { id, response } = await startAuthentication({ optionsJSON: options }).catch(inWords);
  const { authenticatorData, clientDataJSON, signature, userHandle } = response;
  return { sealed, id, authenticatorData, clientDataJSON, signature, ...(userHandle ? { userHandle } : {}) };
}

/** `current`: the own password; undefined where one has just signed in with it. Gives recovery codes with the first passkey. */
export async function addPasskey(name: string, current: string | undefined): Promise<string[]> {
  const asked = current === undefined ? {} : { current };
  const { sealed, options } = await call('POST /passkeys/options', { body: asked });
  const { id, response } = await startRegistration({ optionsJSON: options }).catch(inWords);
  const { attestationObject, clientDataJSON, transports = [] } = response;
  const body = { sealed, name, id, attestationObject, clientDataJSON, transports };
  return (await call('POST /passkeys', { body })).recoveryCodes;
}

/** Browsers say little, so that pages learn nothing of who has which passkey. */
function inWords(cause: unknown): never {
  const isKnown = cause instanceof WebAuthnError && cause.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
  const message = isKnown
    ? t('This device has a passkey of yours already.')
    : t('No passkey answered: it was cancelled, took too long, or this device has none for Paycode.');
  throw new Error(message, { cause });
}
