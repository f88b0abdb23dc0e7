import { eventsEnv } from '@paycode/events/env';
import { defineEnv, type EnvOf } from '@paycode/service-runtime/env';

/** The database of the PostgreSQL transport is made by the platform itself. */
const { EVENTS_DATABASE_URL: _, ...kafkaEnv } = eventsEnv;

export const standaloneEnv = defineEnv({
  PAYCODE_HOME: {
    type: 'string',
    default: '.paycode',
    description: 'Folder for all data of the standalone platform: databases, secrets, certificates, logs.',
  },
  PAYCODE_PORT: {
    type: 'integer',
    default: 8443,
    max: 65_535,
    description:
      'HTTPS port of the gateway; 0 selects a free one. With a port other than the default, the internal ports are free ones too.',
  },
  DATABASE_URL: {
    type: 'string',
    secret: true,
    default: null,
    description: 'PostgreSQL server to use instead of the embedded one; its user must be allowed to create databases.',
  },
  ...kafkaEnv,
  OUTBOUND_ALLOW: {
    type: 'list',
    default: ['127.0.0.0/8', '::1/128'],
    description:
      'Address ranges that webhooks may go to besides public ones. Standalone allows this machine; elsewhere the list is empty (T-11).',
  },
  LOG_LEVEL: {
    type: 'enum',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    description: 'Lowest level of the lines that the services write to their log files.',
  },
});

export type StandaloneEnv = EnvOf<typeof standaloneEnv.schema>;

/** Packages read variables too: the database driver those of other projects (`PGSSLMODE`), for example. */
export function leaveVariables(names: readonly string[]): void {
  for (const key of Object.keys(process.env)) if (!names.includes(key)) delete process.env[key];
}

/** Reads the settings. Of the rest of the environment each service gets only what it declares. Throws EnvError. */
export function readEnvironment(): { env: StandaloneEnv; inherited: Record<string, string | undefined> } {
  return { env: standaloneEnv.read(process.env), inherited: { ...process.env } };
}
