import { dirname, join } from 'node:path';
import type { StandaloneEnv } from '../config/env';
import type { DatabaseUrls } from '../database';
import type { HomeFolder, SecretFiles } from '../home';
import type { ServiceSpec } from '../processes';
import type { GatewayCertificate } from '../tls';
import type { PlatformPorts, ServiceName } from './ports';

export interface PlatformParts {
  /** Folder of the built apps, one folder each. */
  appsFolder: string;
  home: HomeFolder;
  env: StandaloneEnv;
  ports: PlatformPorts;
  databases: DatabaseUrls;
  secrets: SecretFiles;
  certificate: GatewayCertificate;
}

type Env = Record<string, string | undefined>;

/** In the order in which they stop: the gateway takes no more work, then what works, then what is asked. */
const stopOrder: ServiceName[] = [
  'api-gateway',
  'payment-simulator',
  'webhook-dispatcher',
  'reversal-scheduler',
  'notification-config',
  'auth-session',
];

/** Few connections each: one machine, one PostgreSQL. */
const poolMax: Partial<Record<ServiceName, string>> = { 'webhook-dispatcher': '8', 'reversal-scheduler': '8' };
const defaultPoolMax = '5';

/** Small young generation: an idle service then holds some 10 MiB less; under load it costs a few more scavenges. */
const nodeFlags = ['--max-semi-space-size=8'];

/** What to start, in the order in which to stop. */
export function serviceSpecs(parts: PlatformParts, inherited: Env): ServiceSpec[] {
  return stopOrder.map(name => ({
    name,
    script: join(parts.appsFolder, name, 'main.cjs'),
    preload: join(parts.appsFolder, 'standalone', 'end-with-parent.preload.cjs'),
    nodeFlags,
    env: { ...passedOn(inherited), ...commonEnv(parts), ...ownEnv(name, parts) },
    internalUrl: internalUrlOf(parts.ports, name),
    logFile: join(parts.home.logs, `${name}.log`),
  }));
}

/** Base URL of a service's internal listener. */
export function internalUrlOf(ports: PlatformPorts, name: ServiceName): string {
  return `http://127.0.0.1:${ports.services[name].internal}`;
}

/** Settings of single services may be given to the whole platform; what npm adds for its scripts is not theirs. */
function passedOn(inherited: Env): Env {
  return Object.fromEntries(Object.entries(inherited).filter(([key]) => !key.startsWith('npm_') && key !== 'NODE_OPTIONS'));
}

function commonEnv({ appsFolder, env, ports, databases, secrets }: PlatformParts): Env {
  return {
    PAYCODE_ENVIRONMENT: 'sandbox',
    LISTEN_HOST: '127.0.0.1',
    LOG_LEVEL: env.LOG_LEVEL,
    // There is no second replica that clients could go on with.
    SHUTDOWN_LINGER_MS: '0',
    // Compiled code is kept between starts, beside the bundles.
    NODE_COMPILE_CACHE: join(dirname(appsFolder), 'compile-cache'),
    EVENTS_TRANSPORT: env.EVENTS_TRANSPORT,
    EVENTS_DATABASE_URL: databases.events,
    KAFKA_BROKERS: env.KAFKA_BROKERS.join(','),
    SERVICE_TOKEN_SECRETS_FILE: secrets.serviceTokenSecrets,
    OPERATOR_TOKEN_SECRETS_FILE: secrets.operatorTokenSecrets,
    OUTBOUND_ALLOW: env.OUTBOUND_ALLOW.join(','),
    AUTH_SESSION_URL: internalUrlOf(ports, 'auth-session'),
    NOTIFICATION_CONFIG_URL: internalUrlOf(ports, 'notification-config'),
    WEBHOOK_DISPATCHER_URL: internalUrlOf(ports, 'webhook-dispatcher'),
    REVERSAL_SCHEDULER_URL: internalUrlOf(ports, 'reversal-scheduler'),
    PAYMENT_SIMULATOR_URL: internalUrlOf(ports, 'payment-simulator'),
  };
}

function ownEnv(name: ServiceName, parts: PlatformParts): Env {
  const ports = parts.ports.services[name];
  return {
    INTERNAL_PORT: String(ports.internal),
    PUBLIC_PORT: String(name === 'api-gateway' ? parts.ports.gateway : ports.public),
    DATABASE_URL: name === 'api-gateway' ? undefined : parts.databases[name],
    DATABASE_POOL_MAX: poolMax[name] ?? defaultPoolMax,
    ...specialEnv(name, parts),
  };
}

/** Keys only one service reads: secrets go to nobody else. */
function specialEnv(name: ServiceName, { secrets, certificate, ports, home }: PlatformParts): Env {
  const publicUrl = (service: ServiceName) => `http://127.0.0.1:${ports.services[service].public}`;
  const special: Partial<Record<ServiceName, Env>> = {
    'auth-session': { PASSWORD_PEPPERS_FILE: secrets.passwordPeppers, KEY_ENCRYPTION_KEYS_FILE: secrets.authKeyEncryptionKeys },
    'notification-config': { KEY_ENCRYPTION_KEYS_FILE: secrets.webhookKeyEncryptionKeys },
    'webhook-dispatcher': {
      PAYLOAD_KEYS_FILE: secrets.payloadKeys,
      KEY_ENCRYPTION_KEYS_FILE: secrets.webhookKeyEncryptionKeys,
      OUTBOX_FOLDER: home.outbox,
    },
    'payment-simulator': { PAYLOAD_KEYS_FILE: secrets.payloadKeys, PUBLIC_BASE_URL: `https://localhost:${ports.gateway}` },
    'api-gateway': {
      TLS_CERT_FILE: certificate.certificateFile,
      TLS_KEY_FILE: certificate.keyFile,
      AUTH_SESSION_PUBLIC_URL: publicUrl('auth-session'),
      NOTIFICATION_CONFIG_PUBLIC_URL: publicUrl('notification-config'),
      WEBHOOK_DISPATCHER_PUBLIC_URL: publicUrl('webhook-dispatcher'),
      PAYMENT_SIMULATOR_PUBLIC_URL: publicUrl('payment-simulator'),
    },
  };
  return special[name] ?? {};
}
