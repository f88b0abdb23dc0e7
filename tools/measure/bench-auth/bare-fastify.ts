/** The floor: a Fastify route that reads the same JSON and answers as many bytes, and does nothing else. */
import { fastify } from 'fastify';

const answer = JSON.parse(process.argv[2]!) as unknown;
const app = fastify();
app.post('/internal/authorize', () => answer);
process.stdout.write(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
