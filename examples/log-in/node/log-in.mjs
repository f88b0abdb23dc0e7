// Logs in to Paycode with the full challenge-response of the specification (5.3), uses the session, renews it, logs out.
// Node 20 or newer, nothing to install. Settings come from the environment, see ../README.md.
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const { PAYCODE_URL, PAYCODE_CA_FILE, PAYCODE_IDENTITY, PAYCODE_PASSWORD } = process.env;
// RSA/ECB/OAEPWithSHA-1AndMGF1Padding
const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
const privateKey = createPrivateKey(readFileSync(process.env.PAYCODE_PRIVATE_KEY_FILE));
const serviceKey = createPublicKey({
  key: Buffer.from(readFileSync(process.env.PAYCODE_SERVICE_KEY_FILE, 'utf8'), 'base64'),
  format: 'der',
  type: 'spki',
});

const sha256 = bytes => createHash('sha256').update(bytes).digest('base64');

/** One HTTPS request with a JSON body; gives the status and the parsed answer. */
function send(method, path, { body, headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      ca: PAYCODE_CA_FILE ? readFileSync(PAYCODE_CA_FILE) : undefined,
      headers: { ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
      timeout: 30_000,
    };
    const outgoing = request(PAYCODE_URL + path, options, response => {
      let text = '';
      response.on('data', chunk => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, answer: text && JSON.parse(text) }));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer within 30 seconds')));
    outgoing.on('error', reject);
    outgoing.end(body && JSON.stringify(body));
  });
}

/** Sends and insists on a status; never prints what was sent: it holds secrets. */
async function expect(status, method, path, rest) {
  const { status: got, answer } = await send(method, path, rest);
  if (got !== status) throw new Error(`${method} ${path.split('?')[0]} answered ${got}: ${answer.message}`);
  return answer;
}

async function logIn() {
  // 1. 64 random bytes, encrypted to the service.
  const secret = randomBytes(64);
  const clientChallenge = publicEncrypt({ key: serviceKey, ...oaep }, secret).toString('base64');
  const query = new URLSearchParams({ identity: PAYCODE_IDENTITY, clientChallenge });
  // 2. The service answers with its proof and a challenge of its own.
  const challenge = await expect(200, 'GET', `/authentication/login-challenges?${query}`);
  // 3. Only who holds the service's private key knows the hash of our bytes. If it is wrong, stop before the password leaves.
  if (challenge.base64EncodedClientChallengeResponse !== sha256(secret)) throw new Error('the service did not prove itself');
  console.log('service proved itself');
  const encrypted = Buffer.from(challenge.base64EncodedChallenge, 'base64');
  const decrypted = privateDecrypt({ key: privateKey, ...oaep }, encrypted);
  // 4. Both hashes prove that we hold our private key.
  return expect(200, 'POST', '/authentication/login', {
    body: {
      identity: PAYCODE_IDENTITY,
      password: PAYCODE_PASSWORD,
      base64EncodedChallengeHash: sha256(encrypted),
      base64EncodedChallengeResponse: sha256(decrypted),
    },
  });
}

const tokenOf = session => session.headerValue.slice('Bearer '.length);

let session = await logIn();
console.log(`logged in, session ${session.sessionId} until ${session.expires}`);

// 5. Every request carries the header the session names.
const body = { value: '1234567890', msisdn: '+27820000001' };
const { status } = await send('POST', '/pluto/remote/v4/lookup', {
  body,
  headers: { [session.headerName]: session.headerValue },
});
console.log(status === 401 || status === 403 ? `refused with ${status}` : 'request authenticated');

// A token lives 15 minutes: renew it before `expires`. The old token stops working.
session = await expect(200, 'POST', '/authentication/renew', { body: { jwt: tokenOf(session) } });
console.log(`renewed until ${session.expires}`);

await expect(200, 'POST', '/authentication/logout', { body: { jwt: tokenOf(session) } });
console.log('logged out');
