import type { Readable } from 'node:stream';
import type { Environment } from './config/env';

/** What the program stands on; in tests it is another. */
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
