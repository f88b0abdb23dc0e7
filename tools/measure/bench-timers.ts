/** `npm run bench -- timers [--quick]`: how fast reversals are armed and how late they are decided, compared with job queues. */
import { runBench } from './bench/build-bench.ts';

await runBench('timers', ['reversal-scheduler']);
