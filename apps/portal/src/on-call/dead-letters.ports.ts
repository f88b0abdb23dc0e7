import type { DeadLetterPage, DeadLetterSummary, RedriveAnswer } from '@paycode/dto';
import type { LetterService } from './domain/letter-selection';

/** The dead letters of each service, by the service that keeps them. */
export abstract class DeadLetterCalls {
  /** The latest first; `before`: those that are older than this one. */
  abstract list(service: LetterService, page: { before: number | undefined; limit: number }): Promise<DeadLetterPage>;
  /** Those of these that are still kept. */
  abstract find(service: LetterService, letterIds: readonly number[]): Promise<DeadLetterSummary[]>;
  abstract redrive(service: LetterService, letterIds: readonly number[]): Promise<RedriveAnswer[]>;
}
