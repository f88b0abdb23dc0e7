/** `npm run bench:timers [-- --quick]`: how fast reversals are armed and how late they are decided, beside job queues. */
import { runBench } from './bench/build-bench.ts';

await runBench('timers', ['reversal-scheduler']);
