import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errorBody } from '../http/error-body.filter';
import { listenerNameOf } from '../http/listeners';
import { peerNamesOf } from './mutual-tls';

/** Routes for kubelet and Prometheus, which have no certificate of the platform. */
const openRoutes = ['/health/live', '/health/ready', '/metrics'];
/**
 * The only caller of public listeners, which has authenticated the client. A proxy in its place has a certificate of
 * that name.
 */
const gatewayName = 'api-gateway';

/**
 * On a TLS connection every request but probes and metrics needs a verified client certificate: 401 without. On a public listener it must be the
 * gateway's: 403 for any other. On an internal listener the table of internal calls decides who may call a route.
 */
export function requirePeerCertificate(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const refusal = refusalOf(request);
    if (!refusal) return done();
    void reply.status(refusal.status).send(errorBody(request, refusal));
  });
}

function refusalOf(request: FastifyRequest): { status: number; message: string } | undefined {
  const names = peerNamesOf(request.raw);
  if (names === undefined || openRoutes.includes(request.routeOptions.url ?? '')) return undefined;
  if (names.length === 0) return { status: 401, message: 'a client certificate is required' };
  if (listenerNameOf(request.raw) === 'internal' || names.includes(gatewayName)) return undefined;
  return { status: 403, message: 'this listener is for the gateway: the client certificate names another' };
}
