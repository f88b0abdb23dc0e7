import type { EnvSchema } from '@paycode/service-runtime/env';

export interface ReadyFacts {
  baseUrl: string;
  caFile: string;
  /** The home folder. */
  home: string;
  database: string;
  events: string;
  /** A merchant account that may make payment codes. */
  username: string;
  password: string;
  /** A person of the portal who may change things. */
  person: { email: string; password: string };
  afterMs: number;
}

/** Text for the user when the platform is ready: what to do next, with commands that work as printed. */
export function readyText(facts: ReadyFacts): string {
  const curl = `curl --cacert ${quoted(facts.caFile)}`;
  const here = facts.home === '.paycode' ? '' : `PAYCODE_HOME=${quoted(facts.home)} `;
  return `
Paycode is ready on ${facts.baseUrl} (after ${(facts.afterMs / 1_000).toFixed(1)} s; ${facts.database}; events by ${facts.events}).

The portal: ${facts.baseUrl}/console/ (the browser warns of the certificate)
  sign in as ${facts.person.email} with ${facts.person.password}
The documentation, with search: ${facts.baseUrl}/docs/

Next steps, in another terminal:

  ${here}npm run demo
      watch one payment being settled and one being reversed

  ${curl} -u '${facts.username}:${facts.password}' -H 'Content-Type: application/json' \\
    -d '{"merchantReference":"sale-'$(date +%s)'","amount":25.50,"currencyCode":"ZAR"}' ${facts.baseUrl}/pluto/code/create
      make a payment code; open the codeUrl it answers in a browser (it warns of the certificate) and pay it

  ${here}npm run -s paycode -- --help
      what an operator can see and do

Kept in ${facts.home}: accounts with their passwords (standalone.json), logs/, and what was e-mailed and texted (outbox/).
Ctrl-C stops it; npm start goes on where it was; npm start -- --fresh begins anew.
`;
}

/** Quotes a path for a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

export function helpText(schema: EnvSchema): string {
  const keys = Object.entries(schema).map(([key, spec]) => `  ${key.padEnd(26)}${spec.description}${defaultText(spec.default)}`);
  return `npm start [-- [--fresh] [--one-process] [--inspect <service> [--inspect=<port>]]]

Runs the whole platform on this machine with nothing but Node.

  --fresh           throw away what was kept and begin anew
  --one-process     run all services in one process: less memory, but what ends one ends all
  --inspect NAME    let a debugger attach to this service, on 127.0.0.1:9229
  --inspect=PORT    with --inspect NAME: on that port
  --help            this text

Environment:
${keys.join('\n')}
`;
}

function defaultText(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? ` Default: ${value.join(',')}` : '';
  return typeof value === 'string' || typeof value === 'number' ? ` Default: ${value}` : '';
}

export function homeInUseText(home: string, pid: string): string {
  return `Paycode already runs from ${home} (process ${pid}).
Use that one, or stop it (Ctrl-C in its terminal, or: kill ${pid}), or start a second one beside it:
  PAYCODE_HOME=.paycode-2 PAYCODE_PORT=9443 npm start`;
}

export function portInUseText(port: number): string {
  return `Port ${port} is in use by another program.
Stop that program, or take another port: PAYCODE_PORT=${port + 1_000 > 65_535 ? port - 1_000 : port + 1_000} npm start`;
}
