import { rmSync } from 'node:fs';

/** Answers how to remove the folder; it goes with this process in any case, also when the run is broken off. */
export function removedAtExit(folder: string): () => void {
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  return () => {
    process.off('exit', remove);
    remove();
  };
}
