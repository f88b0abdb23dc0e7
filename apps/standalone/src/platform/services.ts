import type { TokenKeyFiles } from '@paycode/access/token-keys';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StandaloneEnv } from '../config/env';
import type { RunningDatabases } from '../database/database-server';
import type { HomeFolder } from '../home/home-folder';
import { operatorTokenLifetimeS, privateFile, type SecretFiles } from '../home/secrets';
import type { ServiceSpec } from '../processes/service-process';
import type { GatewayCertificate } from '../tls/gateway-certificate';
import type { PlatformPorts, ServiceName } from './ports';

export interface PlatformParts {
  /** Folder of the built apps, one folder each. */
  appsFolder: string;
  home: HomeFolder;
  env: StandaloneEnv;
  ports: PlatformPorts;
  databases: Pick<RunningDatabases, 'urls' | 'eventLogUrls' | 'eventLogOwnerUrl' | 'schemaOwnerUrls' | 'portalReaderUrls'>;
  secrets: SecretFiles;
  tokenKeys: TokenKeyFiles;
  certificate: GatewayCertificate;
  inspected?: Inspected | undefined;
}

/** A service that a debugger may attach to, and the port for it. */
export interface Inspected {
  service: string;
  port: number;
}

type Env = Record<string, string | undefined>;

/**
 * The order in which they stop: first the gateway, so that no new work comes in, then the services that work, then those that the others call.
 */
const stopOrder: ServiceName[] = [
  'api-gateway',
  'portal',
  'payment-simulator',
  'webhook-dispatcher',
  'reversal-scheduler',
  'recipient-messages',
  'notification-config',
  'auth-session',
];

/** Few connections each: one machine, one PostgreSQL. */
const poolMax: Partial<Record<ServiceName, string>> = {
  'webhook-dispatcher': '8',
  'reversal-scheduler': '8',
  'recipient-messages': '3',
  portal: '4',
};
const defaultPoolMax = '5';

/** A small young generation and one helper thread: an idle service uses 10 to 15 MiB less; under load it costs a few more scavenges. */
const smallFlags = ['--max-semi-space-size=2', '--v8-pool-size=1'];
/**
 * For services that no payment waits for: less memory at the cost of speed. With this flag the dispatcher would need 2.7 times the
 * CPU per webhook.
 */
const smallestFlags = [...smallFlags, '--optimize-for-size'];
const besidePayments: ReadonlySet<ServiceName> = new Set(['notification-config', 'recipient-messages', 'portal']);

/** The services to start, in the order in which they stop. */
export function serviceSpecs(parts: PlatformParts, inherited: Env): ServiceSpec[] {
  const settings = declaredSettings(parts.appsFolder);
  return stopOrder.map(name => ({
    name,
    script: join(parts.appsFolder, name, 'main.cjs'),
    preload: join(parts.appsFolder, 'standalone', 'end-with-parent.preload.cjs'),
    nodeFlags: nodeFlagsOf(name, parts.inspected),
    env: serviceEnvironment(settings[name], {
      inherited,
      given: { ...commonEnv(parts), ...ownAuthority(parts, inherited), ...ownEnv(name, parts) },
    }),
    internalUrl: internalUrlOf(parts.ports, name),
    logFile: join(parts.home.logs, `${name}.log`),
  }));
}

/** Relays of this platform are reached at its own address. Its authority can vouch for names of this machine only. */
function ownAuthority({ certificate }: PlatformParts, inherited: Env): Env {
  return {
    OUTBOUND_CA_FILE: inherited['OUTBOUND_CA_FILE'] ?? certificate.caFile,
    OUTBOUND_CLIENT_CERT_FILE: certificate.clientCertFile,
    OUTBOUND_CLIENT_KEY_FILE: certificate.clientKeyFile,
    OUTBOUND_CLIENT_CA_FILE: certificate.caFile,
  };
}

/** The debugger's port is open on this machine only, because a debugger controls the process. */
export function nodeFlagsOf(name: ServiceName, inspected: Inspected | undefined): string[] {
  const flags = besidePayments.has(name) ? smallestFlags : smallFlags;
  return name === inspected?.service ? [...flags, `--inspect=127.0.0.1:${inspected.port}`, '--enable-source-maps'] : flags;
}

