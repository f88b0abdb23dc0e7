/** The two ways to log in (docs/how-to/log-in.md), and Basic for accounts that have not been switched. */
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { CommandError, exitCodes } from '../command-error';
import type { Profile } from './profile-store';
import { accepted, type Answer, errorIn, type PlatformAddress, send } from './send';

export interface Login extends PlatformAddress {
  identity: string;
  password: string;
  /** For the challenge: the account's private key (PEM) and the service's public key (base64 X.509). */
  keys: { privateKey: string; serviceKey: string } | undefined;
}

interface Session {
  headerValue: string;
  expires: string;
}

// OAEP with SHA-1 for the label and for MGF1, as the platform's protocol has it (T-03).
const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
const digest = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();
const sha256 = (bytes: Buffer): string => digest(bytes).toString('base64');

/** @throws CommandError; with keys, before the password is sent when the service does not prove that it holds its key */
export async function logIn(login: Login): Promise<Profile> {
  const { identity, password } = login;
  const proof = login.keys && (await challengeAnswer(login, login.keys));
  const body = JSON.stringify({ identity, password, ...proof });
  const answer = await send(login, { method: 'POST', path: '/authentication/login', body });
  if (isForBasicOnly(answer)) return basicProfile(login);
  return profileOf(login, JSON.parse(accepted('login', answer)) as Session);
}

/** The same session with a new token; the old one ends. */
export async function renewed(profile: Profile): Promise<Profile> {
  const body = JSON.stringify({ jwt: tokenOf(profile) });
  const answer = await send(profile, { method: 'POST', path: '/authentication/renew', body });
  if (answer.status === 401)
    throw new CommandError(`the session at ${profile.url} has ended: paycode-dev login`, exitCodes.notLoggedIn);
  return profileOf(profile, JSON.parse(accepted('renew', answer)) as Session);
}

export async function logOut(profile: Profile): Promise<void> {
  if (profile.expires === null) return;
  const body = JSON.stringify({ jwt: tokenOf(profile) });
  accepted('logout', await send(profile, { method: 'POST', path: '/authentication/logout', body }));
}

function isForBasicOnly({ status, text }: Answer): boolean {
  return status === 401 && errorIn(text).code === 'BEARER_DISABLED';
}

/** Basic has no login: a read that changes nothing tells whether the password is right. */
async function basicProfile({ url, ca, identity, password }: Login): Promise<Profile> {
  const authorization = `Basic ${Buffer.from(`${identity}:${password}`).toString('base64')}`;
  const answer = await send({ url, ca }, { method: 'GET', path: '/pluto/code/0000000000', authorization });
  if (answer.status === 401) accepted('login', answer);
  return { url, ca, identity, authorization, expires: null };
}

function profileOf({ url, ca, identity }: Login | Profile, { headerValue, expires }: Session): Profile {
  return { url, ca, identity, authorization: headerValue, expires };
}

function tokenOf({ authorization }: Profile): string {
  return authorization.replace(/^Bearer /, '');
}

async function challengeAnswer(login: Login, { privateKey, serviceKey }: NonNullable<Login['keys']>): Promise<object> {
  const secret = randomBytes(64);
  const key = createPublicKey({ key: Buffer.from(serviceKey, 'base64'), format: 'der', type: 'spki' });
  const clientChallenge = publicEncrypt({ key, ...oaep }, secret).toString('base64');
  const query = new URLSearchParams({ identity: login.identity, clientChallenge }).toString();
  const answer = await send(login, { method: 'GET', path: `/authentication/login-challenges?${query}` });
  const challenge = JSON.parse(accepted('the challenge', answer)) as Record<string, string>;
  const proven = challenge['base64EncodedClientChallengeResponse'] ?? '';
  // Digests, because only texts of one length can be compared in constant time.
  if (!timingSafeEqual(digest(proven), digest(sha256(secret))))
    throw new CommandError('the service did not prove that it holds its key: the password was not sent', exitCodes.bad);
  const encrypted = Buffer.from(challenge['base64EncodedChallenge'] ?? '', 'base64');
  const decrypted = privateDecrypt({ key: createPrivateKey(privateKey), ...oaep }, encrypted);
  return { base64EncodedChallengeHash: sha256(encrypted), base64EncodedChallengeResponse: sha256(decrypted) };
}
