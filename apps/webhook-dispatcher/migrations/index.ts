import { CreateDeliveries1760000000000 } from './1760000000000-create-deliveries';

/** In order of application. */
export const migrations = [CreateDeliveries1760000000000];
