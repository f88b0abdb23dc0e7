import { createServer } from 'node:net';
import { freePort } from '@paycode/persistence/embedded';

/** Default ports: internal listener and, where a service has public paths, the listener the gateway routes to. */
const defaults = {
  'auth-session': { internal: 3101, public: 3201 },
  'notification-config': { internal: 3102, public: 3202 },
  'webhook-dispatcher': { internal: 3103, public: 3203 },
  'reversal-scheduler': { internal: 3104 },
  'payment-simulator': { internal: 3105, public: 3205 },
  'recipient-messages': { internal: 3106 },
  portal: { internal: 3107, public: 3207 },
  'api-gateway': { internal: 3100 },
} as const;

export const defaultGatewayPort = 8443;

export type ServiceName = keyof typeof defaults;
export const serviceNames = Object.keys(defaults) as ServiceName[];

export interface ServicePorts {
  internal: number;
  /** 0: the service has no public paths (the gateway's own port is `gateway`). */
  public: number;
}

export interface PlatformPorts {
  gateway: number;
  services: Record<ServiceName, ServicePorts>;
}

/** Another program uses the requested port. */
export class PortInUseError extends Error {
  constructor(readonly port: number) {
    super(`port ${port} is in use`);
    this.name = 'PortInUseError';
  }
}

/**
 * The gateway's port must be free. Internal ports are the documented ones when the gateway has its default port, and free ones otherwise,
 * so that two platforms can run side by side; a documented port that is taken is replaced too.
 */
export async function choosePorts(gatewayPort: number): Promise<PlatformPorts> {
  const taken = new Set<number>();
  const gateway = gatewayPort === 0 ? await anotherPort(taken) : gatewayPort;
  if (!(await isFree(gateway))) throw new PortInUseError(gateway);
  taken.add(gateway);
  const choose = async (wanted: number): Promise<number> => {
    const usable = gatewayPort === defaultGatewayPort && !taken.has(wanted) && (await isFree(wanted));
    const port = usable ? wanted : await anotherPort(taken);
    taken.add(port);
    return port;
  };
  const services = {} as Record<ServiceName, ServicePorts>;
  for (const name of serviceNames) {
    const wanted: { internal: number; public?: number } = defaults[name];
    services[name] = { internal: await choose(wanted.internal), public: wanted.public ? await choose(wanted.public) : 0 };
  }
  return { gateway, services };
}

async function anotherPort(taken: Set<number>): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (taken.has(port)) continue;
    taken.add(port);
    return port;
  }
}

/** Whether no process listens on the port, on any address that the services or the gateway bind. */
async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '::'));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      // No IPv6 on this machine: nothing can be listening there.
      else if (error.code === 'EAFNOSUPPORT' || error.code === 'EADDRNOTAVAIL') resolve(true);
      else reject(error);
    });
    probe.listen({ port, host }, () => probe.close(() => resolve(true)));
  });
}
