import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A defect that somebody could really make. It replaces one text; a test of the named specs must then fail. */
export interface SeededFault {
  area: string;
  id: string;
  /** The wrong behaviour in one sentence, with the requirement, decision, threat or invariant that it violates. */
  breaks: string;
  /** Path from the root of the repository. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  put: string;
  specs: readonly string[];
  /** Its specs take seconds and were seen to catch it: the sample of CI may draw it. */
  sampled?: true;
  /** File of the list. */
  listed: string;
}

const lists = 'tools/prove/mutation/seeded';

/** Every committed fault: SQL, settings and wiring, which no mutation tool reaches or judges in useful time. */
export function seededFaults(root: string): SeededFault[] {
  return globSync(`${lists}/*.yaml`, { cwd: root })
    .sort()
    .flatMap(listed => {
      const areas = parse(readFileSync(join(root, listed), 'utf8')) as Record<string, SeededFault[]>;
      return Object.entries(areas).flatMap(([area, faults]) => faults.map(fault => ({ ...fault, area, listed })));
    });
}

/** Writes the fault into the checkout at `root` and returns the function that takes it out. @throws Error when it does not fit the code */
export function seedFault(root: string, fault: SeededFault): () => void {
  const problem = problemOf(root, fault);
  if (problem !== undefined) throw new Error(`fault ${fault.id}: ${problem}`);
  const path = join(root, fault.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.split(fault.find).join(fault.put));
  return () => writeFileSync(path, text);
}

/** One line for each fault that cannot be seeded in the checkout at `root`. */
export function staleFaults(root: string, faults: readonly SeededFault[]): string[] {
  return faults.flatMap(fault => {
    const problem = problemOf(root, fault);
    return problem === undefined ? [] : [`fault ${fault.id} of ${fault.listed}: ${problem}`];
  });
}

function problemOf(root: string, { file, find, put, specs }: SeededFault): string | undefined {
  const missing = [file, ...specs].find(path => !existsSync(join(root, path)));
  if (missing) return `there is no file ${missing}`;
  if (find === put) return 'it changes nothing';
  const count = readFileSync(join(root, file), 'utf8').split(find).length - 1;
  return count === 1 ? undefined : `its text occurs ${count} times in ${file}, must be once: ${find.trim().split('\n', 1)[0]}`;
}
