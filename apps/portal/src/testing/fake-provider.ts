import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { FakeServer } from './fake-server';

type Json = Record<string, unknown>;

/** False content of a token, and the key that signs it. */
export interface Forgery {
  claims?: Json;
  key?: KeyObject;
  userInfo?: Json;
  /** In place of what the authorization answer carries. */
  answer?: Record<string, string>;
}

interface Granted {
  token: string;
  codeChallenge: string;
  userInfo: Json;
}

const newKeys = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });
export const strangersKey = newKeys().privateKey;

/** A provider of OpenID Connect whose tokens say what a test wants; PKCE, client and code are checked as a provider does. */
export class FakeProvider extends FakeServer {
  private readonly keys = newKeys();
  private readonly granted = new Map<string, Granted>();
  isAway = false;
  /** How a path gives its answer, where not plainly. */
  readonly ways = new Map<string, (response: ServerResponse, body: string) => void>();
  /** In place of what the configuration says. */
  named: Json = {};

  /** As if the person had signed in here: the query that its browser goes back with. */
  signsIn(authorizationUrl: string, person: Json, { claims, key, userInfo, answer }: Forgery = {}): string {
    const asked = new URL(authorizationUrl).searchParams;
    const code = createHash('sha256').update(asked.get('state')!).digest('hex');
    const nowS = Math.floor(Date.now() / 1_000);
    const truth = { iss: this.url, aud: asked.get('client_id'), iat: nowS, exp: nowS + 60, nonce: asked.get('nonce') };
    const payload = { ...truth, ...person, ...claims };
    const token = this.signed(payload, key ?? this.keys.privateKey);
    const codeChallenge = asked.get('code_challenge')!;
    this.granted.set(code, { token, codeChallenge, userInfo: { ...person, ...userInfo } });
    return String(new URLSearchParams({ code, state: asked.get('state')!, iss: this.url, ...answer }));
  }

  private signed(payload: Json, key: KeyObject): string {
    const part = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'RS256', kid: 'k1' })}.${part(payload)}`;
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }

  protected answer(request: IncomingMessage, response: ServerResponse, text: string): void {
    const path = request.url!.split('?', 1)[0]!;
    const [status, body] = this.isAway ? [503, {}] : this.answerTo(path.replace(/^\/moved/, ''), request, text);
    const way = this.ways.get(path);
    if (way) return way(response, JSON.stringify(body));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private answerTo(path: string, { headers }: IncomingMessage, body: string): [number, Json] {
    if (path === '/.well-known/openid-configuration') return [200, this.configuration()];
    if (path === '/jwks') return [200, { keys: [{ ...this.keys.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }] }];
    if (path === '/userinfo') return [200, this.granted.get(headers.authorization!.slice('Bearer '.length))?.userInfo ?? {}];
    return this.token(new URLSearchParams(body), headers.authorization);
  }

  private token(body: URLSearchParams, authorization: string | undefined): [number, Json] {
    const code = body.get('code') ?? '';
    const granted = this.granted.get(code);
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const client = Buffer.from((authorization ?? '').slice('Basic '.length), 'base64').toString();
    const isClient = decodeURIComponent(client) === 'portal:secret-of-the-client';
    if (!granted || !isClient || challenge !== granted.codeChallenge) return [400, { error: 'invalid_grant' }];
    return [200, { access_token: code, token_type: 'Bearer', expires_in: 60, id_token: granted.token }];
  }

  private configuration(): Json {
    const at = (path: string) => `${this.url}/${path}`;
    return {
      issuer: this.url,
      authorization_endpoint: at('auth'),
      token_endpoint: at('token'),
      jwks_uri: at('jwks'),
      userinfo_endpoint: at('userinfo'),
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      ...this.named,
    };
  }
}
