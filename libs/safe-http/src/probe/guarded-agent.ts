import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { bareHostname, type OutboundTarget } from '../policy/url-rules';
import type { DialOptions, DialTimings, OutboundGuard } from '../outbound-guard';

export interface GuardedAgentOptions extends DialOptions {
  guard: OutboundGuard;
  onDialled(socket: Socket, timings: DialTimings): void;
}

type Callback = (error: Error | null, socket?: Socket) => void;

/** An agent for Node's HTTP client whose connections the guard opens; connections are not reused. */
export function guardedAgent(protocol: OutboundTarget['protocol'], options: GuardedAgentOptions): HttpAgent | HttpsAgent {
  const agent = protocol === 'https:' ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const createConnection = (request: AgentOptions & { host?: string; port?: number | string }, callback: Callback) => {
    const target = { protocol, hostname: bareHostname(request.host ?? ''), port: Number(request.port) };
    options.guard.dial(target, options).then(
      ({ socket, timings }) => {
        options.onDialled(socket, timings);
        callback(null, socket);
      },
      (error: Error) => callback(error),
    );
  };
  return Object.assign(agent, { createConnection });
}
