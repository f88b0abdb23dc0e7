/** `npm run bench -- portal [--quick]`: the portal's own pages over HTTP, with a million payments behind them. */
import { runBench } from './bench/build-bench.ts';

await runBench('portal', ['portal']);
