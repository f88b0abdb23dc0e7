import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { SourceFinder } from './source-of.ts';

describe('the source of a place', () => {
  const later = undoneAfterEach();

  function bundle(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'paycode-source-'));
    later(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'packages.cjs');
    writeFileSync(file, text);
    return file;
  }

  it('in a bundle of packages is the module around it, whose name may be broken over two lines', () => {
    const url = bundle(
      'var a=1;var pg=__commonJS({"node_modules/pg/index.js"(){run()}});var u=__commonJS({"node_modules/un\\\ndici/index.js"(){run()}});',
    );
    const find = (lineNumber: number, columnNumber: number) => new SourceFinder().sourceOf({ url, lineNumber, columnNumber });
    expect(find(0, 4)).toBe('packages.cjs');
    expect(find(0, 55)).toBe('node_modules/pg/index.js');
    expect(find(1, 20)).toBe('node_modules/undici/index.js');
  });

  it('cannot be told of a bundle that names no module', () => {
    const url = bundle('run()');
    expect(() => new SourceFinder().sourceOf({ url, lineNumber: 0, columnNumber: 0 })).toThrow('names no module');
  });

  it("of Node's own code is its name", () => {
    expect(new SourceFinder().sourceOf({ url: 'node:net', lineNumber: 1, columnNumber: 1 })).toBe('node:net');
  });
});
