/** `npm start`: builds what changed, then runs the whole platform in this process. */
import { buildWhatChanged } from './start/build-what-changed.ts';

buildWhatChanged(line => process.stdout.write(`paycode: ${line}\n`));
const platform = '../dist/apps/standalone/main.cjs';
await import(platform);
