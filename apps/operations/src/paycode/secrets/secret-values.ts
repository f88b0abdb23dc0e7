import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ensureTokenKeys } from '../../../../../libs/access/src/service-token/token-keys.ts';
import { type Certified, issueCertificate, newAuthority } from '../../certificates.ts';
import { OperatorError } from '../operator-connection.ts';
import type { SecretFolder } from './secret-folder.ts';
import type { EnvironmentName } from './wanted-secrets.ts';

const authorityDays = 3_650;
const certificateDays = 90;
/** Entries that follow `keep/token-keys`, where `keys renew` and `operators revoke` change them. */
const isTokenKey = /\/(service-token-private-key|service-public-keys|operator-public-keys|operator-revocations)$/;
/** Has a certificate outside of the store, for its own team. Its calls to Paycode are the simulator's, so it is certified under that name too. */
const core = 'payment-core';
const coreAsCaller = 'payment-simulator';

interface PairOfFiles {
  crt: string;
  key: string;
}

/** Makes the value of each entry of the store: random, derived from another one, or given by somebody else. */
export class SecretValues {
  private readonly folder: SecretFolder;
  private readonly wanted: ReadonlySet<string>;

  /** `wanted`: every entry of the store; it says which services have a database role of their own beside the owner's. */
  constructor(folder: SecretFolder, wanted: ReadonlySet<string>) {
    this.folder = folder;
    this.wanted = wanted;
  }

  /** Keys of tokens, and the certificate that does not go into the store. */
  async prepare(): Promise<void> {
    ensureTokenKeys(join(this.folder.path, 'keep/token-keys'));
    await this.certificate({ crt: `keep/${core}.crt`, key: `keep/${core}.key` }, [...namesOf(core), coreAsCaller]);
  }

  /** The value of an entry, made on first use; undefined for one that another party gives. @throws OperatorError for an entry that nobody knows */
  async valueOf(entry: string): Promise<string | undefined> {
    const held = this.folder.read(`store/${entry}`);
    if (held !== undefined && !isTokenKey.test(entry)) return held;
    const value = await this.make(entry);
    if (value !== undefined && value !== held) this.folder.write(`store/${entry}`, value);
    return value;
  }

  private make(entry: string): Promise<string | undefined> | string | undefined {
    const [, owner = '', what = ''] = /^paycode\/([a-z-]+)\/([a-z-]+)$/.exec(entry) ?? [];
    if (giverOf(entry, this.folder.settings.environment) !== undefined) return undefined;
    const makers: Record<string, () => Promise<string | undefined> | string> = {
      'schema-owner-database-password': password,
      'database-password': password,
      'kafka-password': password,
      'schema-owner-database-url': () => this.databaseUrl(owner, '_owner', 'schema-owner-database-password'),
      'database-url': () => this.serviceUrl(owner),
      'portal-database-url': async () =>
        Object.assign(new URL(await this.serviceUrl(owner)), { pathname: 'paycode_portal' }).href,
      'service-token-private-key': () => this.tokenKey(`${owner}.pem`, entry),
      'service-public-keys': () => this.tokenKey('service-public-keys.json', entry),
      'operator-public-keys': () => this.tokenKey('operator-public-keys.json', entry),
      'operator-revocations': () => this.tokenKey('operator-revocations.json', entry),
      'mutual-tls-crt': async () => (await this.mutualTls(owner)).certificate,
      'mutual-tls-key': async () => (await this.mutualTls(owner)).key,
      'internal-ca-crt': async () => (await this.authority('internal-ca')).certificate,
      'tls-crt': async () => (await this.gatewayTls()).certificate,
      'tls-key': async () => (await this.gatewayTls()).key,
      'payload-keys': keyRing,
      'webhook-key-encryption-keys': keyRing,
      'key-encryption-keys': keyRing,
      'password-peppers': keyRing,
      'kafka-username': () => owner,
      'kafka-sasl': () => 'scram_sha512',
      'kafka-tls': () => 'enable',
    };
    const maker = makers[what];
    if (!maker) throw new OperatorError(`${entry}: no rule says how this entry of the store is made`);
    return maker();
  }

  /** The owner's URL for a service without a role of its own. */
  private serviceUrl(service: string): Promise<string> {
    const hasRole = this.wanted.has(`paycode/${service}/database-password`);
    return hasRole
      ? this.databaseUrl(service, '', 'database-password')
      : this.databaseUrl(service, '_owner', 'schema-owner-database-password');
  }

