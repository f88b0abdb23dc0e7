/** `npm run bench:isolation [-- --quick]`: what healthy merchants notice of those that do not answer. */
import { runBench } from './bench/build-bench.ts';

await runBench('isolation', ['webhook-dispatcher', 'reversal-scheduler']);
