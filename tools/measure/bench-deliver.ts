/** `npm run bench:deliver [-- --quick]`: webhooks per second through the whole path, compared with job queues and a bare loop. */
import { runBench } from './bench/build-bench.ts';

await runBench('deliver', ['webhook-dispatcher', 'reversal-scheduler']);
