import { CreateEventLog1763600000000 } from './create-event-log.migration';
import { LogInSegments1806000000000 } from './log-in-segments.migration';
import { NameHeartbeats1787000000000 } from './name-heartbeats.migration';

/** Of the event log, in order of application. */
export const migrations = [CreateEventLog1763600000000, NameHeartbeats1787000000000, LogInSegments1806000000000];
