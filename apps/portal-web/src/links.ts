import type { Routes } from './portal-api';

/** A call of the portal: its method and its path below /console/api. */
export type Route = keyof Routes;
/** Variables of the path, the query and the body. */
export type Given<R extends Route> = Omit<Routes[R], 'answer'>;
/** May be left out where nothing is required. */
export type Arguments<R extends Route> = object extends Given<R> ? [given?: Given<R>] : [given: Given<R>];

export interface Parts {
  path?: Record<string, string | number>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
}

/** The address of a call; of a file or events, which a browser reads by itself, too. */
export function linkTo<R extends Route>(route: R, ...[given]: Arguments<R>): string {
  const { path = {}, query = {} }: Parts = given ?? {};
  const named = route.split(' ')[1]!.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name]!));
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return `/console/api${named}${search === '' ? '' : `?${search}`}`;
}
