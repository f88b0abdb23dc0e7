import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { UsageError } from './command-error';
import { opened } from './webhook/envelope';

const bodyBytesMax = 131_072;

/** The body in a file or in `input`. A line break at its end, as editors and shells add it, is not part of it. @throws UsageError */
export async function readBody(file: string | undefined, input: Readable): Promise<string> {
  const stream = file === undefined || file === '-' ? input : createReadStream(file);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer | string>) {
      chunks.push(Buffer.from(chunk as string));
      bytes += chunk.length;
      if (bytes > bodyBytesMax) break;
    }
  } catch (error) {
    throw new UsageError(`the body cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  if (bytes > bodyBytesMax) throw new UsageError(`the body is longer than ${bodyBytesMax} bytes: no notification is`);
  return Buffer.concat(chunks)
    .toString('latin1')
    .replace(/\r?\n$/, '');
}

/** The JSON in a body, digit for digit as it was sent. @throws RefusedBody */
export function decrypt(body: string, keys: readonly Buffer[]): string {
  return opened(body, keys).toString('utf8');
}
