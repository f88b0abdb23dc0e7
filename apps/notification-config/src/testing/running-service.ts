import { randomBytes } from 'node:crypto';
import { type RunningService, startService } from '@paycode/service-runtime';
import type { ActingPerson, CallerName } from '@paycode/access';
import { startTestIdentityIssuer, type TestIdentityIssuer, TestTokenKeys } from '@paycode/access/testing';
import type { Addressee, Identity, MerchantRecord } from '@paycode/dto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import axios, { type AxiosResponse } from 'axios';
import { AppModule, notificationConfigDefinition, notificationLimits } from '../app.module';

export type Limits = Partial<typeof notificationLimits>;

const many = { burst: 10_000, refillMs: 1 };
/** For tests of something else that probe more often than a caller may. */
export const manyProbes = { probes: { merchant: notificationLimits.probes.merchant, caller: many, origin: many } };

/** The longest limits, because a busy machine connects slowly, which says nothing about the receiver. */
const patient: Limits = {
  routeLeaseMs: 20,
  lookUpTimeoutMs: 120_000,
  probe: { ...notificationLimits.probe, totalMs: 30_000, connectMs: 30_000 },
};

const tokenKeys = new TestTokenKeys();
const prefix = '/portal/restful/merchant/notification';

export const pspOne: Partial<Identity> = { subject: 'psp-1', accountType: 'PSP', ownerId: 1 };
export const acquirerBank: Partial<Identity> = {
  subject: 'bank',
  accountType: 'ACQUIRER',
  ownerId: null,
  acquirer: 'Bank',
  roles: [],
};

/** The whole service on free ports with a database of its own, as callers see it. */
export class TestNotificationConfig {
  private readonly http = axios.create({ validateStatus: () => true });

  private constructor(
    private readonly running: {
      service: RunningService;
      issuer: TestIdentityIssuer;
      keyEncryptionKeys: string;
      ownsDatabase: boolean;
    },
    readonly database: TestDatabase,
  ) {}

  get service(): RunningService {
    return this.running.service;
  }

  /** Owners of every merchant, as auth-session names them; null: it cannot now. */
  set owners(owners: Addressee[] | null) {
    this.running.issuer.answers.set('/internal/console/owners', owners && Array<Addressee[]>(50).fill(owners));
  }

  get keyEncryptionKeys(): string {
    return this.running.keyEncryptionKeys;
  }

  /** `sibling`: a further replica on the same database; stop it first. */
  static start(settings: Record<string, string> = {}, sibling?: TestNotificationConfig): Promise<TestNotificationConfig> {
    return TestNotificationConfig.startWith({}, settings, sibling);
  }

  /** `changes`: in the place of constants. */
  static async startWith(
    changes: Limits,
    settings: Record<string, string> = {},
    sibling?: TestNotificationConfig,
  ): Promise<TestNotificationConfig> {
    const limits = { ...notificationLimits, ...patient, ...changes };
    const [issuer, database] = await Promise.all([startTestIdentityIssuer(), sibling?.database ?? createTestDatabase()]);
    const keyEncryptionKeys =
      settings['KEY_ENCRYPTION_KEYS'] ?? sibling?.keyEncryptionKeys ?? `kek-1:${randomBytes(32).toString('base64')}`;
    const service = await startService(
      { ...notificationConfigDefinition, module: env => AppModule.forRoot(env, limits) },
      {
        LOG_LEVEL: 'silent',
        INTERNAL_PORT: '0',
        PUBLIC_PORT: '0',
        DATABASE_URL: database.url,
        ...tokenKeys.env('notification-config'),
        AUTH_SESSION_URL: issuer.url,
        KEY_ENCRYPTION_KEYS: keyEncryptionKeys,
        OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
        ...settings,
      },
    );
    return new TestNotificationConfig({ service, issuer, keyEncryptionKeys, ownsDatabase: !sibling }, database);
  }

  async stop(): Promise<void> {
    await this.running.service.stop('test');
    await this.running.issuer.stop();
    if (this.running.ownsDatabase) await this.database.drop();
  }

  get internalUrl(): string {
    return `http://127.0.0.1:${this.running.service.ports.internal}`;
  }

  /** POST to one of the four endpoints; `identity` null sends no assertion. A string body goes out as it is. */
  post(endpoint: string, body: unknown, identity: Partial<Identity> | null = pspOne): Promise<AxiosResponse> {
    const headers = { 'content-type': 'application/json', ...(identity ? this.assertion('POST', endpoint, identity) : {}) };
    const data = typeof body === 'string' ? body : JSON.stringify(body);
    return this.http.post(`http://127.0.0.1:${this.running.service.ports.public}${prefix}/${endpoint}`, data, { headers });
  }

  /** Any method on any path under the prefix, as PSP 1. */
  call(method: string, path: string, body?: unknown): Promise<AxiosResponse> {
    const url = `http://127.0.0.1:${this.running.service.ports.public}${prefix}/${path}`;
    const headers = { 'content-type': 'application/json', ...this.assertion(method, path, pspOne) };
    return this.http.request({ method, url, data: body === undefined ? undefined : JSON.stringify(body), headers });
  }

  private assertion(method: string, endpoint: string, identity: Partial<Identity>): Record<string, string> {
    const request = { service: 'notification-config', method: method.toUpperCase(), path: `${prefix}/${endpoint.split('?')[0]}` };
    return this.running.issuer.signer.headers(request, identity);
  }

  /** A call to the internal listener by the operator, by a service, or by the portal for a person. */
  internal(
    method: string,
    path: string,
    { body, caller = 'operator', person }: { body?: unknown; caller?: CallerName; person?: Partial<ActingPerson> } = {},
  ): Promise<AxiosResponse> {
    const token =
      person === undefined
        ? tokenKeys.headers(caller, 'notification-config')
        : tokenKeys.personHeaders('notification-config', person);
    const headers = { ...token, 'content-type': body === undefined ? false : 'application/json' };
    return this.http.request({
      method,
      url: `${this.internalUrl}${path}`,
      data: body === undefined ? undefined : JSON.stringify(body),
      headers,
    });
  }

  /** A merchant of PSP 1 and acquirer Bank unless told otherwise. */
  async saveMerchant(merchantId: number, record: Partial<MerchantRecord> = {}): Promise<void> {
    const body = { merchantName: `Shop ${merchantId}`, pspId: 1, acquirer: 'Bank', status: 'ACTIVE', ...record };
    const { status } = await this.internal('put', `/internal/merchants/${merchantId}`, { body });
    if (status !== 200) throw new Error(`merchant not saved: ${status}`);
  }
}
