import { CreateMessages1760000000000 } from './1760000000000-create-messages';
import { RecordErasures1786000000000 } from './1786000000000-record-erasures';

/** In order of application. */
export const migrations = [CreateMessages1760000000000, RecordErasures1786000000000];
