import { eventsEnv } from '@paycode/events/env';
import { defineEnv, type EnvOf } from '@paycode/service-runtime/env';

/** The database of the PostgreSQL transport is made by the platform itself. */
const { EVENTS_DATABASE_URL: _, ...kafkaEnv } = eventsEnv;

export const standaloneEnv = defineEnv({
  PAYCODE_HOME: {
    type: 'string',
    default: '.paycode',
    description: 'Folder that holds everything the standalone platform keeps: data, secrets, certificates, logs.',
  },
  PAYCODE_PORT: {
    type: 'integer',
    default: 8443,
    max: 65_535,
    description:
      'HTTPS port of the gateway; 0 takes a free one. Another port than the default moves the internal ports to free ones.',
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
      'Address ranges webhooks may go to besides public ones. Standalone allows this machine; everywhere else the list is empty (T-11).',
  },
  LOG_LEVEL: {
    type: 'enum',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    description: 'Least severe line that the services write to their log files.',
  },
});

export type StandaloneEnv = EnvOf<typeof standaloneEnv.schema>;

/** Reads the settings; of everything else in the environment each service gets what it declares. Throws EnvError. */
export function readEnvironment(): { env: StandaloneEnv; inherited: Record<string, string | undefined> } {
  return { env: standaloneEnv.read(process.env), inherited: { ...process.env } };
}
