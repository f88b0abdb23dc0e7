import type { Readable } from 'node:stream';
import type { Environment } from './config/env';

/** The environment of the program, and its input and output. Tests replace them. */
export interface Surroundings {
  environment: Environment;
  input: Readable;
  write(text: string): void;
  complain(text: string): void;
  /** Calls `act` once when the program is asked to end. */
  onStop(act: () => void): void;
  isTerminal: boolean;
  samplesFolder: string;
  version: string;
}
