import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import type { Play } from '../run-play.ts';
import type { Stage } from '../stage.ts';

/** More than the hundred that raise the alert. */
const guesses = 150;
/** An address may guess one account so often before it must wait (GUESSES_PER_IDENTITY_MAX). */
const guessesPerAddress = 5;
/** On a machine that plays other faults too, a connection may be cut before it is made; then nothing was guessed. */
const connectionsMax = 5;

const guessingAttack: Play = {
  name: 'guessing-attack',
  what: `${guesses} wrong passwords for one account, from ${guesses / guessesPerAddress} addresses`,
  expected: { must: ['GuessingAttack'] },
  heldMin: 5,
  seen: 'sum(paycode_auth_session_failures_total) >= 100',
  begin: async stage => {
    for (let each = 0; each < guesses; each++) await guessedAt(stage, each);
  },
};

async function guessedAt(stage: Stage, each: number, triesLeft = connectionsMax - 1): Promise<void> {
  try {
    await guess(stage, each);
  } catch (error) {
    if (triesLeft === 0) throw error;
    await guessedAt(stage, each, triesLeft - 1);
  }
}

async function guess({ connection }: Stage, each: number): Promise<void> {
  const { baseUrl, caFile } = connection.standalone;
  const { username } = connection.account('psp-1');
  const address = `127.0.8.${1 + Math.floor(each / guessesPerAddress)}`;
  await new Promise<void>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: new URL(baseUrl).port,
      servername: 'localhost',
      ca: readFileSync(caFile),
      localAddress: address,
      path: '/portal/restful/merchant/notification/1001',
      headers: { authorization: `Basic ${Buffer.from(`${username}:wrong-${each}`).toString('base64')}` },
      agent: false as const,
    };
    request(options, response => response.resume().once('end', () => resolve()))
      .once('error', reject)
      .end();
  });
}

const certificateEnds: Play = {
  name: 'certificate-ends',
  what: "the gateway's certificate is replaced by one that ends in a day",
  expected: { must: ['CertificateEndsSoon'] },
  pending: ['CertificateEnds'],
  heldMin: 8,
  seen: 'paycode_api_gateway_certificate_not_after_timestamp_seconds - time() < 86400',
  begin: ({ home }) => putShortCertificate(join(home, 'tls')),
};

/** Signed by the platform's own authority, so that clients go on; valid for a day. */
function putShortCertificate(folder: string): void {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  writeFileSync(at('short.ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\n', { mode: 0o600 });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('short.key')];
  openssl('req', '-new', ...key, '-subj', '/CN=localhost', '-out', at('short.csr'));
  const authority = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('short.ext')];
  openssl('x509', '-req', '-in', at('short.csr'), ...authority, '-days', '1', '-out', at('short.pem'));
  renameSync(at('short.key'), at('server.key'));
  renameSync(at('short.pem'), at('server.pem'));
}

export const accessPlays: readonly Play[] = [guessingAttack, certificateEnds];
