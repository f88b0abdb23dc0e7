import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';

it('tells which run it belongs to, and waits to be killed', async () => {
  const told = { folder: tmpdir(), jest: process.ppid, database: process.env['PAYCODE_TEST_DATABASE_URL'] };
  writeFileSync(process.env['PLANTED']!, JSON.stringify(told));
  await once(createServer().listen(0, '127.0.0.1'), 'close');
  expect(told.database).toBeDefined();
}, 600_000);
