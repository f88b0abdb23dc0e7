/** Which source file a place in a bundle comes from: `libs/events/src/…`, `node_modules/pg/…`. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A place in a loaded script, both counted from 0, as V8 names it. */
export interface Place {
  url: string;
  lineNumber: number;
  columnNumber: number;
}

type Find = (place: Place) => string;

const ofWorkspace = /(?:^|\/)((?:apps|libs|node_modules)\/.*)$/;
/** esbuild names each module where it wraps it, and may break the name over two lines. */
const wrappedModule = /__(?:commonJS|esm)\(\s*\{\s*"((?:[^"\\]|\\\n)+)"\(/g;

export class SourceFinder {
  private readonly found = new Map<string, Find>();

  /** The path in the workspace; the URL itself where no map tells more (`node:internal/…`); empty for native code. */
  sourceOf(place: Place): string {
    if (!place.url.startsWith('file:') && !place.url.startsWith('/')) return place.url;
    const known = this.found.get(place.url) ?? finderOf(place.url);
    this.found.set(place.url, known);
    return known(place);
  }
}

function finderOf(url: string): Find {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (existsSync(`${file}.map`)) return byMap(`${file}.map`);
  if (file.endsWith('/packages.cjs')) return byModuleNames(file);
  const name = ofWorkspace.exec(file)?.[1] ?? file;
  return () => name;
}

function byMap(file: string): Find {
  const map = new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload);
  return ({ lineNumber, columnNumber }) => {
    const entry = map.findEntry(lineNumber, columnNumber);
    const source = 'originalSource' in entry ? entry.originalSource : '';
    return ofWorkspace.exec(source)?.[1] ?? source;
  };
}

function byModuleNames(file: string): Find {
  const text = readFileSync(file, 'utf8');
  const modules = [...text.matchAll(wrappedModule)].map(({ index, 1: name }) => ({ index, name: name!.replaceAll('\\\n', '') }));
  if (modules.length === 0) throw new Error(`${file} names no module: who bundles it writes other names than this looks for`);
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return ({ lineNumber, columnNumber }) => {
    const at = (lineStarts[lineNumber] ?? 0) + columnNumber;
    return modules.findLast(({ index }) => index <= at)?.name ?? basename(file);
  };
}
