import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { PlantedFault } from './planted-fault.ts';

/** The list and the code do not fit together any more; the message names the fault to update. */
class StaleFaultError extends Error {
  override readonly name = 'StaleFaultError';
}

/** `text` with the fault in it. @throws StaleFaultError when what it replaces does not stand there exactly once */
function planted(text: string, fault: Pick<PlantedFault, 'id' | 'file' | 'find' | 'put'>): string {
  const pieces = text.split(fault.find);
  if (pieces.length !== 2)
    throw new StaleFaultError(
      `fault ${fault.id}: its text stands ${pieces.length - 1} times in ${fault.file}, must be once: ${firstLine(fault.find)}`,
    );
  return pieces.join(fault.put);
}

/** Plants the fault in the checkout at `root` and answers how to take it out. @throws StaleFaultError */
export function plant(root: string, fault: PlantedFault): () => void {
  const path = join(root, fault.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, planted(text, fault));
  return () => writeFileSync(path, text);
}

/** Problems that prevent the seeding of faults in the checkout at `root`; nothing is written. `listFile`: the file that lists a fault. */
export function staleFaults(root: string, faults: readonly PlantedFault[], listFile: (fault: PlantedFault) => string): string[] {
  return faults.flatMap(fault => {
    const problem = problemOf(root, fault);
    return problem === undefined ? [] : [`${problem} (update ${placeIn(root, listFile(fault), fault.id)})`];
  });
}

function problemOf(root: string, fault: PlantedFault): string | undefined {
  const missing = [fault.file, ...fault.specs].find(file => !existsSync(join(root, file)));
  if (missing) return `fault ${fault.id}: there is no file ${missing}`;
  if (fault.find === fault.put) return `fault ${fault.id}: it changes nothing`;
  try {
    planted(readFileSync(join(root, fault.file), 'utf8'), fault);
    return undefined;
  } catch (error) {
    if (error instanceof StaleFaultError) return error.message;
    throw error;
  }
}

/** `file:line` of the fault with that id. */
function placeIn(root: string, file: string, id: string): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  return `${relative(root, file)}:${lines.findIndex(line => line.includes(`id: '${id}'`)) + 1}`;
}

function firstLine(text: string): string {
  const [first = ''] = text.trim().split('\n', 1);
  return first === text.trim() ? first : `${first} …`;
}
