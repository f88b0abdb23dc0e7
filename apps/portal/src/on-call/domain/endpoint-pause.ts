import type { EndpointPause } from '@paycode/dto';

export type PortalPause = EndpointPause;

/** Host of an endpoint: what stands behind it, the name of a relay, is known to its owner only. */
export function endpointHost(endpoint: string): string {
  const { host, pathname } = new URL(endpoint);
  return pathname === '/' ? host : `${host}, a relay`;
}

export function portalPause(pause: EndpointPause): PortalPause {
  return { ...pause, endpoint: endpointHost(pause.endpoint), pausedBy: pause.pausedBy.replace(/^portal /, '') };
}
