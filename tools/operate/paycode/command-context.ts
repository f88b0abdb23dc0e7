import type { Command } from 'commander';
import {
  type ConnectionOptions,
  type OperatorCall,
  OperatorConnection,
  OperatorError,
  type ServiceName,
} from './operator-connection.ts';
import { showAnswer } from './show-answer.ts';

/** The tools of a command: calls and output. */
export interface CommandContext {
  call(service: ServiceName, call: OperatorCall): Promise<void>;
  /** For commands of several calls. */
  connect(): OperatorConnection;
  show(answer: unknown): void;
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
    connect: () => new OperatorConnection(program.opts<GlobalOptions>()),
    call: async (service, call) => {
      show(await new OperatorConnection(program.opts<GlobalOptions>()).call(service, call));
    },
  };
}

/** An id from the command line. Throws OperatorError unless it is a positive safe integer. */
export function idOf(text: string, what: string): number {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id) || id === 0)
    throw new OperatorError(`${what} must be a positive integer, not ${text}`);
  return id;
}
