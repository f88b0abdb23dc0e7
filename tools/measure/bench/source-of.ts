/** Which source file a place in a bundle comes from: `libs/events/src/…`, `node_modules/pg/…`. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A place in a loaded script, both counted from 0, as V8 names it. */
export interface Place {
  url: string;
  lineNumber: number;
  columnNumber: number;
}

type Find = (place: Place) => string;

const ofWorkspace = /(?:^|\/)((?:apps|libs|node_modules)\/.*)$/;
/** esbuild writes the name of each module above it. */
const moduleName = /^\/\/ (node_modules\/\S+)$/;

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
  const names: string[] = [];
  let name = '';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    name = moduleName.exec(line)?.[1] ?? name;
    names.push(name);
  }
  return ({ lineNumber }) => names[lineNumber] ?? '';
}
