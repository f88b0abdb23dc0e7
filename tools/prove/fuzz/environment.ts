import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import jsonwebtoken from 'jsonwebtoken';
import { channels } from '../../../libs/dto/src/internal/routes.ts';
import { accepted, makeMerchant, Merchant, newAccount, wakePortal } from '../../../libs/platform-client/src/merchant.ts';
import { type Credentials, PlatformConnection } from '../../../libs/platform-client/src/platform-connection.ts';
import { serviceTokenType, signingKeyOf, tokenAlgorithm } from '../../../libs/access/src/service-token/token-keys.ts';
import type { Operation } from './operations.ts';
import type { Target } from './raw-client.ts';
import type { KnownValues, OperationAccess } from './fuzz-case.ts';

const tokenLifetimeS = 60;

/** This operation ends all sessions, so only callers without the right to use it fuzz it. */
const endsEverySession = ['POST /internal/keys/replace'];

/** An account as fuzzed or valid requests use it: `authorization` is the whole header value. */
export interface Caller extends Credentials {
  authorization: string;
}

/** The data that a run makes on a platform for its own use, and its credentials there. */
export class FuzzEnvironment {
  readonly callers = new Map<string, Caller>();
  readonly known: KnownValues = {};
  readonly platform: PlatformConnection;
  private readonly home: string;
  private readonly ca: string;
  private readonly operatorToken: string;

  private constructor(platform: PlatformConnection, home: string) {
    this.platform = platform;
    this.home = home;
    this.ca = readFileSync(platform.standalone.caFile, 'utf8');
    this.operatorToken = readFileSync(platform.standalone.operatorTokenFile, 'utf8');
  }

  /** Accounts, a merchant and a code that hostile requests may name or use; none of them belongs to a bystander. */
  static async prepare(home: string): Promise<FuzzEnvironment> {
    const platform = new PlatformConnection(home);
    // Without the tables that the portal makes, auth-session answers 503 to what people ask.
    await wakePortal(platform);
    const environment = new FuzzEnvironment(platform, home);
    const merchant = await environment.makeMerchant();
    const victim = await environment.makeMerchant();
    environment.callers.set('merchant', merchant.caller);
    environment.callers.set(
      'bearer',
      await environment.bearer(await newAccount(platform, { type: 'PSP', id: randomInt(10_000_000, 2 ** 40) })),
    );
    environment.callers.set('psp', callerOf(platform.account('psp-1')));
    const code = await environment.makeCode(merchant.caller);
    const transactionId = await environment.merchantOf(merchant.caller).pay(code);
    const { username } = victim.caller;
    const { known } = environment;
    Object.assign(known, { merchantId: [merchant.merchantId, victim.merchantId], transactionId: [transactionId] });
    Object.assign(known, { code: [code], value: [code], currencyCode: ['ZAR'], amount: [1.5], version: ['V3'] });
    Object.assign(known, { identity: [username], username: [username], password: ['x'], status: ['ACTIVE'] });
    Object.assign(known, { outcome: ['SUCCESS'], txState: ['SUCCESS'], url: ['http://127.0.0.1:1/'] });
    Object.assign(known, { type: [...channels, 'HTTP', 'MERCHANT', 'PSP'] });
    return environment;
  }

  /** How an operation is reached, and by whom. */
  accessTo(operation: Operation): OperationAccess {
    return {
      ...{ target: this.targetOf(operation), known: this.known, callers: this.callersOf(operation) },
      authorizationOf: as => this.authorizationOf(operation, as),
    };
  }

  private targetOf({ service }: Operation): Target {
    const { baseUrl, internal } = this.platform.standalone;
    return service === 'public' ? { url: baseUrl, ca: this.ca } : { url: internal[service]! };
  }

  get gateway(): Target {
    return { url: this.platform.standalone.baseUrl, ca: this.ca };
  }

  private callersOf({ service, callers, name }: Operation): string[] {
    if (endsEverySession.includes(name)) return [];
    return service === 'public' ? [...this.callers.keys()] : [callers.includes('operator') ? 'operator' : callers[0]!];
  }

  /** The right Authorization of a caller for an operation; the portal proves a person too, in the next header line. */
  private authorizationOf({ service }: Operation, as: string): string {
    if (service === 'public') return this.callers.get(as)!.authorization;
    const token = as === 'operator' ? this.operatorToken : this.signed(as, { audience: service });
    return as === 'portal' ? `Bearer ${token}\r\nX-Paycode-Person: ${this.person()}` : `Bearer ${token}`;
  }

  async makeMerchant(): Promise<{ merchantId: number; caller: Caller }> {
    const { merchantId, credentials } = await makeMerchant(this.platform);
    return { merchantId, caller: callerOf(credentials) };
  }

  /** Switches an account to Bearer mode and logs it in. */
  async bearer({ username }: Credentials): Promise<Caller> {
    const path = `/internal/accounts/${username}`;
    accepted('Bearer mode', await this.platform.operator('auth-session', { method: 'POST', path: `${path}/bearer` }));
    const answer = await this.platform.operator('auth-session', { method: 'POST', path: `${path}/password` });
    const { apiPassword: password } = accepted('the password', answer) as { apiPassword: string };
    return this.logIn({ username, password });
  }

  async logIn({ username, password }: Credentials): Promise<Caller> {
    const body = { identity: username, password };
    const answer = await this.platform.gateway({ method: 'POST', path: '/authentication/login', body });
    return { username, password, authorization: (accepted('login', answer) as { headerValue: string }).headerValue };
  }

  /** A code that can be paid any number of times. */
  async makeCode(credentials: Credentials): Promise<string> {
    const details = { merchantReference: `fuzz-${randomInt(2 ** 40)}`, amount: 1.5, currencyCode: 'ZAR' };
    const merchant = this.merchantOf(credentials);
    return (await merchant.createCode({ ...details, expiryDate: 0, useOnce: false })).code;
  }

  private merchantOf(credentials: Credentials): Merchant {
    return new Merchant(this.platform, { merchantId: 0, credentials, psp: credentials });
  }

  /** Somebody who acts for every merchant, as auth-session asserts it to the portal. */
  private person(): string {
    const claims = { sub: randomUUID(), tenantType: 'OPERATOR', tenantId: '', role: 'ADMINISTRATOR' };
    const of = { ...claims, actor: 'Fuzz <fuzz@platform.example>', sessionId: randomUUID() };
    return this.signed('auth-session', { audience: 'portal', typ: 'paycode-person+jwt' }, of);
  }

  private signed(issuer: string, { audience, typ = serviceTokenType }: { audience: string; typ?: string }, of = {}): string {
    const pem = readFileSync(join(this.home, 'secrets/token-keys', `${issuer}.pem`), 'utf8');
    const { kid, privateKey } = signingKeyOf(issuer, pem);
    const header = { alg: tokenAlgorithm, typ };
    const claims = { issuer, audience, expiresIn: tokenLifetimeS, jwtid: randomUUID() };
    return jsonwebtoken.sign(of, privateKey, { ...claims, algorithm: tokenAlgorithm, keyid: kid, header });
  }
}

function callerOf({ username, password }: Credentials): Caller {
  return { username, password, authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
