import type { EvaluationGround } from './evaluation-ground';

/** Where pods may never get: the address of clouds' metadata, private ranges, and the API server of the cluster. */
export const neverAllowed = ['169.254.169.254:80', '10.0.0.1:443', '10.96.0.1:443'];

export interface Ways {
  open: string[];
  /** Those of the addresses that the service's own settings name. */
  named: string[];
}
interface ServiceList {
  items: { metadata: { name: string }; spec: { ports: { port: number }[] } }[];
}

/** Tries every address at once, and says which answered. */
const tryAll = `
const { connect } = require('node:net');
const { readFileSync } = require('node:fs');
const open = address => new Promise(resolve => {
  const [host, port] = address.split(':');
  const socket = connect({ host, port: Number(port), timeout: 10_000 }, () => { socket.destroy(); resolve([address]); });
  socket.on('error', () => resolve([])).on('timeout', () => { socket.destroy(); resolve([]); });
});
const asked = process.argv.slice(1);
const { DATABASE_URL_FILE: file, KAFKA_BROKERS: brokers, ...env } = process.env;
const urls = Object.entries(env).filter(([key]) => /_URL$/.test(key) && key !== 'PUBLIC_BASE_URL').map(([, value]) => new URL(value).host);
const database = file ? [new URL(readFileSync(file, 'utf8')).hostname + ':5432'] : [];
const named = [...new Set([...urls, ...database, ...(brokers ? brokers.split(',') : [])])].filter(address => asked.includes(address));
Promise.all(asked.map(open)).then(found => console.log(JSON.stringify({ open: found.flat().sort(), named: named.sort() })));`;

/** From inside of a pod of the service. */
export function waysOf(ground: EvaluationGround, service: string, addresses: readonly string[]): Ways {
  return JSON.parse(ground.inPaycode('exec', `deployment/${service}`, '--', 'node', '-e', tryAll, ...addresses)) as Ways;
}

/** As `host:port` of every Service in the namespace of the services. */
export function serviceAddresses(ground: EvaluationGround): string[] {
  const { items } = JSON.parse(ground.inPaycode('get', 'services', '-o', 'json')) as ServiceList;
  return items.flatMap(({ metadata, spec }) => spec.ports.map(({ port }) => `${metadata.name}:${port}`)).sort();
}

/** No policy is between a pod and itself. */
export function addressesBut(service: string, addresses: readonly string[]): string[] {
  return addresses.filter(address => !address.startsWith(`${service}:`));
}
