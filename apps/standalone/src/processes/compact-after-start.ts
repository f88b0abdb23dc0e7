import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const afterMs = 5_000;

/**
 * Gives back, once, what starting took. V8 collects when there is need, and a process that has little to do would keep some 20 MiB of
 * garbage for good. Costs one pause of some 0.1 s.
 */
export function compactAfterStart(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
  }, afterMs).unref();
}
