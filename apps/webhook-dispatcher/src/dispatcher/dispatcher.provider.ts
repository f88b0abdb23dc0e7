import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { FactoryProvider } from '@nestjs/common';
import { userAgent } from '@paycode/safe-http';
import { assembleDispatcher, type DispatcherSettings, type Gathering } from './assemble-dispatcher';
import type { DispatcherOptions } from './dispatcher-options';
import { DISPATCHER } from './dispatcher.token';
import { ProcessPorts } from './process-ports';

/** Short for a delivery, and long enough that about a dozen share a call under load. */
const gathering: Gathering = { turn: () => setImmediate(), beforePostMs: 4, afterVerdictsMs: 20 };

/** The dispatcher of this process over real ports. */
export function dispatcherProvider(options: DispatcherOptions): FactoryProvider {
  return {
    provide: DISPATCHER,
    inject: [ProcessPorts],
    useFactory: (ports: ProcessPorts) => assembleDispatcher(ports.all, settingsOf(options)),
  };
}

function settingsOf({ window, ...options }: DispatcherOptions): DispatcherSettings {
  const { instance, shardLeaseMs, rules, slotsMax, heldMax, relaysUrl } = options;
  // Each start gets a new identity, because a restarted process does not know what its predecessor had in flight.
  const post = { ...window, userAgent };
  return { replica: randomUUID(), instance, shardLeaseMs, rules, post, slotsMax, heldMax, relaysUrl, gathering };
}
