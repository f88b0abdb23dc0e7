import { basename } from 'node:path';

interface Size {
  /** Receiver, notification, answers, errors, the store's interface and FileStore: a merchant reads these before using the kit. */
  receiving: number;
  client: number;
  /** A JSON parser, where the language's standard library has none. */
  parser?: number;
}

const usual: Size = { receiving: 330, client: 165 };
/** Most lines of each part, some ten per cent above today's; the reasons: docs/decisions/integrators.md#adr-0071. */
const limits: Record<string, Size> = {
  node: usual,
  python: usual,
  php: usual,
  ruby: usual,
  csharp: usual,
  java: { ...usual, parser: 120 },
  go: { receiving: 415, client: 245 },
};
const source = /^kits\/([a-z]+)\/(?!(?:.*\/)?(?:conform|frameworks)\/).*\.(?:ts|py|go|java|php|rb|cs)$/;

/** The parts of receiver kits that are too long to be read whole, and kits without a limit. `texts`: the files of the project. */
export function kitSizeProblems(texts: ReadonlyMap<string, string>): string[] {
  const sizes: Record<string, Partial<Record<keyof Size, number>>> = {};
  for (const [file, text] of texts) {
    const kit = source.exec(file)?.[1];
    const part = partOf(basename(file));
    if (kit === undefined || part === undefined) continue;
    const size = (sizes[kit] ??= {});
    size[part] = (size[part] ?? 0) + linesOf(file, text);
  }
  return Object.keys({ ...limits, ...sizes }).flatMap(kit =>
    Object.entries(sizes[kit] ?? { receiving: 0 }).flatMap(([part, lines]) => {
      const limit = limits[kit]?.[part as keyof Size] ?? 0;
      return lines > 0 && lines <= limit ? [] : [`kits/${kit}, ${part}: ${lines} lines, of at most ${limit}`];
    }),
  );
}

/** All lines but blank ones and those that hold nothing but a comment. A docstring of Python counts. */
function linesOf(file: string, text: string): number {
  const comment = /\.(?:py|rb)$/.test(file) ? /^\s*#/ : /^\s*\/\//;
  const code = text.replace(/^\s*\/\*[^]*?\*\/[ \t]*$/gm, '');
  return code.split('\n').filter(line => line.trim() !== '' && !comment.test(line)).length;
}

/** undefined: adapters do not count. */
function partOf(name: string): keyof Size | undefined {
  if (/adapters/i.test(name)) return undefined;
  if (/client|UnexpectedAnswer/i.test(name)) return 'client';
  return name === 'Json.java' ? 'parser' : 'receiving';
}
