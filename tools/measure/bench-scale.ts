/**
 * `npm run bench -- scale [--quick] [--replicas 1,8]`: 1, 2, 4 and 8 dispatchers with equal shares of a processor, skewed merchants, joins and leaves; beside
 * each figure what the queueing simulation says. `-- --simulate`: the simulation alone, at 1,000 to 100,000 payments a second.
 */
import { runBench } from './bench/build-bench.ts';

await runBench('scale', ['webhook-dispatcher', 'reversal-scheduler']);
