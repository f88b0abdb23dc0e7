import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type ConnectionOptions, type OperatorCall, OperatorConnection, type ServiceName } from './operator-connection.ts';
import { OperatorError } from './operator-error.ts';
import { showAnswer } from './show-answer.ts';
import { fileFromInput } from './standard-input.ts';

/** The tools of a command: calls and output. */
export interface CommandContext {
  call(service: ServiceName, call: OperatorCall): Promise<void>;
  /** For commands of several calls. */
  connect(): OperatorConnection;
  show(answer: unknown): void;
  /** Text of a file; `-` is standard input. @throws OperatorError when it cannot be read */
  read(file: string): string;
}

interface GlobalOptions extends ConnectionOptions {
  json?: boolean;
}

/** A context that reads its options when a command runs, so that they may be anywhere on the command line. */
export function contextOf(program: Command, write: (text: string) => void): CommandContext {
  const show = (answer: unknown): void =>
    write(`${program.opts<GlobalOptions>().json ? JSON.stringify(answer ?? null, null, 2) : showAnswer(answer)}\n`);
  return {
    show,
    read: file =>
      file === '-' ? fileFromInput({ isBehindToken: program.opts<GlobalOptions>().tokenFile === '-' }) : textOf(file),
    connect: () => new OperatorConnection(program.opts<GlobalOptions>()),
    call: async (service, call) => {
      show(await new OperatorConnection(program.opts<GlobalOptions>()).call(service, call));
    },
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new OperatorError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
}

/** An id from the command line. Throws OperatorError unless it is a positive safe integer. */
export function idOf(text: string, what: string): number {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id) || id === 0)
    throw new OperatorError(`${what} must be a positive integer, not ${text}`);
  return id;
}
