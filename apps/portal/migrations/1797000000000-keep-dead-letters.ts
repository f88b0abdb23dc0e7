import { createDeadLetterTable } from '@paycode/events';
import { ForwardMigration } from '@paycode/persistence';

/** Dead letters of this service's groups, for people on call to look at and to redrive. */
export class KeepDeadLetters1797000000000 extends ForwardMigration {
  override readonly name = 'KeepDeadLetters1797000000000';
  override readonly statements = createDeadLetterTable;
}
