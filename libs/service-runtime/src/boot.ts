import type { Server } from 'node:http';
import type { DynamicModule, Type } from '@nestjs/common';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type PaymentTracing, startTracing } from '@paycode/tracing';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics } from 'prom-client';
import { EnvError, type EnvDefinition, type EnvOf, type EnvSchema } from './env';
import { Lifecycle } from './health/readiness';
import { createServiceApp } from './http/create-app';
import { closeListener, createListener, leaveConnections, listen } from './http/listeners';
import { createLogger, type Logger } from './logger';
import { MutualTls, type MutualTlsFileNames } from './tls/mutual-tls';

interface RuntimeEnv extends MutualTlsFileNames {
  LISTEN_HOST: string;
  INTERNAL_PORT: number;
  PUBLIC_PORT: number;
  LOG_LEVEL: string;
  SHUTDOWN_GRACE_MS: number;
  SHUTDOWN_LINGER_MS: number;
  PAYCODE_ENVIRONMENT: string;
  /** Only services that payments pass through have these two. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | null;
  OTEL_TRACES_SAMPLER_ARG?: string;
}

export interface ServiceDefinition<S extends EnvSchema> {
  /** Project name, e.g. `auth-session`. */
  name: string;
  env: EnvDefinition<S>;
  /** The root module, built from the typed environment. */
  module(env: EnvOf<S>, logger: Logger): Type | DynamicModule;
  /** Whether the service has public paths. */
  hasPublicPaths: boolean;
  /** Of a service with a database: brings it to the schema of this release. */
  migrate?(source: Record<string, string | undefined>): Promise<void>;
  /** Event consumers: the strategy whose `@EventPattern` handlers start once the listeners answer. */
  events?(app: NestFastifyApplication): CustomTransportStrategy;
}

export interface RunningService {
  app: NestFastifyApplication;
  /** Bound ports; `public` only when the service has public paths. */
  ports: { internal: number; public?: number };
  /** Drains and stops; idempotent. */
  stop(signal: string): Promise<void>;
}

/**
 * Starts a service: environment, application, both listeners, event consumers; stops it on SIGTERM and SIGINT.
 * With the argument `migrate` it only brings the database up to date and ends.
 * Exits 1 with every problem named when the environment is not usable or anything fails to start.
 */
export async function bootService<S extends EnvSchema>(definition: ServiceDefinition<S>): Promise<void> {
  const logger = createLogger(definition.name);
  try {
    if (process.argv[2] === 'migrate') return await migrationOf(definition)(process.env);
    const service = await startService(definition, process.env);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => void service.stop(signal).then(() => process.exit(0)));
    }
  } catch (error) {
    if (error instanceof EnvError) process.stderr.write(`${definition.name}: ${error.message}\n`);
    else logger.fatal({ err: error }, 'service did not start');
    process.exit(1);
  }
}

function migrationOf<S extends EnvSchema>({ name, migrate }: ServiceDefinition<S>): NonNullable<typeof migrate> {
  if (!migrate) throw new Error(`${name} has no database to migrate`);
  return migrate;
}

/** `bootService` without control of the process, for tests and other owners of the process. */
export async function startService<S extends EnvSchema>(
  definition: ServiceDefinition<S>,
  source: Record<string, string | undefined>,
): Promise<RunningService> {
  const env = definition.env.read(source);
  const runtime = env as unknown as RuntimeEnv;
  const logger = createLogger(definition.name, runtime.LOG_LEVEL);
  collectDefaultMetricsOnce();
  const tracing = await tracingOf(definition.name, runtime, logger);
  const app = await createServiceApp(definition.module(env, logger), logger, tracing);
  if (definition.events) app.connectMicroservice({ strategy: definition.events(app) }, { inheritAppConfig: false });
  await app.init();
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  await fastify.ready();
  const onRefused = (error: Error) =>
    logger.error({ event: 'certificate-refused', reason: error.message }, 'a certificate file has changed and is not usable');
  const listeners = await openListeners(
    fastify,
    { ...runtime, tls: MutualTls.ofEnv(runtime, onRefused) },
    definition.hasPublicPaths,
  );
  if (definition.events) await app.startAllMicroservices();
  logger.info({ event: 'started', ports: listeners.map(portOf) }, 'service started');
  let stopping: Promise<void> | undefined;
  const [internal, open] = listeners.map(portOf);
  return {
    app,
    ports: { internal: internal!, public: open },
    stop: signal => (stopping ??= stopService({ app, listeners, logger, tracing, env: runtime, signal })),
  };
}

function tracingOf(service: string, env: RuntimeEnv, logger: Logger): Promise<PaymentTracing> {
  return startTracing({
    service,
    environment: env.PAYCODE_ENVIRONMENT,
    endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    sampledShare: env.OTEL_TRACES_SAMPLER_ARG ?? '1',
    onExportFailed: code => logger.warn({ event: 'traces-not-exported', code }, 'the trace collector did not accept spans'),
  });
}

let metricsCollected = false;
function collectDefaultMetricsOnce(): void {
  if (!metricsCollected) collectDefaultMetrics();
  metricsCollected = true;
}

async function openListeners(
  fastify: FastifyInstance,
  env: RuntimeEnv & { tls: MutualTls | undefined },
  hasPublicPaths: boolean,
): Promise<Server[]> {
  const internal = createListener('internal', fastify, env.tls);
  await listen(internal, { host: env.LISTEN_HOST, port: env.INTERNAL_PORT });
  if (!hasPublicPaths) return [internal];
  const open = createListener('public', fastify, env.tls);
  await listen(open, { host: env.LISTEN_HOST, port: env.PUBLIC_PORT });
  return [internal, open];
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

interface Stopping {
  app: NestFastifyApplication;
  listeners: Server[];
  logger: Logger;
  tracing: PaymentTracing;
  env: RuntimeEnv;
  signal: string;
}

/** Order: not ready -> drain work in progress (listeners still answer) -> close listeners -> close the application -> last spans. */
async function stopService({ app, listeners, logger, tracing, env, signal }: Stopping): Promise<void> {
  logger.info({ event: 'stopping', signal }, 'service stopping');
  const deadline = setTimeout(() => {
    logger.error({ event: 'stop-timeout' }, 'work in progress did not end within the grace time');
    process.exit(1);
  }, env.SHUTDOWN_GRACE_MS);
  deadline.unref();
  listeners.forEach(leaveConnections);
  for (const { name, error } of await app.get(Lifecycle).drain()) logger.error({ source: name, err: error }, 'drain failed');
  // SIGTERM means that the replica is replaced and its clients move to another one; after Ctrl-C a person waits.
  const lingerMs = signal === 'SIGTERM' ? env.SHUTDOWN_LINGER_MS : 0;
  await Promise.all(listeners.map(listener => closeListener(listener, lingerMs)));
  await app.close();
  await tracing.stop();
  clearTimeout(deadline);
  logger.info({ event: 'stopped' }, 'service stopped');
}
