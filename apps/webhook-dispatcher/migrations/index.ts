import { CreateDeliveries1760000000000 } from './1760000000000-create-deliveries';
import { RecordErasures1786000000000 } from './1786000000000-record-erasures';

/** In order of application. */
export const migrations = [CreateDeliveries1760000000000, RecordErasures1786000000000];
