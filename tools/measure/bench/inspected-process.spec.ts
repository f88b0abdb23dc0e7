import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { ended, startNode } from './child-processes.ts';
import { inspectFlag, InspectedProcess } from './inspected-process.ts';

const mebibytes = 48;
/** When it is told to, it makes that many objects of a mebibyte, which are garbage at once. */
const script = `
  const rows = Array.from({ length: 131072 - 2 }, (_, at) => at);
  process.on('message', () => {
    for (let at = 0; at < ${mebibytes}; at++) rows.slice();
    process.send('done');
  });`;

describe('an inspected process', () => {
  const later = undoneAfterEach();

  it('tells what it allocated, of objects too that were collected since', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paycode-inspected-'));
    later(() => rmSync(folder, { recursive: true }));
    const [file, log] = [join(folder, 'allocates.cjs'), join(folder, 'log')];
    writeFileSync(file, script);
    const output = openSync(log, 'a');
    // The inspector announces itself on standard error.
    const child = startNode(file, [], { nodeFlags: [inspectFlag], output, hasChannel: true });
    later(() => ended(child, 'SIGKILL'));
    const inspected = await InspectedProcess.open(log);
    later(() => inspected.close());

    await inspected.startAllocations();
    await new Promise(resolve => child.once('message', resolve).send('go'));
    const allocated = (await inspected.stopAllocations()) / 2 ** 20;
    expect(allocated).toBeGreaterThan(mebibytes * 0.8);
    expect(allocated).toBeLessThan(mebibytes * 1.5);
  });
});
