import { beforeCell, cellNameForm, cellNameRule } from '@paycode/dto';
import type { EnvKey, EnvOf } from '@paycode/service-runtime';

/** Keys of a service that publishes or consumes events. Spread them into the service's schema. */
export const eventsEnv = {
  EVENTS_TRANSPORT: {
    tier: 'must',
    type: 'enum',
    values: ['postgres', 'kafka'],
    default: 'postgres',
    description: 'Where events go: a log in PostgreSQL (one machine, nothing else to run), or Kafka.',
  },
  EVENTS_DATABASE_URL: {
    type: 'string',
    secret: true,
    default: null,
    description:
      'PostgreSQL URL of the event log, shared by all services; needed with EVENTS_TRANSPORT=postgres. A direct connection, not a transaction pooler.',
  },
  KAFKA_BROKERS: {
    tier: 'must',
    type: 'list',
    default: [],
    description: 'Bootstrap brokers as host:port; needed with EVENTS_TRANSPORT=kafka.',
  },
  KAFKA_TLS_CA_FILE: {
    tier: 'must',
    type: 'string',
    default: null,
    description: 'PEM file of the authority that signed the certificates of the brokers; when it is set, TLS is used.',
  },
  KAFKA_SASL_USERNAME: {
    tier: 'must',
    type: 'string',
    default: null,
    description: 'SCRAM-SHA-512 user; when it is set, SASL is used and TLS is required.',
  },
  KAFKA_SASL_PASSWORD: {
    tier: 'must',
    type: 'string',
    secret: true,
    default: null,
    description: 'Password of KAFKA_SASL_USERNAME.',
  },
} as const satisfies Record<string, EnvKey<unknown>>;

/** Of the one service that owns the event log in PostgreSQL. */
export const eventLogOwnerEnv = {
  EVENTS_OWNER_DATABASE_URL: {
    type: 'string',
    secret: true,
    default: null,
    description:
      'PostgreSQL URL of the event log under the role that owns it; used at start only, to migrate the log and to grant the role of each service (`paycode_<service>`) what it may write and read there. Unset: EVENTS_DATABASE_URL migrates, and every service that has it may write every event.',
  },
} as const satisfies Record<string, EnvKey<unknown>>;

/** Of the services that a cell has of its own (P-1.12). */
export const cellEnv = {
  CELL_NAME: {
    tier: 'must',
    type: 'string',
    default: null,
    form: { pattern: cellNameForm, rule: cellNameRule },
    description:
      'Name of the cell of this process in the map of cells. A cell called `main` keeps the consumer groups of a platform of one cell; every other one has groups of its own. Unset: the platform is one cell, and nothing asks for a map.',
  },
} as const satisfies Record<string, EnvKey<unknown>>;

/** The cell that goes on with the consumer groups of a platform of one cell. */
export const mainCell = 'main';

/** A name of a service or a group, by which those of the cells differ. */
export function nameInCell(name: string, cell: string | null | undefined): string {
  return !cell || cell === mainCell ? name : `${beforeCell(name)}${cell}`;
}

export type EventsEnv = EnvOf<typeof eventsEnv>;

/** Where events go, as the modules take it. */
export interface EventsOptions {
  transport: 'postgres' | 'kafka';
  /** URL of the event log in PostgreSQL; needed by that transport. */
  databaseUrl: string | null;
  /** URL of its owner, in the one service that migrates it and grants rights. */
  ownerUrl?: string | null;
  kafka: KafkaOptions;
  /** Default: the only one. */
  cell?: string | null;
}

export interface KafkaOptions {
  /** `host:port`; at least one with Kafka. */
  brokers: string[];
  caFile: string | null;
  username: string | null;
  password: string | null;
}

export function eventsOptionsOf(env: EventsEnv & Partial<EnvOf<typeof eventLogOwnerEnv & typeof cellEnv>>): EventsOptions {
  return {
    transport: env.EVENTS_TRANSPORT,
    databaseUrl: env.EVENTS_DATABASE_URL,
    ownerUrl: env.EVENTS_OWNER_DATABASE_URL,
    kafka: kafkaOptionsOf(env),
    cell: env.CELL_NAME,
  };
}

export function kafkaOptionsOf(env: EventsEnv): KafkaOptions {
  return {
    brokers: env.KAFKA_BROKERS,
    caFile: env.KAFKA_TLS_CA_FILE,
    username: env.KAFKA_SASL_USERNAME,
    password: env.KAFKA_SASL_PASSWORD,
  };
}
