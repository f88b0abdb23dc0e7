import { hash } from 'node:crypto';

/** Digest under which tries are counted. */
export const guessKeys = {
  pair: (identity: string, guesser: string): Buffer => digest('pair', identity, guesser),
  address: (guesser: string): Buffer => digest('address', guesser),
  account: (identity: string): Buffer => digest('account', identity),
  challenges: (guesser: string): Buffer => digest('challenges', guesser),
};

function digest(...parts: string[]): Buffer {
  return hash('sha256', JSON.stringify(parts), 'buffer');
}
