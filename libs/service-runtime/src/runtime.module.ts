import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { requestIdHeader } from '@paycode/dto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HealthController } from './health/health.controller';
import { Lifecycle } from './health/readiness';
import { ErrorBodyFilter } from './http/error-body.filter';
import { answerUnroutable, guardRequests, listenerOfRoute } from './http/guard-requests';
import { decodeBody, parseJsonBody } from './http/request-text';
import { validationPipe } from './http/validation';
import { type Logger, NestLogger } from './logger';
import { noTracing, PaymentTracing } from './tracing/payment-tracing';

const wellFormedRequestId = /^[A-Za-z0-9._-]{8,64}$/;
const bodyBytesMax = 262_144;
/** Batched calls between services may be larger than requests from outside, which the gateway limits. */
const internalBodyBytesMax = 8_388_608;

/** The client's request id when it is well formed, otherwise a new one. */
export function requestIdOf(header: unknown): string {
  return typeof header === 'string' && wellFormedRequestId.test(header) ? header : randomUUID();
}

/** The Nest application of a service: Fastify, strict JSON bodies, one error body, request ids. Not listening yet. */
export async function createServiceApp(
  module: Type | DynamicModule,
  logger: Logger,
  tracing?: PaymentTracing,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers[requestIdHeader]),
    bodyLimit: internalBodyBytesMax,
    routerOptions: { maxParamLength: 512 },
    exposeHeadRoutes: false,
    frameworkErrors: answerUnroutable,
  });
  const app = await NestFactory.create<NestFastifyApplication>(RuntimeModule.forRoot(module, logger, tracing), adapter, {
    logger: new NestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  app.useGlobalFilters(new ErrorBodyFilter(logger));
  app.useGlobalPipes(validationPipe());
  harden(app.getHttpAdapter().getInstance() as unknown as FastifyInstance);
  return app;
}

const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data'];

function harden(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request: FastifyRequest, body, done) => {
    try {
      done(null, parseBody(request, body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.addContentTypeParser(formTypes, { parseAs: 'buffer' }, ({ routeOptions }, _body, done) => {
    if (routeOptions.config.isBodyIgnored) return done(null);
    // As Fastify itself refuses a type without a parser.
    done(Object.assign(new Error('Unsupported Media Type'), { statusCode: 415 }));
  });
  // By the route and not after parsing, so that a client cannot make a public listener keep what only internal calls may send.
  fastify.addHook('onRoute', route => {
    if (listenerOfRoute(route.url) === 'public') route.bodyLimit = bodyBytesMax;
  });
  guardRequests(fastify);
  answerHead(fastify);
}

/**
 * Pages and images for everybody are also answered to HEAD, which link scanners and caches send. Other paths are not: a GET of the API may
 * acknowledge a payment, and by HEAD nobody would see the notification.
 */
function answerHead(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', route => {
    if (route.method === 'GET' && route.url.startsWith('/public/')) fastify.route({ ...route, method: 'HEAD' });
  });
}

function parseBody(request: FastifyRequest, body: Buffer): unknown {
  const text = decodeBody(body);
  (request as FastifyRequest & { rawBody?: string }).rawBody = text;
  return text === '' ? undefined : parseJsonBody(text, request.routeOptions.config.multilineFields);
}

/** Injection token of the service's logger (a pino instance). */
export const LOGGER = Symbol('LOGGER');

/** Gives every provider the logger, the lifecycle and tracing, and serves probes and metrics. */
@Global()
@Module({})
class RuntimeModule {
  /** The root of a service's application, with `service` inside it. */
  static forRoot(service: Type | DynamicModule, logger: Logger, tracing: PaymentTracing = noTracing): DynamicModule {
    return {
      module: RuntimeModule,
      imports: [service],
      controllers: [HealthController],
      providers: [Lifecycle, { provide: LOGGER, useValue: logger }, { provide: PaymentTracing, useValue: tracing }],
      exports: [Lifecycle, LOGGER, PaymentTracing],
    };
  }
}
