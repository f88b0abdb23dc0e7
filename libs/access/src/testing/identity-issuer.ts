import { createPublicKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type Identity, identityHeader } from '@paycode/dto';
import { type AssertedRequest, signIdentityAssertion } from '../identity/identity-assertion';
import type { JwkSet } from '../identity/identity-keys';

/** Mints identities in place of auth-session, for tests of the services behind the gateway. */
export class TestIdentitySigner {
  private kid = randomUUID();
  private privateKey = newKey();

  /** Pass to `IdentityModule.forRoot({ jwks: signer.jwks })`. */
  readonly jwks = async (): Promise<JwkSet> => ({
    keys: [{ ...createPublicKey(this.privateKey).export({ format: 'jwk' }), kid: this.kid, alg: 'ES256', use: 'sig' }],
  });

  /** An assertion of that request, for a PSP with id 1 unless told otherwise; `issuedAtS` in the past gives an expired one. */
  sign(request: AssertedRequest, identity: Partial<Identity> = {}, issuedAtS = Math.floor(Date.now() / 1_000)): string {
    const psp: Identity = { subject: 'psp-1', accountType: 'PSP', ownerId: 1, acquirer: null, roles: ['EXTERNAL'] };
    const asserted = { identity: { ...psp, ...identity }, request };
    return signIdentityAssertion(asserted, { kid: this.kid, privateKey: this.privateKey }, issuedAtS);
  }

  /** The header to send: `{ 'x-paycode-identity': … }`. */
  headers(request: AssertedRequest, identity: Partial<Identity> = {}): Record<string, string> {
    return { [identityHeader]: this.sign(request, identity) };
  }

  /** Replaces the key, as a rotation does. */
  rotate(): void {
    this.kid = randomUUID();
    this.privateKey = newKey();
  }
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

export interface TestIdentityIssuer {
  signer: TestIdentitySigner;
  /** Use as AUTH_SESSION_URL: answers `GET /internal/jwks`. */
  url: string;
  /** Answers of other routes by their paths; null: 503. */
  answers: Map<string, unknown>;
  stop(): Promise<void>;
}

/** A stand-in for auth-session's JWKS, and for what `answers` says, on a free loopback port. */
export async function startTestIdentityIssuer(): Promise<TestIdentityIssuer> {
  const signer = new TestIdentitySigner();
  const answers = new Map<string, unknown>();
  const server: Server = createServer((request, response) => {
    const answer = answers.get(request.url!);
    response.statusCode = answer === null ? 503 : 200;
    response.setHeader('content-type', 'application/json');
    void Promise.resolve(answer ?? signer.jwks()).then(value => response.end(JSON.stringify(value)));
  });
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const stop = () => {
    server.closeAllConnections();
    return new Promise<void>(resolve => void server.close(() => resolve()));
  };
  return { signer, url: `http://127.0.0.1:${port}`, answers, stop };
}
