import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Profile } from '../platform/profile-store';
import { accepted, optionsOf } from '../platform/send';
import type { Rehearsed } from './rehearsal';

/** A line of the relay. */
export type RelayLine =
  | { type: 'open'; path: string }
  | { type: 'notification'; id: string; headers: string[]; body: string }
  | { type: 'rehearsal'; scenario: Rehearsed }
  | { type: 'heartbeat' | 'again' | 'replaced' | 'closed' };

/** Three heartbeats of the relay. */
const silenceMs = 15_000;
const lineCharsMax = 2_097_152;

/**
 * Reads the lines of a relay until it ends or the connection is cut, which silence tells too.
 * @throws CommandError when the platform refuses, Error when the connection cannot be made
 */
export async function readRelay(
  profile: Profile,
  { name, signal }: { name: string; signal: AbortSignal },
  onLine: (line: RelayLine) => void,
) {
  const response = await opened(profile, name, signal);
  if (response.statusCode !== 200) {
    const text = Buffer.concat((await response.toArray()) as Buffer[]).toString('utf8');
    accepted('listen', { status: response.statusCode ?? 0, text });
  }
  await new Promise<void>(resolve => {
    const silence = setTimeout(() => response.destroy(), silenceMs);
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      silence.refresh();
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      if (rest.length > lineCharsMax) response.destroy();
      for (const line of lines) onLine(lineIn(line));
    });
    // A cut connection ends like any other: the caller makes a new one.
    response.on('error', () => undefined);
    response.once('close', () => {
      clearTimeout(silence);
      resolve();
    });
  });
}

/** Text that is no line of the relay, for example from a proxy in between, counts as a heartbeat. */
function lineIn(text: string): RelayLine {
  try {
    return JSON.parse(text) as RelayLine;
  } catch {
    return { type: 'heartbeat' };
  }
}

function opened(profile: Profile, name: string, signal: AbortSignal): Promise<IncomingMessage> {
  const {
    method,
    headers,
    ca,
    agent = false,
  } = optionsOf(profile, { method: 'GET', path: '', authorization: profile.authorization });
  return new Promise((resolve, reject) => {
    const outgoing = request(`${profile.url}/pluto/relay/${name}`, { method, headers, ca, signal, agent }, resolve);
    // Without an answer the wait is bounded too; afterwards the heartbeats are watched.
    const giveUp = setTimeout(() => outgoing.destroy(new Error('no answer')), silenceMs);
    outgoing.once('response', () => clearTimeout(giveUp));
    outgoing.once('close', () => clearTimeout(giveUp));
    outgoing.on('error', reject);
    outgoing.end();
  });
}
