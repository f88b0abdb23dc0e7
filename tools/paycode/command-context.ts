import type { Command } from 'commander';
import {
  type ConnectionOptions,
  type OperatorCall,
  OperatorConnection,
  OperatorError,
  type ServiceName,
} from './operator-connection.ts';
import { showAnswer } from './show-answer.ts';

/** What a command needs to do its work and to show what came of it. */
export interface CommandContext {
  call(service: ServiceName, call: OperatorCall): Promise<void>;
}

interface GlobalOptions extends ConnectionOptions {
  json?: boolean;
}

/** A context whose options are read when a command runs, so that they may stand anywhere on the command line. */
export function contextOf(program: Command, write: (text: string) => void): CommandContext {
  return {
    call: async (service, call) => {
      const options = program.opts<GlobalOptions>();
      const answer = await new OperatorConnection(options).call(service, call);
      write(`${options.json ? JSON.stringify(answer ?? null, null, 2) : showAnswer(answer)}\n`);
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
