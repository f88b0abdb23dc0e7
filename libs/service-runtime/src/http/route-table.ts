import type { FastifyInstance, RouteOptions } from 'fastify';
import type { ListenerName } from './listeners';

export interface KnownRoute {
  method: string;
  /** Pattern as it was registered, e.g. `/public/pay/:code`. */
  url: string;
}

const internalPattern = /^\/(internal|health|metrics)(\/|$)/;

/** The listener of a route: /internal, /health and /metrics are never public (T-27). */
export function listenerOfRoute(url: string): ListenerName {
  return internalPattern.test(url) ? 'internal' : 'public';
}

const tables = new WeakMap<FastifyInstance, RouteTable>();

/** Every route of an application, in and outside Nest. */
export class RouteTable {
  readonly routes: KnownRoute[] = [];
  /** Methods of paths without a parameter. */
  private readonly literal = new Map<string, Set<string>>();

  /** Call before the first route is registered. */
  static watch(fastify: FastifyInstance): RouteTable {
    const table = new RouteTable();
    fastify.addHook('onRoute', route => table.add(route));
    tables.set(fastify, table);
    return table;
  }

  static of(fastify: FastifyInstance): RouteTable {
    return tables.get(fastify)!;
  }

  /** The methods of a public path, when no route matched the method of the request. */
  publicMethodsOf(target: string): string[] {
    const path = pathOf(target);
    const literal = this.literal.get(path);
    if (literal && listenerOfRoute(path) === 'public') return [...literal].sort();
    const found = this.routes.filter(({ url }) => listenerOfRoute(url) === 'public' && isOfPattern(path, url));
    return [...new Set(found.map(({ method }) => method))].sort();
  }

  /** Whether a route with a parameter was found only because the path itself, which is known, has no such method: `GET /code/create` is no code. */
  isTakenForParameter({ method, url }: KnownRoute, target: string): boolean {
    if (!url.includes(':')) return false;
    const methods = this.literal.get(pathOf(target));
    return methods !== undefined && !methods.has(method);
  }

  private add({ method, url }: RouteOptions): void {
    for (const each of [method].flat()) {
      this.routes.push({ method: each, url });
      if (!/[:*]/.test(url)) this.literal.set(url, (this.literal.get(url) ?? new Set()).add(each));
    }
  }
}

/** Path of a request target in origin or absolute form, decoded as the router decodes it. */
function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1)[0]!;
  try {
    return decodeURI(path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return path;
  }
}

/** Whether a path matches the pattern: `:name` matches one segment, `*` the rest. */
function isOfPattern(path: string, url: string): boolean {
  const [segments, wanted] = [path.split('/'), url.split('/')];
  const isRestFree = wanted.at(-1) === '*' && segments.length >= wanted.length;
  if (segments.length !== wanted.length && !isRestFree) return false;
  return wanted.every((name, at) => name === '*' || name === segments[at] || (name.startsWith(':') && segments[at] !== ''));
}
