/** A fixed piece of work of the kind that a payment is: what it costs tells how fast a processor is at that moment. */
import { createCipheriv } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const record = JSON.stringify(
  Array.from({ length: 8 }, (_, at) => ({ id: at, name: `name ${at}`, amounts: [at, at * 2, at * 3] })),
);
const [key, nonce] = [Buffer.alloc(16, 7), Buffer.alloc(12, 9)];
const repeats = 400;
const everyMs = 200;

/** The result of `work`, and the microseconds of processor time that one such piece took meanwhile, on average. */
export async function calibrated<T>(work: () => Promise<T>): Promise<{ result: T; pieceUs: number }> {
  // The first ones run uncompiled.
  for (let at = 0; at < 10; at++) pieceUsNow();
  let isOver = false;
  const working = work().finally(() => (isOver = true));
  const pieces = [pieceUsNow()];
  while (!isOver) {
    await Promise.race([pause(everyMs), working]);
    pieces.push(pieceUsNow());
  }
  return { result: await working, pieceUs: pieces.reduce((sum, us) => sum + us, 0) / pieces.length };
}

function pieceUsNow(): number {
  const before = process.cpuUsage();
  let bytes = 0;
  for (let at = 0; at < repeats; at++) {
    const sealed = createCipheriv('aes-128-gcm', key, nonce).update(JSON.stringify(JSON.parse(record)));
    bytes += sealed.toString('base64').length;
  }
  const { user, system } = process.cpuUsage(before);
  if (bytes === 0) throw new Error('nothing was done');
  return (user + system) / repeats;
}
