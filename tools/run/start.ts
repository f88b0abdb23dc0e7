/** `npm start`: builds what changed, then runs the whole platform in this process. */
import { enableCompileCache } from 'node:module';
import { buildWhatChanged, compileCache } from './start/build-what-changed.ts';

buildWhatChanged(line => process.stdout.write(`paycode: ${line}\n`));
enableCompileCache(compileCache);
const platform = '../../dist/apps/standalone/main.cjs';
await import(platform);
