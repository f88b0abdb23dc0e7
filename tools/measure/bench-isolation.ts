/** `npm run bench:isolation [-- --quick]`: how merchants that do not answer affect healthy ones. */
import { runBench } from './bench/build-bench.ts';

await runBench('isolation', ['webhook-dispatcher', 'reversal-scheduler']);
