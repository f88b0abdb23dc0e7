import { CreateEventLog1820000000000 } from './create-event-log.migration';

/** Of the event log, in order of application. */
export const migrations = [CreateEventLog1820000000000];
