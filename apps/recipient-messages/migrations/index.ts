import { CreateMessages1760000000000 } from './1760000000000-create-messages';
import { RecordErasures1786000000000 } from './1786000000000-record-erasures';
import { QueueInvitations1790000000000 } from './1790000000000-queue-invitations';
import { KeepDeadLetters1797000000000 } from './1797000000000-keep-dead-letters';
import { QueueFourEyes1798000000000 } from './1798000000000-queue-four-eyes';
import { QueueAlerts1813000000000 } from './1813000000000-queue-alerts';

/** In order of application. */
export const migrations = [
  CreateMessages1760000000000,
  RecordErasures1786000000000,
  QueueInvitations1790000000000,
  KeepDeadLetters1797000000000,
  QueueFourEyes1798000000000,
  QueueAlerts1813000000000,
];
