import { browserSupportsWebAuthn, startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser';
import { call } from '../api';
import type { AssertionBody, BegunSignIn } from '../portal-api';

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
    ? 'This device has a passkey of yours already.'
    : 'No passkey answered: it was cancelled, took too long, or this device has none for Paycode.';
  throw new Error(message, { cause });
}
