import { parseArgs } from 'node:util';
import type { Inspected } from '../platform/services';

/** The command line has an unknown argument. */
export class UsageError extends Error {}

export interface CommandLine {
  isFresh: boolean;
  isHelp: boolean;
  /** All services run in this process. */
  isOneProcess: boolean;
  inspected: Inspected | undefined;
}

/** Node's own. */
const inspectPort = 9_229;

const options = {
  fresh: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  'one-process': { type: 'boolean', default: false },
  inspect: { type: 'string', multiple: true },
} as const;

/** Reads `npm start -- …`; `services`: those that `--inspect` may name. @throws UsageError */
export function readCommandLine(args: readonly string[], services: readonly string[]): CommandLine {
  const { fresh, help, inspect, 'one-process': isOneProcess } = parsed(args);
  if (inspect && isOneProcess)
    throw new UsageError('--inspect names the process of a service, which it has not with --one-process');
  return { isFresh: fresh, isHelp: help, isOneProcess, inspected: inspect && inspectedOf(inspect, services) };
}

/** `--inspect webhook-dispatcher`, and beside it the port as Node takes it: `--inspect=9230`. */
function inspectedOf(words: readonly string[], services: readonly string[]): Inspected {
  const [ports, names] = [words.filter(word => /^\d+$/.test(word)), words.filter(word => !/^\d+$/.test(word))];
  const [service, ...others] = names;
  const unknown = names.find(name => !services.includes(name));
  if (unknown !== undefined) throw new UsageError(`there is no service ${unknown} to inspect; there are ${services.join(', ')}`);
  if (service === undefined) throw new UsageError(`--inspect=${ports[0]} needs a service too: --inspect webhook-dispatcher`);
  if (others.length > 0 || ports.length > 1) throw new UsageError('--inspect takes one service and one port');
  const port = Number(ports[0] ?? inspectPort);
  if (port < 1 || port > 65_535) throw new UsageError(`--inspect=${port}: a port is a number from 1 to 65535`);
  return { service, port };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; npm start -- --help lists the options`, { cause: error });
  }
}
