/** Compares the time of kinds of requests: one connection, one request at a time, the kinds in turn. */
import { median } from '../bench/statistics.ts';
import { type Call, send } from './client.ts';

export interface Kind {
  name: string;
  status: number;
  /** The next request of this kind. */
  next(): Call;
}

export interface Timed {
  name: string;
  medianUs: number;
}

const warmUp = 50;

/** Median time of each kind, in microseconds. Throws when an answer is not the expected one. */
export async function timeInTurn(kinds: Kind[], rounds: number): Promise<Timed[]> {
  const times = kinds.map((): number[] => []);
  for (let round = 0; round < rounds + warmUp; round++) {
    // Rotated, so that no kind always follows the same other one.
    for (let i = 0; i < kinds.length; i++) {
      const at = (i + round) % kinds.length;
      const elapsedUs = await timeOf(kinds[at]!);
      if (round >= warmUp) times[at]!.push(elapsedUs);
    }
  }
  return kinds.map(({ name }, i) => ({ name, medianUs: Math.round(median(times[i]!)) }));
}

async function timeOf({ name, status, next }: Kind): Promise<number> {
  const call = next();
  const startedAt = performance.now();
  const answer = await send(call);
  const elapsedMs = performance.now() - startedAt;
  if (answer.status !== status) throw new Error(`${name}: expected ${status}, got ${answer.status}`);
  return elapsedMs * 1_000;
}
