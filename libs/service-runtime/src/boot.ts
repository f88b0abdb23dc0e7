import { X509Certificate } from 'node:crypto';
import type { Server } from 'node:http';
import type { DynamicModule, Type } from '@nestjs/common';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { type RuntimeEnv, type RuntimeOptions, runtimeOptionsOf } from './base-env';
import { EnvError, type EnvDefinition, type EnvOf, type EnvSchema } from './env';
import { Lifecycle } from './health/readiness';
import { closeListener, createListener, leaveConnections, listen } from './http/listeners';
import { createLogger, type Logger } from './logger';
import { collectProcessMetricsOnce, scrapedGauge } from './metrics/collectors';
import { isOneOfSeveral } from './metrics/several-services';
import { createServiceApp } from './runtime.module';
import { MutualTls } from './tls';
import type { PaymentTracing } from './tracing/payment-tracing';
import { startTracing } from './tracing/start-tracing';

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

/** Interface of the process that runs a service together with others. */
export interface ServiceHost {
  /** File for its log lines. */
  logDescriptor: number;
  /** Work in progress did not end within the grace time. */
  stopTimedOut(): void;
}

/** A service as the owner of a process that runs several starts it. */
export interface HostedService {
  /** Throws EnvError, or what kept it from starting. */
  start(source: Record<string, string | undefined>, host: ServiceHost): Promise<Pick<RunningService, 'stop'>>;
}

const ownProcess: ServiceHost = { logDescriptor: 1, stopTimedOut: () => process.exit(1) };

/**
 * Starts a service: environment, application, both listeners, event consumers; stops it on SIGTERM and SIGINT. With the argument `migrate` it
 * only brings the database up to date and ends. Exits 1 with every problem named when the environment is not usable or anything fails to start.
 * In a process that runs several services it does nothing: the owner of that process starts what it returns.
 */
export function bootService<S extends EnvSchema>(definition: ServiceDefinition<S>): HostedService {
  if (!isOneOfSeveral()) void bootProcess(definition);
  return { start: (source, host) => startService(definition, source, host) };
}

async function bootProcess<S extends EnvSchema>(definition: ServiceDefinition<S>): Promise<void> {
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
  host: ServiceHost = ownProcess,
): Promise<RunningService> {
  const env = definition.env.read(source);
  const runtime = runtimeOptionsOf(env as unknown as RuntimeEnv);
  const logger = createLogger(definition.name, runtime.logLevel, host.logDescriptor);
  collectProcessMetricsOnce();
  observeClock();
  const tracing = await tracingOf(definition.name, runtime.tracing, logger);
  const app = await createServiceApp(definition.module(env, logger), logger, tracing);
  if (definition.events) app.connectMicroservice({ strategy: definition.events(app) }, { inheritAppConfig: false });
  await app.init();
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  await fastify.ready();
  const onRefused = (error: Error) =>
    logger.error({ event: 'certificate-refused', reason: error.message }, 'a certificate file has changed and is not usable');
  const tls = MutualTls.ofFiles(runtime.mutualTls, onRefused);
  if (tls) observeCertificate(tls);
  const listeners = await openListeners(fastify, { ...runtime.listeners, tls }, definition.hasPublicPaths);
  if (definition.events) await app.startAllMicroservices();
  logger.info({ event: 'started', ports: listeners.map(portOf) }, 'service started');
  let stopping: Promise<void> | undefined;
  const [internal, open] = listeners.map(portOf);
  return {
    app,
    ports: { internal: internal!, public: open },
    stop: signal => (stopping ??= stopService({ app, listeners, logger, tracing, shutdown: runtime.shutdown, signal, host })),
  };
}

function tracingOf(service: string, options: RuntimeOptions['tracing'], logger: Logger): Promise<PaymentTracing> {
  return startTracing({
    service,
    ...options,
    onExportFailed: code => logger.warn({ event: 'traces-not-exported', code }, 'the trace collector did not accept spans'),
  });
}

/** A wrong clock makes no error by itself: tokens expire, and notifications carry a wrong time. Prometheus compares it with its own. */
function observeClock(): void {
  const help = 'Unix time of the clock of this process.';
  scrapedGauge({ name: 'paycode_service_runtime_clock_timestamp_seconds', help }, gauge => gauge.set(Date.now() / 1_000));
}

/** When the certificate in use ends, which the service shows to other services. */
function observeCertificate(tls: MutualTls): void {
  const help = 'Unix time at which the certificate for calls between services ends.';
  scrapedGauge({ name: 'paycode_service_runtime_certificate_not_after_timestamp_seconds', help }, gauge =>
    gauge.set(new X509Certificate(tls.current.cert).validToDate.getTime() / 1_000),
  );
}

async function openListeners(
  fastify: FastifyInstance,
  { host, internalPort, publicPort, tls }: RuntimeOptions['listeners'] & { tls: MutualTls | undefined },
  hasPublicPaths: boolean,
): Promise<Server[]> {
  const internal = createListener('internal', fastify, tls);
  await listen(internal, { host, port: internalPort });
  if (!hasPublicPaths) return [internal];
  const open = createListener('public', fastify, tls);
  await listen(open, { host, port: publicPort });
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
  shutdown: RuntimeOptions['shutdown'];
  signal: string;
  host: ServiceHost;
}

/** Order: not ready -> drain work in progress (listeners still answer) -> close listeners -> close the application -> last spans. */
async function stopService({ app, listeners, logger, tracing, shutdown, signal, host }: Stopping): Promise<void> {
  logger.info({ event: 'stopping', signal }, 'service stopping');
  const deadline = setTimeout(() => {
    logger.error({ event: 'stop-timeout' }, 'work in progress did not end within the grace time');
    host.stopTimedOut();
  }, shutdown.graceMs);
  deadline.unref();
  listeners.forEach(leaveConnections);
  for (const { name, error } of await app.get(Lifecycle).drain()) logger.error({ source: name, err: error }, 'drain failed');
  // SIGTERM means that the replica is replaced and its clients move to another one; after Ctrl-C a person waits.
  const lingerMs = signal === 'SIGTERM' ? shutdown.lingerMs : 0;
  await Promise.all(listeners.map(listener => closeListener(listener, lingerMs)));
  await app.close();
  await tracing.stop();
  clearTimeout(deadline);
  logger.info({ event: 'stopped' }, 'service stopped');
}
