/** `npm run bench:calls [-- --quick]`: payments that a payment core completes one per call, beside a hundred per call. */
import { runBench } from './bench/build-bench.ts';

await runBench('calls', ['payment-simulator', 'webhook-dispatcher', 'reversal-scheduler']);
