import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { RunningService } from '../boot';
import { type KnownRoute, listenerOfRoute, RouteTable } from '../http/guard-requests';

const hex = (character: string, upper: boolean): string => {
  const code = character.charCodeAt(0).toString(16);
  return `%${upper ? code.toUpperCase() : code}`;
};

/** Other spellings of a path; a router reads them as the same path or as an unknown one. */
function spellingsOf(path: string): string[] {
  const [, first = '', ...rest] = path.split('/');
  const withFirst = (segment: string): string => ['', segment, ...rest].join('/');
  return [
    path,
    ...[...first].map((character, at) => withFirst(first.slice(0, at) + hex(character, false) + first.slice(at + 1))),
    withFirst([...first].map(character => hex(character, true)).join('')),
    withFirst(first.toUpperCase()),
    withFirst(`.%2f${first}`),
    `/${path}`,
    `/.${path}`,
    `/public/..${path}`,
    `http://x${path}`,
    `https://user@x:1${path}`,
    `HTTP://x${withFirst(hex(first[0] ?? 'x', false) + first.slice(1))}`,
    `${path}?`,
    `${path};x=1`,
  ];
}

/** The path of a route with its parameters filled in. */
const example = ({ url }: KnownRoute): string => url.replaceAll(/:[^/]+/g, '1').replace('*', 'x');

/** True when the platform refused the request because of its listener, before any route ran. */
function isRefused({ status, head }: RawAnswer): boolean {
  return [400, 404].includes(status) && /^x-request-id: /im.test(head) && /^content-type: application\/json/im.test(head);
}

/** Proves over real sockets that no spelling of a target reaches a route of the other listener (T-27). */
export function describeListeners(running: () => Pick<RunningService, 'app' | 'ports'>): void {
  const routesOf = (listener: 'internal' | 'public'): KnownRoute[] =>
    RouteTable.of(running().app.getHttpAdapter().getInstance() as unknown as FastifyInstance).routes.filter(
      ({ url }) => listenerOfRoute(url) === listener,
    );
  const strayed = async (port: number, routes: KnownRoute[]): Promise<string[]> => {
    const found: string[] = [];
    for (const route of routes) {
      for (const target of spellingsOf(example(route))) {
        const answer = await rawRequest(port, route.method, target);
        if (!isRefused(answer)) found.push(`${route.method} ${target}: ${answer.status}`);
      }
    }
    return found;
  };

  it('no spelling of an internal route is served on the public listener (T-27)', async () => {
    const { public: open } = running().ports;
    const routes = routesOf('internal');
    expect(routes.map(({ url }) => url)).toEqual(expect.arrayContaining(['/metrics', '/health/live', '/health/ready']));
    if (open !== undefined) expect(await strayed(open, routes)).toEqual([]);
  });

  it('no spelling of a public route is served on the internal listener, which reads its own routes in all of them (T-27)', async () => {
    const { internal } = running().ports;
    expect(await strayed(internal, routesOf('public'))).toEqual([]);
    for (const target of ['/health/live', '/%68ealth/live', 'http://x/health/live', 'http://x/%68ealth/live'])
      expect([target, (await rawRequest(internal, 'GET', target)).status]).toEqual([target, 200]);
  });
}

export interface RawAnswer {
  status: number;
  /** Status line and header fields as they came. */
  head: string;
  body: string;
}

/** Sends bytes no HTTP client would send, and reads until the other side closes. */
export function rawExchange(port: number, request: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
    socket.on('data', chunk => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('end', () => socket.end());
    socket.once('close', () => {
      const [head = '', ...body] = Buffer.concat(chunks).toString().split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') });
    });
  });
}

/** A request with its target exactly as given; the connection closes after the answer. */
export function rawRequest(port: number, method: string, target: string): Promise<RawAnswer> {
  const lines = [`${method} ${target} HTTP/1.1`, 'host: test', 'connection: close', 'content-length: 0'];
  return rawExchange(port, `${lines.join('\r\n')}\r\n\r\n`);
}
