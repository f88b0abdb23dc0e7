import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from './page.ts';

const root = join(import.meta.dirname, '../../..');
const protocol = 'docs/specification/settlement-protocol.md';
const casesFolder = 'tools/prove/faults/cases';

/** Differences of a case from the protocol's text, and its needs. */
const notes: Record<number, string> = {
  16: 'backends killed and servers restarted under load; on one machine both primaries are killed, or freeze and come back, and synchronous standbys take over',
  17: 'the lock is held for three leases',
  18: 'needs the right to mount a file system; Kafka needs Java',
  19: 'the clocks of the services; those of the database servers are not shifted. Needs libfaketime',
  20: 'the process is stopped (SIGSTOP), which blocks its loop at any place',
  30: "the request fits into the kernels' buffers, so it ends at the window, not at the write budget",
  31: 'without "unreachable": on one machine that is an error of its own routing table, and a fault of ours (P-T8)',
  36: 'in the clear and by ALPN',
  38: 'the REVERSED event is made by the case, with the id of a payment yet to come',
  40: 'bytes that are no JSON need Kafka; the log in PostgreSQL takes events only',
  44: 'dispatch window 8 s instead of 15 min',
  45: '1,000 hanging payments instead of 200/s for 10 min; the start delay of the others is printed, not asserted',
  46: '10,000 addresses behind one listener; descriptors are taken away with prlimit',
  48: 'two processes cannot have one id: each draws its own at its start',
  49: 'the throughput is printed, not asserted',
  51: 'one batch; the 6 hours run with FAULTS_SOAK_MINUTES=360',
  52: 'at the rate that the machine gives',
  53: 'four dispatchers; the receivers answer after both have begun to stop',
};

const head = `# Fault cases

Generated from the [settlement protocol](settlement-protocol.md) and \`${casesFolder}\` by \`npm run generate\`.

\`npm run test:faults\` plays every case with real service processes, real PostgreSQL and, where the case is about the events, real Kafka:
two dispatchers, two schedulers and the payment core, with relays on every way between them that hold a call or a statement at a point,
cut, stall or corrupt it. Durations are shortened (acknowledgement window 3 s instead of 45 s, lease 2 s instead of 10 s), proportions kept.
Each case ends with the exact audit over the databases and the receivers' logs. \`npm run test:faults -- --case 17\` plays one.

\`npm run test:faults -- --random --payments 10000 --seed 1\` completes payments while dispatchers, schedulers and the payment core are killed
(SIGKILL), stopped (SIGSTOP) and restarted at random. It prints and demands: acknowledged and reversed 0, undecided 0, reversed twice 0,
POSTed twice only where the process that sent the first POST was killed or stopped before the second.

With \`FAULTS_EVENTS=kafka\` every case has its events on Kafka; \`.ci/run\` plays those that kill dispatchers, break events and restore databases so.

A case that cannot run on a machine prints why and counts as skipped: without Java the event cases use the log in PostgreSQL.

| # | Fault | Expected | Played in | Here |
|---|---|---|---|---|
`;

/** The list of fault cases. @throws when a case of the protocol is played nowhere */
export function faultCasesPages(): Page[] {
  const files = filesByCase();
  const rows = protocolRows().map(({ number, fault, expected }) => {
    const played = files.get(number);
    if (!played) throw new Error(`F-${number} is played in no file of ${casesFolder}`);
    return `| F-${number} | ${fault} | ${expected} | ${played.map(file => `\`${file}\``).join(', ')} | ${notes[number] ?? ''} |\n`;
  });
  return [{ path: 'docs/specification/fault-cases.md', text: head + rows.join('') }];
}

function protocolRows(): { number: number; fault: string; expected: string }[] {
  const section = readFileSync(join(root, protocol), 'utf8').split('\n## 3.')[1]!.split('\n## ')[0]!;
  const rows = [...section.matchAll(/^\| F-(\d+) \| (.*?) \| (.*?) \|$/gm)];
  return rows.map(([, number, fault, expected]) => ({ number: Number(number), fault: fault!, expected: expected! }));
}

function filesByCase(): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const file of readdirSync(join(root, casesFolder)).sort()) {
    const text = readFileSync(join(root, casesFolder, file), 'utf8');
    const numbers = new Set(
      [...text.matchAll(/faultCase(?:Unless)?\((?:\s*\w+,)?\s*(\d+),/g)].map(([, number]) => Number(number)),
    );
    for (const number of numbers) found.set(number, [...(found.get(number) ?? []), file]);
  }
  return found;
}