/** Base URL of a service's internal listener. */
export function internalUrlOf(ports: PlatformPorts, name: ServiceName): string {
  return `http://127.0.0.1:${ports.services[name].internal}`;
}

function commonEnv({ appsFolder, env, ports, tokenKeys }: PlatformParts): Env {
  return {
    PAYCODE_ENVIRONMENT: 'sandbox',
    LISTEN_HOST: '127.0.0.1',
    LOG_LEVEL: env.LOG_LEVEL,
    // There is no second replica that clients could use.
    SHUTDOWN_LINGER_MS: '0',
    // An arena of malloc keeps its memory. One arena uses about 40 MiB less, over all services, than glibc's eight per core.
    MALLOC_ARENA_MAX: '1',
    // These return the memory of a start to the system. Without them glibc raises both limits itself, and keeps some 15 MiB.
    MALLOC_MMAP_THRESHOLD_: '131072',
    MALLOC_TRIM_THRESHOLD_: '131072',
    // Compiled code is kept between starts, beside the bundles.
    NODE_COMPILE_CACHE: join(dirname(appsFolder), 'compile-cache'),
    EVENTS_TRANSPORT: env.EVENTS_TRANSPORT,
    KAFKA_BROKERS: env.KAFKA_BROKERS.join(','),
    SERVICE_TOKEN_PUBLIC_KEYS_FILE: tokenKeys.servicePublicKeys,
    OPERATOR_TOKEN_PUBLIC_KEYS_FILE: tokenKeys.operatorPublicKeys,
    OPERATOR_TOKEN_REVOCATIONS_FILE: tokenKeys.operatorRevocations,
    OPERATOR_TOKEN_LIFETIME_MAX_S: String(operatorTokenLifetimeS),
    OUTBOUND_ALLOW: env.OUTBOUND_ALLOW.join(','),
    AUTH_SESSION_URL: internalUrlOf(ports, 'auth-session'),
    NOTIFICATION_CONFIG_URL: internalUrlOf(ports, 'notification-config'),
    WEBHOOK_DISPATCHER_URL: internalUrlOf(ports, 'webhook-dispatcher'),
    REVERSAL_SCHEDULER_URL: internalUrlOf(ports, 'reversal-scheduler'),
    RECIPIENT_MESSAGES_URL: internalUrlOf(ports, 'recipient-messages'),
    PAYMENT_SIMULATOR_URL: internalUrlOf(ports, 'payment-simulator'),
  };
}

function ownEnv(name: ServiceName, parts: PlatformParts): Env {
  const ports = parts.ports.services[name];
  return {
    // A service is started again only when its process has ended, and another run of the platform has other instances.
    INSTANCE_ID: randomUUID(),
    INTERNAL_PORT: String(ports.internal),
    PUBLIC_PORT: String(name === 'api-gateway' ? parts.ports.gateway : ports.public),
    ...databaseFiles(name, parts),
    SERVICE_TOKEN_PRIVATE_KEY_FILE: parts.tokenKeys.services[name],
    DATABASE_POOL_MAX: poolMax[name] ?? defaultPoolMax,
    ...specialEnv(name, parts),
  };
}

/** URLs of databases contain a password, so services get them as files, like other secrets. */
function databaseFiles(name: ServiceName, { home, databases }: PlatformParts): Env {
  const file = (what: string, urls: Partial<Record<ServiceName, string | undefined>>) =>
    privateFile(home, { name: `${what}-${name}`, text: urls[name] });
  return {
    DATABASE_URL_FILE: file('database-url', databases.urls),
    SCHEMA_OWNER_DATABASE_URL_FILE: file('schema-owner-url', databases.schemaOwnerUrls),
    PORTAL_DATABASE_URL_FILE: file('portal-database-url', databases.portalReaderUrls),
    EVENTS_DATABASE_URL_FILE: file('event-log-url', databases.eventLogUrls),
    EVENTS_OWNER_DATABASE_URL_FILE: file('event-log-owner-url', { 'reversal-scheduler': databases.eventLogOwnerUrl }),
  };
}