  private async databaseUrl(service: string, suffix: string, passwordEntry: string): Promise<string> {
    const name = `paycode_${service.replaceAll('-', '_')}`;
    const secret = await this.valueOf(`paycode/${service}/${passwordEntry}`);
    return `postgres://${name}${suffix}:${secret}@${this.folder.settings.databaseHost}/${name}?sslmode=verify-full`;
  }

  private tokenKey(file: string, entry: string): string {
    const text = this.folder.read(`keep/token-keys/${file}`);
    if (text === undefined) throw new OperatorError(`${entry}: its owner is no service that has a key`);
    return text;
  }

  private mutualTls(owner: string): Promise<Certified> {
    const at = `store/paycode/${owner}/mutual-tls`;
    return this.certificate({ crt: `${at}-crt`, key: `${at}-key` }, namesOf(owner));
  }

  private gatewayTls(): Promise<Certified> {
    const at = 'store/paycode/api-gateway/tls';
    return this.certificate({ crt: `${at}-crt`, key: `${at}-key` }, [this.folder.settings.host], 'gateway-ca');
  }

  /** Certificate and key belong together, so both are made or neither. */
  private async certificate(files: PairOfFiles, names: string[], authority = 'internal-ca'): Promise<Certified> {
    return (
      this.pair(files) ??
      this.stored(files, await issueCertificate(await this.authority(authority), { names, days: certificateDays }))
    );
  }

  private async authority(name: string): Promise<Certified> {
    const files = { crt: `keep/${name}.crt`, key: `keep/${name}.key` };
    return (
      this.pair(files) ??
      this.stored(files, await newAuthority(`CN=Paycode ${this.folder.settings.environment} ${name}`, authorityDays))
    );
  }

  private stored({ crt, key }: PairOfFiles, made: Certified): Certified {
    this.folder.write(key, made.key);
    this.folder.write(crt, made.certificate);
    return made;
  }

  private pair({ crt, key }: PairOfFiles): Certified | undefined {
    const held = { certificate: this.folder.read(crt), key: this.folder.read(key) };
    if (held.certificate === undefined && held.key === undefined) return undefined;
    if (held.certificate === undefined || held.key === undefined) {
      const [lost, kept] = held.key === undefined ? [key, crt] : [crt, key];
      throw new OperatorError(`${lost} is missing beside ${kept}: put it back, or delete both`);
    }
    return { certificate: held.certificate, key: held.key };
  }
}

const given: Record<string, string> = {
  'paycode/shared/kafka-ca-crt': "the authority of Kafka's certificates",
  'paycode/shared/postgres-ca-crt': "the authority of PostgreSQL's certificates",
  'paycode/shared/client-certificate-crt': "the authority of the certificate that merchants' servers ask for",
  'paycode/shared/client-certificate-key': 'the key of that certificate',
  'paycode/shared/client-certificate-ca-crt': 'that authority; the next one may stand behind it',
  'paycode/backup/access-key-id': 'who gave you the bucket of backups',
  'paycode/backup/secret-access-key': 'who gave you the bucket of backups',
  'paycode/recipient-messages/smtp-url': 'who runs the mail server',
  'paycode/recipient-messages/sms-url': 'who runs the SMSC or the SMS gateway',
};
const givenInProduction: Record<string, string> = {
  'paycode/api-gateway/tls-crt': 'an authority that your clients trust: certificate chain',
  'paycode/api-gateway/tls-key': 'the key of that certificate',
};

/** A further cell has a PostgreSQL of its own, somewhere. */
export function isDatabaseOfCell(entry: string): boolean {
  return /^paycode\/(webhook-dispatcher|reversal-scheduler)-[a-z0-9-]+\/database-url$/.test(entry);
}

/** Where an entry comes from that this command cannot make. */
export function giverOf(entry: string, environment: EnvironmentName): string | undefined {
  if (isDatabaseOfCell(entry)) return 'who runs the PostgreSQL of that cell';
  return given[entry] ?? (environment === 'production' ? givenInProduction[entry] : undefined);
}

function namesOf(owner: string): string[] {
  return [owner, `${owner}.paycode.svc`];
}

/** 192 bits, in characters that a URL takes as they are. */
function password(): string {
  return randomBytes(24).toString('base64url');
}

function keyRing(): string {
  return `k1:${randomBytes(32).toString('base64')}`;
}
