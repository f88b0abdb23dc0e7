import { CreateDeliveries1760000000000 } from './1760000000000-create-deliveries';
import { RecordErasures1786000000000 } from './1786000000000-record-erasures';
import { ShardsAndIdRanges1787000000000 } from './1787000000000-shards-and-id-ranges';
import { RecordRequestsSentAgain1788000000000 } from './1788000000000-record-requests-sent-again';
import { NameInstances1796000000000 } from './1796000000000-name-instances';
import { KeepDeadLetters1797000000000 } from './1797000000000-keep-dead-letters';
import { PauseEndpoints1804000000000 } from './1804000000000-pause-endpoints';
import { KeepPayloadsInOutboxRows1805000000000 } from './1805000000000-keep-payloads-in-outbox-rows';
import { FindReversals1807000000000 } from './1807000000000-find-reversals';
import { KeepPayloadVersions1808000000000 } from './1808000000000-keep-payload-versions';
import { NoteEndsOfCertificates1818000000000 } from './1818000000000-note-ends-of-certificates';

/** In order of application. */
export const migrations = [
  CreateDeliveries1760000000000,
  RecordErasures1786000000000,
  ShardsAndIdRanges1787000000000,
  RecordRequestsSentAgain1788000000000,
  NameInstances1796000000000,
  KeepDeadLetters1797000000000,
  PauseEndpoints1804000000000,
  KeepPayloadsInOutboxRows1805000000000,
  FindReversals1807000000000,
  KeepPayloadVersions1808000000000,
  NoteEndsOfCertificates1818000000000,
];
