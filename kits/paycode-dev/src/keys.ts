import { readFileSync } from 'node:fs';
import { UsageError } from './command-error';

const hex = /^[0-9a-fA-F]{32}$/;

/** Where a key may come from. */
export interface KeySource {
  /** The option, e.g. `--key`. */
  option: string;
  /** The value of the option: the name of a file. */
  file: string | undefined;
  variable: string;
  /** The value of that variable. */
  value: string | undefined;
}

/** The 16 bytes of a webhook key, from a file or the environment; undefined when neither is given. No message repeats what was read. @throws UsageError */
export function keyFrom({ option, file, variable, value }: KeySource): Buffer | undefined {
  if (file !== undefined && hex.test(file))
    throw new UsageError(
      `${option} takes the name of a file: a key on the command line is seen by others. Use the file, or ${variable}`,
    );
  const text = file === undefined ? value : fileText(option, file);
  if (text === undefined) return undefined;
  if (!hex.test(text.trim()))
    throw new UsageError(`${file === undefined ? variable : option}: a key is 32 hexadecimal characters`);
  return Buffer.from(text.trim(), 'hex');
}

function fileText(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${option}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}
