import { CreateReversals1760000000000 } from './1760000000000-create-reversals';
import { Heartbeats1787000000000 } from './1787000000000-heartbeats';
import { NameInstances1796000000000 } from './1796000000000-name-instances';
import { KeepDeadLetters1797000000000 } from './1797000000000-keep-dead-letters';
import { KeepPayloadsInOutboxRows1805000000000 } from './1805000000000-keep-payloads-in-outbox-rows';
import { ProveAcknowledgements1808000000000 } from './1808000000000-prove-acknowledgements';
import { AddIdRanges1811000000000 } from './1811000000000-add-id-ranges';

/** In order of application. */
export const migrations = [
  CreateReversals1760000000000,
  Heartbeats1787000000000,
  NameInstances1796000000000,
  KeepDeadLetters1797000000000,
  KeepPayloadsInOutboxRows1805000000000,
  ProveAcknowledgements1808000000000,
  AddIdRanges1811000000000,
];
