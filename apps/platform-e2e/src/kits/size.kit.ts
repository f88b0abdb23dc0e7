import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { kitsFolder } from './receiver-kit';

interface Size {
  /** Receiver, notification, answers, errors, the store's interface and FileStore: a merchant reads these before using the kit. */
  receiving: number;
  client: number;
  /** A JSON parser, where the language's standard library has none. */
  parser?: number;
}

const usual: Size = { receiving: 300, client: 150 };
/** Most lines of each part; the reasons for more than the usual: docs/decisions/integrators.md#adr-0071. */
const limits: Record<string, Size> = {
  node: usual,
  python: usual,
  php: usual,
  ruby: usual,
  csharp: usual,
  java: { ...usual, parser: 110 },
  go: { receiving: 380, client: 225 },
};
const source = /\.(?:ts|py|go|java|php|rb|cs)$/;
const isBuilt = /(?:^|\/)(?:conform|frameworks|dist|target|vendor|node_modules|obj|bin)\//;
const hasHashComments = /\.(?:py|rb)$/;

/** All lines but blank ones and those that hold nothing but a comment. A docstring of Python counts. */
function linesOf(file: string): number {
  const text = readFileSync(file, 'utf8').replace(/^\s*\/\*[^]*?\*\/[ \t]*$/gm, '');
  const comment = hasHashComments.test(file) ? /^\s*#/ : /^\s*\/\//;
  return text.split('\n').filter(line => line.trim() !== '' && !comment.test(line)).length;
}

function partOf(file: string): keyof Size | 'adapters' {
  const name = basename(file);
  if (/adapters/i.test(name)) return 'adapters';
  if (/client|UnexpectedAnswer/i.test(name)) return 'client';
  return name === 'Json.java' ? 'parser' : 'receiving';
}

function sizeOf(kit: string): Partial<Size> {
  const folder = join(kitsFolder, kit);
  const size: Partial<Record<ReturnType<typeof partOf>, number>> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!source.test(path) || isBuilt.test(path)) continue;
    const part = partOf(path);
    size[part] = (size[part] ?? 0) + linesOf(join(folder, path));
  }
  const { adapters: _, ...counted } = size;
  return counted;
}

describe('the length of the receiver kits', () => {
  it('every kit has a limit', () => {
    const kits = readdirSync(kitsFolder, { withFileTypes: true }).filter(entry => entry.isDirectory());
    const others = ['paycode-dev', 'vectors'];
    expect(kits.map(({ name }) => name).toSorted()).toEqual([...Object.keys(limits), ...others].toSorted());
  });

  it.each(Object.entries(limits))('the kit for %s is short enough to be read whole', (kit, limit) => {
    const size = sizeOf(kit);
    expect(Object.keys(size).toSorted()).toEqual(Object.keys(limit).toSorted());
    const tooLong = Object.entries(size).filter(([part, lines]) => lines > limit[part as keyof Size]!);
    expect(tooLong).toEqual([]);
  });
});