/** Settings for one service only; no other service gets these secrets. */
function specialEnv(name: ServiceName, { appsFolder, secrets, certificate, ports, home }: PlatformParts): Env {
  const publicUrl = (service: ServiceName) => `http://127.0.0.1:${ports.services[service].public}`;
  const special: Partial<Record<ServiceName, Env>> = {
    'auth-session': { PASSWORD_PEPPERS_FILE: secrets.passwordPeppers, KEY_ENCRYPTION_KEYS_FILE: secrets.authKeyEncryptionKeys },
    'notification-config': { KEY_ENCRYPTION_KEYS_FILE: secrets.webhookKeyEncryptionKeys },
    'webhook-dispatcher': {
      PAYLOAD_KEYS_FILE: secrets.payloadKeys,
      KEY_ENCRYPTION_KEYS_FILE: secrets.webhookKeyEncryptionKeys,
      SANDBOX_RELAYS_URL: `https://localhost:${ports.gateway}/public/relay/`,
    },
    'recipient-messages': {
      PAYLOAD_KEYS_FILE: secrets.payloadKeys,
      OUTBOX_FOLDER: home.outbox,
      PUBLIC_BASE_URL: `https://localhost:${ports.gateway}`,
    },
    'payment-simulator': { PAYLOAD_KEYS_FILE: secrets.payloadKeys, PUBLIC_BASE_URL: `https://localhost:${ports.gateway}` },
    portal: {
      PAYLOAD_KEYS_FILE: secrets.payloadKeys,
      KEY_ENCRYPTION_KEYS_FILE: secrets.portalKeyEncryptionKeys,
      PUBLIC_BASE_URL: `https://localhost:${ports.gateway}`,
    },
    'api-gateway': {
      SANDBOX_RELAY_KEY_FILE: secrets.sandboxRelayKey,
      SITE_FOLDER: join(dirname(appsFolder), 'site'),
      TLS_CERT_FILE: certificate.certificateFile,
      TLS_KEY_FILE: certificate.keyFile,
      AUTH_SESSION_PUBLIC_URL: publicUrl('auth-session'),
      NOTIFICATION_CONFIG_PUBLIC_URL: publicUrl('notification-config'),
      WEBHOOK_DISPATCHER_PUBLIC_URL: publicUrl('webhook-dispatcher'),
      PAYMENT_SIMULATOR_PUBLIC_URL: publicUrl('payment-simulator'),
      PORTAL_PUBLIC_URL: publicUrl('portal'),
    },
  };
  return special[name] ?? {};
}

/** Variables of Node and the operating system: paths, language, time zone, trusted authorities. */
const systemNames = ['HOME', 'LANG', 'LC_ALL', 'NODE_EXTRA_CA_CERTS', 'PATH', 'TMPDIR', 'TZ', 'UV_THREADPOOL_SIZE'];
/** Set by the platform only. */
const platformNames = ['NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_'];
/** Environment variables of a service in addition to its settings. */
export const processVariables: readonly string[] = [...systemNames, ...platformNames];

/** The variables that each service reads, as the build wrote them beside this program. */
function declaredSettings(appsFolder: string): Record<ServiceName, string[]> {
  return JSON.parse(readFileSync(join(appsFolder, 'standalone/service-settings.json'), 'utf8')) as Record<ServiceName, string[]>;
}

/**
 * The environment of a service: the settings that its `config/env.ts` declares, and no other variable of the shell, which may have
 * credentials of other programs. A value of the platform overrides one of the shell, also when the shell uses the `_FILE` spelling of a
 * secret or the reverse.
 */
export function serviceEnvironment(settings: readonly string[], { inherited, given }: { inherited: Env; given: Env }): Env {
  const declared = new Set(settings);
  const fromShell = pick(
    inherited,
    key => (declared.has(key) && given[`${key}_FILE`] === undefined) || systemNames.includes(key),
  );
  return { ...fromShell, ...pick(given, key => declared.has(key) || platformNames.includes(key)) };
}

function pick(source: Env, isWanted: (key: string) => boolean): Env {
  return Object.fromEntries(Object.entries(source).filter(([key, value]) => value !== undefined && isWanted(key)));
}
