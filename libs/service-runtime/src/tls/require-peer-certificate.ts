import type { FastifyInstance } from 'fastify';
import { errorBody } from '../http/error-body.filter';
import { peerNamesOf } from './mutual-tls';

/** What kubelet and Prometheus ask, who have no certificate of ours. */
const openRoutes = ['/health/live', '/health/ready', '/metrics'];

/** On a TLS connection every request but probes and metrics needs a verified client certificate: 401 without. */
export function requirePeerCertificate(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const names = peerNamesOf(request.raw);
    if (names === undefined || names.length > 0 || openRoutes.includes(request.routeOptions.url ?? '')) return done();
    void reply.status(401).send(errorBody(request, { status: 401, message: 'a client certificate is required' }));
  });
}
